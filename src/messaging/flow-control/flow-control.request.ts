/** Parses the queries of flow-control routes (messaging.md 8). Pure. */

import { periodSecondsMax } from '../../grammar/flow-control-value.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { integer, readFilters, text, whenGiven } from '../../http/query-filters.js';
import type { PinFlowControl, UnpinFlowControl } from './flow-control.commands.js';

/** The limits that a pin fixes; null = the limit is not changed. */
export type Pin = Pick<PinFlowControl, 'parallelism' | 'rate' | 'periodSeconds'>;
/** The limits that publishes decide again. */
export type Unpin = Pick<UnpinFlowControl, 'parallelism' | 'rate'>;

/** Parses `?parallelism=3&rate=10&period=60`: at least one of them; the period in seconds. */
export function parsePin(requestTarget: string): Result<Pin> {
  const period = upTo(periodSecondsMax);
  const read = readFilters(requestTarget, { parallelism: limit, rate: limit, period });
  if (!read.ok) return read;
  const { parallelism, rate, period: periodSeconds } = read.value;
  if (parallelism === null && rate === null && periodSeconds === null) {
    return refused('one of parallelism, rate and period must be given');
  }
  return ok({ parallelism, rate, periodSeconds });
}

/** Parses `?parallelism=true&rate=true`: at least one of them. */
export function parseUnpin(requestTarget: string): Result<Unpin> {
  const read = readFilters(requestTarget, { parallelism: flag, rate: flag });
  if (!read.ok) return read;
  const { parallelism, rate } = read.value;
  if (parallelism === null && rate === null) {
    return refused('one of parallelism and rate must be given');
  }
  return ok({ parallelism: parallelism ?? false, rate: rate ?? false });
}

/** Parses `?search=`, a part of a key; null = every key. */
export function parseSearch(requestTarget: string): Result<string | null> {
  const read = readFilters(requestTarget, { search: text });
  return read.ok ? ok(read.value.search) : read;
}

/** Refuses any parameter, for routes that take none. */
export function parseNothing(requestTarget: string): Result<unknown> {
  return readFilters(requestTarget, {});
}

/** A whole number from 1 to `max`; null = absent. */
function upTo(max: number) {
  return whenGiven(integer, (number) =>
    number >= 1 && number <= max ? ok(number) : refused(`must be a whole number from 1 to ${max}`),
  );
}

const limit = upTo(Number.MAX_SAFE_INTEGER);

/** `true` or `false` in any case; null = absent. */
const flag = whenGiven<string, boolean>(text, (word) => {
  switch (word.toLowerCase()) {
    case 'true':
      return ok(true);
    case 'false':
      return ok(false);
    default:
      return refused('must be true or false');
  }
});
