/** The ids that a caller may give to the workflow run that it starts. Pure. */
import { isHeaderValue } from './headers.js';
import { ok, type Result, refused } from './result.js';

const lengthMax = 512;

/** What every client takes out of a path: no request could name such a run. */
const pathSteps = new Set(['.', '..']);

/**
 * A run's id is taken as it is, slashes and blanks within it too. Every delivery carries it in a
 * header, so it is what a header can carry, and paths name it percent-encoded.
 */
export function parseRunId(text: string): Result<string> {
  if (pathSteps.has(text)) return refused('must not be . or .., which no path can name');
  return text.length > 0 && text.length <= lengthMax && isHeaderValue(text)
    ? ok(text)
    : refused(`must have 1 to ${lengthMax} characters that a header can carry`);
}
