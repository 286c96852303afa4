/** Reads the requests for lines of messages, and for all lines (messaging.md 5, 8). Pure. */
import type { Result } from '../../grammar/result.js';
import { count, readFilters } from '../../http/query-filters.js';

const standard = 50;
const max = 500;

/** Parses `?count=`: 50 by default, at most 500. */
export function parseWaiting(requestTarget: string): Result<{ readonly count: number }> {
  return readFilters(requestTarget, { count: count(standard, max) });
}

/**
 * Refuses every filter, in the query or in the body: who pauses everything cannot choose, and a
 * filter that is ignored would pause the others as well.
 */
export function parseAll(requestTarget: string, body: Buffer): Result<unknown> {
  return readFilters(requestTarget, {}, body);
}
