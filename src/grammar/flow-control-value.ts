/** Parses and formats flow-control header values: `parallelism=2, rate=3, period=1m`. Pure. */

import { parseDuration } from './duration.js';
import { ok, type Result, refused } from './result.js';

/** How much of the traffic that shares a key may run at once and per period. */
export interface FlowControlValue {
  /** Attempts in flight at once; null = not limited. */
  readonly parallelism: number | null;
  /** Attempts started per period; null = not limited. */
  readonly rate: number | null;
  /** The rate's window, 1 second to 1 week; 1 if not given. */
  readonly periodSeconds: number;
}

const lengthMax = 256;
/** The longest window of a rate: a week. */
export const periodSecondsMax = 604_800;
const pair = /^(parallelism|rate|period) *= *(\S+)$/;

/**
 * Parses comma-separated `key=value` pairs in any order, each key once (messaging.md 3.4).
 * Parallelism or rate must be given; a period alone limits nothing.
 */
export function parseFlowControlValue(text: string): Result<FlowControlValue> {
  if (text.length > lengthMax) return refused(`is longer than ${lengthMax} characters`);
  const found = new Map<string, number>();
  for (const item of text.split(',')) {
    const [, key = '', value = ''] = pair.exec(item.trim()) ?? [];
    if (key === '') return refused('must be like parallelism=2, rate=3, period=1m');
    if (found.has(key)) return refused(`names ${key} twice`);
    const number = key === 'period' ? parsePeriod(value) : parseCount(key, value);
    if (!number.ok) return number;
    found.set(key, number.value);
  }
  const parallelism = found.get('parallelism') ?? null;
  const rate = found.get('rate') ?? null;
  if (parallelism === null && rate === null) return refused('must name parallelism or rate');
  return ok({ parallelism, rate, periodSeconds: found.get('period') ?? 1 });
}

/** The canonical text; `parseFlowControlValue` parses it to the same value. */
export function formatFlowControlValue(value: FlowControlValue): string {
  const { parallelism, rate, periodSeconds } = value;
  const pairs: string[] = [];
  if (parallelism !== null) pairs.push(`parallelism=${parallelism}`);
  if (rate !== null) pairs.push(`rate=${rate}`);
  pairs.push(`period=${periodSeconds}s`);
  return pairs.join(', ');
}

function parseCount(key: string, text: string): Result<number> {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return count > 0 ? ok(count) : refused(`must have a positive whole number as ${key}`);
}

function parsePeriod(text: string): Result<number> {
  const duration = parseDuration(text);
  if (!duration.ok) return refused(`has a period that ${duration.message}`);
  const seconds = duration.value / 1000;
  return seconds >= 1 && seconds <= periodSecondsMax
    ? ok(seconds)
    : refused('must have a period between 1 second and 1 week');
}
