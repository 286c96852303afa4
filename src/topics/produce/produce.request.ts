/** Parses the records of a produce request (topics.md 2.1 and 2.2). */

import { fieldsOf, isJsonObject, isWellFormed } from '../../grammar/json.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import { bytesOf, type PayloadEncoding, parseEncoding } from '../records/record-text.js';

/** A header of a record; names may repeat. */
export interface ProduceHeader {
  readonly name: string;
  readonly value: Buffer | null;
}

/** One record to append. */
export interface ProduceRecord {
  readonly topic: string;
  /** The partition that the request names; null = chosen by key, or in turn. */
  readonly partition: number | null;
  readonly key: Buffer | null;
  /** null is a tombstone. */
  readonly value: Buffer | null;
  readonly headers: readonly ProduceHeader[];
  /** Unix milliseconds; null = the time of the append. */
  readonly timestamp: number | null;
}

/** What applies to all records of a request. */
export interface ProduceDefaults {
  /** The topic of the path; null = each record names its own. */
  readonly topic: string | null;
  readonly encoding: PayloadEncoding;
  /** The most bytes of key, value and headers of one record. */
  readonly recordBytesMax: number;
}

const recordsMax = 10_000;
const headersMax = 256;
/**
 * Well below the limit of the log, whose refusal would come after other partitions were written.
 */
const headerNameLengthMax = 4096;
/** The last millisecond of the year 9999: later years have more than four digits. */
const timestampMax = 253_402_300_799_999;
const none: readonly ProduceHeader[] = [];

/** The items of a request body: one record, or an array of records. */
export function parseItems(body: unknown): Result<readonly unknown[]> {
  const items: readonly unknown[] = Array.isArray(body) ? body : [body];
  return items.length > recordsMax
    ? refused(`a request has at most ${recordsMax} records`)
    : ok(items);
}

/**
 * Reads one record of a request; refused with 400 if it is invalid, or with 413 if it is too large.
 */
export function readRecord(item: unknown, defaults: ProduceDefaults): ProduceRecord | Refusal {
  const record = parseRecord(item, defaults);
  if (!record.ok) return new Refusal('invalid', record.message);
  return sizedRecord(record.value, defaults.recordBytesMax);
}

/** The record, if it is within the size limit; 413 otherwise. */
export function sizedRecord(record: ProduceRecord, bytesMax: number): ProduceRecord | Refusal {
  return byteLength(record) <= bytesMax
    ? record
    : new Refusal('too_large', `is longer than ${bytesMax} bytes`);
}

/**
 * The record of `GET /produce/{topic}/{message}?key=`: the text is the value, and is never parsed.
 */
export function recordOfPath(topic: string, text: string, key: string | null): ProduceRecord {
  const value = Buffer.from(text);
  return { topic, partition: null, key: keyOf(key), value, headers: none, timestamp: null };
}

/** Readers see a missing key as "", and may send it back: so "" means no key (topics.md 2.4). */
export function keyOf(key: string | null): Buffer | null {
  return key === null || key === '' ? null : Buffer.from(key);
}

function parseRecord(item: unknown, defaults: ProduceDefaults): Result<ProduceRecord> {
  if (!isJsonObject(item)) return refused('must be an object');
  const topic = topicOf(item['topic'], defaults.topic);
  if (!topic.ok) return topic;
  const own = item['encoding'] ?? defaults.encoding;
  const encoding = parseEncoding(own);
  if (!encoding.ok) return refused(`encoding ${encoding.message}`);
  if (item['value'] === undefined) return refused('value must be a string or null');
  const value = parseBytes(item['value'], 'value', encoding.value);
  if (!value.ok) return value;
  const key = parseBytes(item['key'], 'key', encoding.value);
  if (!key.ok) return key;
  const partition = wholeNumber(item['partition'], 'partition');
  if (!partition.ok) return partition;
  const timestamp = wholeNumber(item['timestamp'], 'timestamp');
  if (!timestamp.ok) return timestamp;
  if ((timestamp.value ?? 0) > timestampMax) return refused('timestamp is beyond the year 9999');
  const headers = parseHeaders(item['headers'], encoding.value);
  if (!headers.ok) return headers;
  return ok({
    topic: topic.value,
    partition: partition.value,
    key: key.value?.length === 0 ? null : key.value,
    value: value.value,
    headers: headers.value,
    timestamp: timestamp.value,
  });
}

function topicOf(own: unknown, path: string | null): Result<string> {
  if (own === undefined || own === null) {
    return path === null ? refused('topic is missing') : ok(path);
  }
  if (typeof own !== 'string') return refused('topic must be a string');
  return path === null || path === own
    ? ok(own)
    : refused(`topic ${own} is not the topic of the path`);
}

/** The bytes of a field; null if the field is absent or null. */
function parseBytes(
  value: unknown,
  name: string,
  encoding: PayloadEncoding,
): Result<Buffer | null> {
  if (value === undefined || value === null) return ok(null);
  if (typeof value !== 'string') return refused(`${name} must be a string or null`);
  if (!isWellFormed(value)) return refused(`${name} contains an unpaired surrogate`);
  const bytes = bytesOf(value, encoding);
  return bytes === null ? refused(`${name} is not Base64`) : ok(bytes);
}

function wholeNumber(value: unknown, name: string): Result<number | null> {
  if (value === undefined || value === null) return ok(null);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? ok(value)
    : refused(`${name} must be a whole number, not negative`);
}

function parseHeaders(value: unknown, encoding: PayloadEncoding): Result<readonly ProduceHeader[]> {
  if (value === undefined || value === null) return ok(none);
  if (!Array.isArray(value)) return refused('headers must be an array');
  if (value.length > headersMax) return refused(`headers has more than ${headersMax} entries`);
  const headers: ProduceHeader[] = [];
  for (const [index, item] of value.entries()) {
    const { key, value: own } = fieldsOf(item);
    if (typeof key !== 'string') return refused(`headers[${index}].key must be a string`);
    if (key.length > headerNameLengthMax) {
      return refused(`headers[${index}].key has at most ${headerNameLengthMax} characters`);
    }
    if (!isWellFormed(key)) return refused(`headers[${index}].key contains an unpaired surrogate`);
    const bytes = parseBytes(own, `headers[${index}].value`, encoding);
    if (!bytes.ok) return bytes;
    headers.push({ name: key, value: bytes.value });
  }
  return ok(headers);
}

function byteLength({ key, value, headers }: ProduceRecord): number {
  let length = (key?.length ?? 0) + (value?.length ?? 0);
  for (const header of headers) {
    length += Buffer.byteLength(header.name) + (header.value?.length ?? 0);
  }
  return length;
}
