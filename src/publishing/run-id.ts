/** What a workflow run may be called by whoever starts it. Pure. */
import { isHeaderValue } from '../http/header-field.js';
import { type Parsed, parsed, refused } from '../http/parsed.js';

const lengthMax = 512;

/**
 * A run's id is taken as it is (messaging protocol 3): every delivery carries it in a header, so it
 * is what a header can carry.
 */
export function parseRunId(text: string): Parsed<string> {
  return text.length > 0 && text.length <= lengthMax && isHeaderValue(text)
    ? parsed(text)
    : refused(`must have 1 to ${lengthMax} characters that a header can carry`);
}
