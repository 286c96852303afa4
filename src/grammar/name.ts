/** What people call queues, URL groups, schedules, flow-control keys and labels. Pure. */
import { type Parsed, parsed, refused } from './parsed.js';

const nameGrammar = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,256}$/;

/**
 * A name as it stands: 1 to 256 letters, digits, `-`, `_` or `.` (messaging.md 1.3). Clients
 * take `.` and `..` in a path for steps, so that what is named so could never be addressed.
 */
export function parseName(text: string): Parsed<string> {
  return nameGrammar.test(text)
    ? parsed(text)
    : refused('must have 1 to 256 letters, digits, "-", "_" or ".", and not be "." or ".."');
}
