/** Reads and checks the query of `/tail/{topic}`. Pure. */
import { parseUtcTime } from '../../grammar/iso-time.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { type FilterReader, integer, readFilters, text } from '../../http/query-filters.js';

/** Where a tail starts in each partition. */
export type TailStart =
  /** This many of the newest records, of all partitions together. */
  | { readonly newest: number }
  | { readonly offset: number }
  /** Unix milliseconds: the first record at or after this time. */
  | { readonly time: number };

/** Which records of a topic to send. */
export interface TailQuestion {
  readonly start: TailStart;
  /** null = all partitions. */
  readonly partition: number | null;
  /** Only records with this key; null = any key. */
  readonly key: string | null;
  /** Only records whose value contains this text; null = any value. */
  readonly contains: string | null;
}

const newestMax = 10_000;
const containsLengthMax = 1024;

/** A number with up to 11 digits is an offset; times have more digits, twelve even in 2001. */
const offsetForm = /^\d{1,11}$/;
const timeForm = /^\d{12,15}$/;

const start: FilterReader<TailStart> = (values) => {
  const given = text(values);
  if (!given.ok) return given;
  const word = given.value ?? 'newest';
  if (word === 'newest') return ok({ newest: 0 });
  if (word === 'earliest') return ok({ offset: 0 });
  const [, count = ''] = /^newest-(\d{1,5})$/.exec(word) ?? [];
  if (count !== '') {
    const newest = Number(count);
    return newest <= newestMax ? ok({ newest }) : refused(`is more than newest-${newestMax}`);
  }
  if (offsetForm.test(word)) return ok({ offset: Number(word) });
  const time = timeForm.test(word) ? ok(Number(word)) : parseUtcTime(word);
  return time.ok
    ? ok({ time: time.value })
    : refused('is not newest, newest-50, earliest, an offset, Unix milliseconds or a date');
};

/** The next offsets by partition, as the reader of a stream reports them. */
export type TailHad = ReadonlyMap<number, number>;

/** Parses `Last-Event-ID`, as `TailStream` makes it; an absent header gives an empty map. */
export function parseLastId(header: string | readonly string[] | undefined): Result<TailHad> {
  const had = new Map<number, number>();
  if (header === undefined || header === '') return ok(had);
  for (const part of String(header).split(',')) {
    const [, partition, next] = /^(\d{1,5}):(\d{1,15})$/.exec(part) ?? [];
    if (partition === undefined)
      return refused('the header Last-Event-ID is not the id of an event');
    had.set(Number(partition), Number(next));
  }
  return ok(had);
}

/** Parses `from`, `partition`, `key` and `contains`. */
export function parseTailQuery(target: string): Result<TailQuestion> {
  const filters = readFilters(target, {
    from: start,
    partition: integer,
    key: text,
    contains: text,
  });
  if (!filters.ok) return filters;
  const { from, partition, key, contains } = filters.value;
  if (contains !== null && contains.length > containsLengthMax) {
    return refused(`contains is longer than ${containsLengthMax} characters`);
  }
  return ok({ start: from, partition, key, contains });
}
