/** Names of queues, URL groups, schedules, flow-control keys and labels. Pure. */
import { ok, type Result, refused } from './result.js';

const nameGrammar = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,256}$/;

/**
 * Parses a name: 1 to 256 letters, digits, `-`, `_` or `.` (messaging.md 1.3). Clients resolve `.`
 * and `..` in a path, so that a thing with such a name could never be addressed.
 */
export function parseName(text: string): Result<string> {
  return nameGrammar.test(text)
    ? ok(text)
    : refused('must have 1 to 256 letters, digits, "-", "_" or ".", and not be "." or ".."');
}
