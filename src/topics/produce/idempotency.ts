/**
 * The `Idempotency-Key`, and how a repeated request is recognized by the terms that it left in the
 * logs (topics.md 2.5). Pure.
 */
import { createHash } from 'node:crypto';
import { ok, type Result, refused } from '../../grammar/result.js';
import type { ProduceRecord } from './produce.request.js';

const grammar = /^[\x20-\x7e]{1,200}$/;

/** Parses the header's value: a text that the client invents, and repeats with the request. */
export function parseIdempotencyKey(text: string): Result<string> {
  return grammar.test(text)
    ? ok(text)
    : refused('Idempotency-Key must have 1 to 200 printable ASCII characters');
}

/** Identifies the records of one topic in a request, and stores what was chosen for them. */
export interface RequestMark {
  /** The number of partitions among which the records were spread. */
  readonly partitions: number;
  /**
   * Unix milliseconds: the timestamp of records without their own, no matter when they are
   * appended.
   */
  readonly at: number;
  /** `digestOf` all records of the request for the topic. */
  readonly digest: string;
}

/** The index term by which the first record of each part is found. */
export function keyTerm(key: string): string {
  return `idempotency:${key}`;
}

/** The index term of the mark, stored with the key's term in the same record. */
export function markTerm({ partitions, at, digest }: RequestMark): string {
  return `request:${partitions}:${at}:${digest}`;
}

/** Finds the mark among the terms of a record; undefined = none. */
export function markAmong(terms: readonly string[]): RequestMark | undefined {
  for (const term of terms) {
    const [, partitions, at, digest] = /^request:(\d+):(\d+):([\w-]+)$/.exec(term) ?? [];
    if (digest !== undefined) return { partitions: Number(partitions), at: Number(at), digest };
  }
  return undefined;
}

/**
 * A digest that is equal for requests with the same records in the same order, however they are
 * spelled.
 */
export function digestOf(records: readonly ProduceRecord[]): string {
  const hash = createHash('sha256');
  const addBytes = (bytes: Buffer | null) => {
    hash.update(bytes === null ? 'null;' : `${bytes.length};`);
    if (bytes !== null) hash.update(bytes);
  };
  for (const { partition, timestamp, key, value, headers } of records) {
    hash.update(`${partition};${timestamp};${headers.length};`);
    addBytes(key);
    addBytes(value);
    for (const header of headers) {
      addBytes(Buffer.from(header.name));
      addBytes(header.value);
    }
  }
  return hash.digest('base64url');
}
