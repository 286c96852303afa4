/** What people call queues, URL groups, schedules, flow-control keys and labels. Pure. */
import { type Parsed, parsed, refused } from './parsed.js';

const nameGrammar = /^[A-Za-z0-9._-]{1,256}$/;

/** A name as it stands: 1 to 256 letters, digits, `-`, `_` or `.` (messaging protocol 1.1). */
export function parseName(text: string): Parsed<string> {
  return nameGrammar.test(text)
    ? parsed(text)
    : refused('must have 1 to 256 letters, digits, "-", "_" or "."');
}
