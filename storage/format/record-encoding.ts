/** Encodes a record into the body of a batch; `record.ts` has the grammar. */
import { TooLarge } from '../faults/storage-errors.js';
import { fixedLength, type RecordHeader, type RecordInput } from './record.js';

/** The limit for headers, for terms, and for the bytes of each name: each count has two bytes. */
const countMax = 0xffff;

/** Up to this length, a loop is cheaper than a native call. */
const shortText = 64;

/** UTF-8 bytes for one code unit of a string, at most. */
const bytesOfUnitMax = 3;

/**
 * How many bytes `record` takes in a batch. Throws `TooLarge` if the grammar cannot hold it, and
 * `RangeError` for a timestamp that is not finite.
 */
export function recordLength(record: RecordInput): number {
  if (record.timestamp !== undefined && !Number.isFinite(record.timestamp)) {
    throw new RangeError(`no timestamp: ${record.timestamp}`);
  }
  let length = fixedLength + keyLength(record.key) + (record.value?.length ?? 0);
  if (record.headers !== undefined) {
    checkCount('the number of headers', record.headers.length);
    for (const { name, value } of record.headers) {
      length += 6 + textLength('a header name', name) + (value?.length ?? 0);
    }
  }
  if (record.terms !== undefined) {
    checkCount('the number of index terms', record.terms.length);
    for (const term of record.terms) length += 2 + textLength('an index term', term);
  }
  return length;
}

function keyLength(key: RecordInput['key']): number {
  return typeof key === 'string' ? Buffer.byteLength(key) : (key?.length ?? 0);
}

function checkCount(what: string, count: number): void {
  if (count > countMax) throw new TooLarge(what, count, countMax);
}

function textLength(what: string, text: string): number {
  const length = Buffer.byteLength(text);
  checkCount(what, length);
  return length;
}

/** Writes a record, which takes its `recordLength`; returns the position of its end. */
export function encodeRecord(
  target: Buffer,
  start: number,
  record: RecordInput,
  offsetDelta: number,
  timestamp: number,
): number {
  const { key, value, headers, terms } = record;
  target.writeUInt32LE(offsetDelta, start + 4);
  target.writeDoubleLE(timestamp, start + 8);
  target.writeInt32LE(value === null ? -1 : value.length, start + 20);
  target.writeUInt16LE(headers === undefined ? 0 : headers.length, start + 24);
  target.writeUInt16LE(terms === undefined ? 0 : terms.length, start + 26);
  let position = start + fixedLength;
  if (typeof key === 'string') position += writeText(target, position, key);
  else if (key !== null) {
    target.set(key, position);
    position += key.length;
  }
  target.writeInt32LE(key === null ? -1 : position - start - fixedLength, start + 16);
  if (value !== null) {
    target.set(value, position);
    position += value.length;
  }
  if (headers !== undefined) position = encodeHeaders(target, position, headers);
  if (terms !== undefined) {
    for (const term of terms) position = encodeText(target, position, term);
  }
  target.writeUInt32LE(position - start - 4, start);
  return position;
}

function encodeHeaders(target: Buffer, start: number, headers: readonly RecordHeader[]): number {
  let position = start;
  for (const { name, value } of headers) {
    position = encodeText(target, position, name);
    target.writeInt32LE(value === null ? -1 : value.length, position);
    position += 4;
    if (value === null) continue;
    target.set(value, position);
    position += value.length;
  }
  return position;
}

function encodeText(target: Buffer, position: number, text: string): number {
  const length = writeText(target, position + 2, text);
  target.writeUInt16LE(length, position);
  return position + 2 + length;
}

/** The most bytes that a text may take. */
export function textBytesMax(text: string): number {
  return text.length * bytesOfUnitMax;
}

/** Writes a text at `start`, and returns its number of bytes. */
export function writeText(target: Buffer, start: number, text: string): number {
  const { length } = text;
  if (length > shortText) return target.write(text, start);
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return target.write(text, start);
    target[start + index] = code;
  }
  return length;
}
