/** A fetch or an offset lookup as it stands on the wire -> positions (topics.md 3.1 and 3.2). */
import { fieldsOf, isJsonObject, type JsonFields } from '../../grammar/json.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import type { TopicPartition } from '../records/topic-partition.js';

/** Where to read from: an offset, or the first record of a time (Unix milliseconds) or later. */
export type Position = TopicPartition &
  ({ readonly offset: number } | { readonly timestamp: number });

/** What to read, in the order it is answered, and how long to wait for it. */
export interface FetchRequest {
  readonly positions: readonly Position[];
  readonly timeoutMs: number;
  /** Of one answer, all positions together. */
  readonly maxRecords: number;
  readonly maxBytes: number;
  /** Reading ends before the first record of this time or later; null = it does not. */
  readonly untilTimestamp: number | null;
  /** Where to go on from an offset that the log does not have; null = nowhere: 416. */
  readonly offsetReset: 'earliest' | 'latest' | null;
}

/** Of offsets and timestamps: what a path of `/offsets/{timestamp}` may name. */
export type OffsetQuery = 'earliest' | 'latest' | number;

const positionsMax = 1024;
const fetchTimeoutMs = 1000;
const timeoutMsMax = 60_000;

/** Of one answer (topics.md 3.1), unless the request says otherwise. */
const answerRecords = 500;
/** The most bytes of keys and values in one answer, unless one record alone is longer. */
const answerBytes = 50 * 1024 * 1024;
/** And what it may say. */
const answerRecordsMax = 10_000;

/** One inline position, a list, or both: the list comes first. */
export function parseFetch(body: unknown): Result<FetchRequest> {
  if (!isJsonObject(body)) return refused('the body must be an object');
  const timeoutMs = parseTimeoutMs(body['timeout'], fetchTimeoutMs);
  if (!timeoutMs.ok) return timeoutMs;
  const maxRecords = parseBudget(body['maxRecords'], 'maxRecords', answerRecords);
  if (!maxRecords.ok) return maxRecords;
  const maxBytes = parseBudget(body['maxBytes'], 'maxBytes', answerBytes);
  if (!maxBytes.ok) return maxBytes;
  const { offsetReset = null, untilTimestamp = null } = body;
  if (untilTimestamp !== null && !isWhole(untilTimestamp)) {
    return refused('untilTimestamp must be Unix milliseconds');
  }
  if (offsetReset !== null && offsetReset !== 'earliest' && offsetReset !== 'latest') {
    return refused('offsetReset must be earliest or latest');
  }
  const positions = parsePositions(body);
  if (!positions.ok) return positions;
  return ok({
    positions: positions.value,
    timeoutMs: timeoutMs.value,
    maxRecords: Math.min(maxRecords.value, answerRecordsMax),
    maxBytes: Math.min(maxBytes.value, answerBytes),
    untilTimestamp,
    offsetReset,
  });
}

/** One partition or an array of them. */
export function parseTopicPartitions(body: unknown): Result<readonly TopicPartition[]> {
  return parseEach(Array.isArray(body) ? body : [body], parseTopicPartition);
}

/** The `{timestamp}` of `/offsets/{timestamp}`: `earliest`, `latest` or Unix milliseconds. */
export function parseOffsetQuery(text: string): Result<OffsetQuery> {
  if (text === 'earliest' || text === 'latest') return ok(text);
  const timestamp = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(timestamp)
    ? ok(timestamp)
    : refused('the timestamp must be earliest, latest or Unix milliseconds');
}

/** The longest wait in milliseconds; above a minute it is a minute. */
function parseTimeoutMs(value: unknown, otherwise: number): Result<number> {
  if (value === undefined || value === null) return ok(otherwise);
  const timeout = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof timeout === 'number' && timeout >= 0 && Number.isFinite(timeout)
    ? ok(Math.min(timeout, timeoutMsMax))
    : refused('timeout must be a number of milliseconds, not negative');
}

function parseBudget(value: unknown, name: string, otherwise: number): Result<number> {
  if (value === undefined || value === null) return ok(otherwise);
  return isWhole(value) && value > 0
    ? ok(value)
    : refused(`${name} must be a positive whole number`);
}

function parsePositions(fields: JsonFields): Result<readonly Position[]> {
  const listed = fields['topicPartitionOffsets'] ?? [];
  if (!Array.isArray(listed)) return refused('topicPartitionOffsets must be an array');
  const items = fields['topic'] === undefined ? listed : [...listed, fields];
  if (items.length === 0) return refused('topic, partition and offset are missing');
  return parseEach(items, parsePosition);
}

function parseEach<T extends TopicPartition>(
  items: readonly unknown[],
  parse: (item: unknown) => Result<T>,
): Result<readonly T[]> {
  if (items.length > positionsMax) return refused(`names more than ${positionsMax} partitions`);
  const values: T[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    const value = parse(item);
    if (!value.ok) return value;
    const { topic, partition } = value.value;
    if (seen.has(`${topic}/${partition}`)) {
      return refused(`names partition ${partition} of ${topic} twice`);
    }
    seen.add(`${topic}/${partition}`);
    values.push(value.value);
  }
  return ok(values);
}

function parsePosition(item: unknown): Result<Position> {
  const place = parseTopicPartition(item);
  if (!place.ok) return place;
  const { offset, timestamp } = fieldsOf(item);
  if (timestamp !== undefined && timestamp !== null) {
    if (offset !== undefined && offset !== null) {
      return refused('offset and timestamp cannot both say where to begin');
    }
    return isWhole(timestamp)
      ? ok({ timestamp, ...place.value })
      : refused('timestamp must be Unix milliseconds');
  }
  return isWhole(offset)
    ? ok({ offset, ...place.value })
    : refused('offset must be a whole number, not negative');
}

function parseTopicPartition(item: unknown): Result<TopicPartition> {
  const { topic, partition } = fieldsOf(item);
  if (typeof topic !== 'string') return refused('topic must be a string');
  return isWhole(partition)
    ? ok({ topic, partition })
    : refused('partition must be a whole number, not negative');
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
