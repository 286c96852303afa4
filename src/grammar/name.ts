/** What people call queues, URL groups, schedules, flow-control keys and labels. Pure. */
import { ok, type Result, refused } from './result.js';

const nameGrammar = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,256}$/;

/**
 * A name as it stands: 1 to 256 letters, digits, `-`, `_` or `.` (messaging.md 1.3). Clients
 * take `.` and `..` in a path for steps, so that what is named so could never be addressed.
 */
export function parseName(text: string): Result<string> {
  return nameGrammar.test(text)
    ? ok(text)
    : refused('must have 1 to 256 letters, digits, "-", "_" or ".", and not be "." or ".."');
}
