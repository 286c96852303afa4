/** A produce as it stands on the wire -> records for topics (log protocol 1.2, 1.4.1 to 1.4.3). */
import { type Parsed, parsed, refused } from '../http/parsed.js';

/** A named value beside a record; names may repeat. */
export interface ProduceHeader {
  readonly name: string;
  readonly value: Buffer | null;
}

/** One record to append. */
export interface ProduceRecord {
  readonly topic: string;
  /** The partition that was asked for; null = by key, or by turn. */
  readonly partition: number | null;
  readonly key: Buffer | null;
  /** null is a tombstone. */
  readonly value: Buffer | null;
  readonly headers: readonly ProduceHeader[];
  /** Unix milliseconds; null = when it is appended. */
  readonly timestamp: number | null;
}

const recordsMax = 10_000;
const headersMax = 256;
/** Well below what a record can hold: a refusal of the log would come after other partitions. */
const headerNameLengthMax = 4096;

/**
 * The body of `POST /produce` (each record names its topic) or `POST /produce/{topic}`: one record
 * or an array of them. Everything is checked before anything is written.
 */
export function parseProduce(body: unknown, topic: string | null): Parsed<ProduceRecord[]> {
  const items = Array.isArray(body) ? body : [body];
  if (items.length > recordsMax) return refused(`a request has at most ${recordsMax} records`);
  const records: ProduceRecord[] = [];
  for (const [index, item] of items.entries()) {
    const record = parseRecord(item, topic);
    if (!record.ok) return refused(`record ${index}: ${record.reason}`);
    records.push(record.value);
  }
  return parsed(records);
}

/** `GET /produce/{topic}/{message}?key=`: the text as it is, never parsed. */
export function recordOfPath(topic: string, text: string, key: string | null): ProduceRecord {
  const value = Buffer.from(text);
  return { topic, partition: null, key: keyOf(key), value, headers: [], timestamp: null };
}

function parseRecord(item: unknown, topic: string | null): Parsed<ProduceRecord> {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return refused('must be an object');
  }
  const fields = item as Record<string, unknown>;
  const name = topicOf(fields['topic'], topic);
  if (!name.ok) return name;
  const { value, key = null } = fields;
  if (typeof value !== 'string' && value !== null) return refused('value must be a string or null');
  if (typeof key !== 'string' && key !== null) return refused('key must be a string');
  const partition = wholeNumber(fields['partition'], 'partition');
  if (!partition.ok) return partition;
  const timestamp = wholeNumber(fields['timestamp'], 'timestamp');
  if (!timestamp.ok) return timestamp;
  const headers = parseHeaders(fields['headers']);
  if (!headers.ok) return headers;
  return parsed({
    topic: name.value,
    partition: partition.value,
    key: keyOf(key),
    value: value === null ? null : Buffer.from(value),
    headers: headers.value,
    timestamp: timestamp.value,
  });
}

/** Readers see "" where there is no key, and copy it back: "" means no key (log protocol 2.8). */
function keyOf(key: string | null): Buffer | null {
  return key === null || key === '' ? null : Buffer.from(key);
}

function topicOf(own: unknown, path: string | null): Parsed<string> {
  if (own === undefined || own === null) {
    return path === null ? refused('topic is missing') : parsed(path);
  }
  if (typeof own !== 'string') return refused('topic must be a string');
  return path === null || path === own
    ? parsed(own)
    : refused(`topic ${own} is not the topic of the path`);
}

function wholeNumber(value: unknown, name: string): Parsed<number | null> {
  if (value === undefined || value === null) return parsed(null);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? parsed(value)
    : refused(`${name} must be a whole number, not negative`);
}

function parseHeaders(value: unknown): Parsed<ProduceHeader[]> {
  if (value === undefined || value === null) return parsed([]);
  if (!Array.isArray(value)) return refused('headers must be an array');
  if (value.length > headersMax) return refused(`headers has more than ${headersMax} entries`);
  const headers: ProduceHeader[] = [];
  for (const item of value) {
    const { key, value: text = null } = (item ?? {}) as Record<string, unknown>;
    if (typeof key !== 'string') return refused('every header has a key that is a string');
    if (key.length > headerNameLengthMax) {
      return refused(`a header's key has at most ${headerNameLengthMax} characters`);
    }
    if (typeof text !== 'string' && text !== null) {
      return refused('every header has a value that is a string');
    }
    headers.push({ name: key, value: text === null ? null : Buffer.from(text) });
  }
  return parsed(headers);
}
