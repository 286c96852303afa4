/** How long a fetch or consume may wait, and how much it may return (topics.md 3.1 and 4.1). */
import type { JsonFields } from '../../grammar/json.js';
import { ok, type Result, refused } from '../../grammar/result.js';

/** The longest wait and the largest size of one answer, for all partitions together. */
export interface ReadLimits {
  readonly timeoutMs: number;
  readonly maxRecords: number;
  /** Bytes of keys and values; exceeded only by a single larger record. */
  readonly maxBytes: number;
}

const timeoutMs = 1000;
const timeoutMsMax = 60_000;
/**
 * Default timeout of requests that are answered at once: the specification defines one, though
 * nothing waits.
 */
const answerMs = 10_000;
const records = 500;
const recordsMax = 10_000;
const bytesMax = 50 * 1024 * 1024;

/**
 * Reads the fields `timeout`, `maxRecords` and `maxBytes` of a request; values above the maximum
 * are reduced to it.
 */
export function parseReadLimits(fields: JsonFields): Result<ReadLimits> {
  const timeout = parseTimeout(fields['timeout'], timeoutMs);
  if (!timeout.ok) return timeout;
  const maxRecords = parseLimit(fields, 'maxRecords', records, recordsMax);
  if (!maxRecords.ok) return maxRecords;
  const maxBytes = parseLimit(fields, 'maxBytes', bytesMax, bytesMax);
  if (!maxBytes.ok) return maxBytes;
  return ok({ timeoutMs: timeout.value, maxRecords: maxRecords.value, maxBytes: maxBytes.value });
}

/** Parses the longest wait in milliseconds; at most one minute. */
export function parseTimeout(value: unknown, standardMs = answerMs): Result<number> {
  if (value === undefined || value === null) return ok(standardMs);
  const timeout = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof timeout === 'number' && timeout >= 0 && Number.isFinite(timeout)
    ? ok(Math.min(timeout, timeoutMsMax))
    : refused('timeout must be a number of milliseconds, not negative');
}

function parseLimit(
  fields: JsonFields,
  name: string,
  standard: number,
  max: number,
): Result<number> {
  const value = fields[name];
  if (value === undefined || value === null) return ok(standard);
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
    ? ok(Math.min(value, max))
    : refused(`${name} must be a positive whole number`);
}
