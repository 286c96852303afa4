/** Parses the positions of a fetch or an offset lookup (topics.md 3.1 and 3.2). */
import { fieldsOf, isJsonObject, type JsonFields } from '../../grammar/json.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { parseReadLimits, type ReadLimits } from '../records/read-limits.js';
import type { TopicPartition } from '../records/topic-partition.js';

/** Where to read from: an offset, or the first record at or after a time (Unix milliseconds). */
export type Position = TopicPartition &
  ({ readonly offset: number } | { readonly timestamp: number });

/** What to read, in the order of the answer, and how long to wait for it. */
export interface FetchRequest extends ReadLimits {
  readonly positions: readonly Position[];
  /** Reading ends before the first record at or after this time; null = no such end. */
  readonly untilTimestamp: number | null;
  /** Where to continue if the log does not have the offset; null = refuse with 416. */
  readonly offsetReset: 'earliest' | 'latest' | null;
}

/** What the path `/offsets/{timestamp}` may name. */
export type OffsetQuery = 'earliest' | 'latest' | number;

const positionsMax = 1024;

/** Parses one inline position, a list, or both, the list first. */
export function parseFetch(body: unknown): Result<FetchRequest> {
  if (!isJsonObject(body)) return refused('the body must be an object');
  const limits = parseReadLimits(body);
  if (!limits.ok) return limits;
  const { offsetReset = null, untilTimestamp = null } = body;
  if (untilTimestamp !== null && !isWhole(untilTimestamp)) {
    return refused('untilTimestamp must be Unix milliseconds');
  }
  if (offsetReset !== null && offsetReset !== 'earliest' && offsetReset !== 'latest') {
    return refused('offsetReset must be earliest or latest');
  }
  const positions = parsePositions(body);
  if (!positions.ok) return positions;
  const { timeoutMs, maxRecords, maxBytes } = limits.value;
  return ok({
    positions: positions.value,
    timeoutMs,
    maxRecords,
    maxBytes,
    untilTimestamp,
    offsetReset,
  });
}

/** Parses one partition or an array of partitions. */
export function parseTopicPartitions(body: unknown): Result<readonly TopicPartition[]> {
  return parseEach(Array.isArray(body) ? body : [body], parseTopicPartition);
}

/**
 * Parses the `{timestamp}` of `/offsets/{timestamp}`: `earliest`, `latest` or Unix milliseconds.
 */
export function parseOffsetQuery(text: string): Result<OffsetQuery> {
  if (text === 'earliest' || text === 'latest') return ok(text);
  const timestamp = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(timestamp)
    ? ok(timestamp)
    : refused('the timestamp must be earliest, latest or Unix milliseconds');
}

function parsePositions(fields: JsonFields): Result<readonly Position[]> {
  const listed = fields['topicPartitionOffsets'] ?? [];
  if (!Array.isArray(listed)) return refused('topicPartitionOffsets must be an array');
  const namesOne = fields['topic'] !== undefined && fields['topic'] !== null;
  const items = namesOne ? [...listed, fields] : listed;
  if (items.length === 0) return refused('topic, partition and offset are missing');
  return parseEach(items, parsePosition);
}

function parseEach<T extends TopicPartition>(
  items: readonly unknown[],
  parse: (item: unknown) => Result<T>,
): Result<readonly T[]> {
  if (items.length > positionsMax)
    return refused(`the request names more than ${positionsMax} partitions`);
  const values: T[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    const value = parse(item);
    if (!value.ok) return value;
    const { topic, partition } = value.value;
    if (seen.has(`${topic}/${partition}`)) {
      return refused(`the request names partition ${partition} of ${topic} twice`);
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
      return refused('offset and timestamp cannot both be given');
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
