/** How many of a line are asked for (messaging.md 5, 8). Pure. */
import type { Result } from '../../grammar/result.js';
import { count, readFilters } from '../../http/query-filters.js';

const standard = 50;
const max = 500;

/** `?count=`: 50 without it, 500 at most. */
export function parseWaiting(requestTarget: string): Result<{ readonly count: number }> {
  return readFilters(requestTarget, { count: count(standard, max) });
}
