/** Reads how many messages of a line are requested (messaging.md 5, 8). Pure. */
import type { Result } from '../../grammar/result.js';
import { count, readFilters } from '../../http/query-filters.js';

const standard = 50;
const max = 500;

/** Parses `?count=`: 50 by default, at most 500. */
export function parseWaiting(requestTarget: string): Result<{ readonly count: number }> {
  return readFilters(requestTarget, { count: count(standard, max) });
}
