/**
 * Reads the filters of listings and bulk actions strictly: an unknown name is refused, because a
 * typo must never mean "everything" (messaging.md 1.3). Pure.
 */

import { parseUrl } from '../grammar/destination.js';
import { isJsonObject, parseJson } from '../grammar/json.js';
import { ok, type Result, refused } from '../grammar/result.js';
import { decodeQueryValue, tokenParameters } from './dialect.js';

/** Reads all values of one filter, in order; none if the filter is absent. */
export type FilterReader<Value> = (values: readonly string[]) => Result<Value>;

/** The filters that an endpoint knows: readers by name. */
export type KnownFilters = Readonly<Record<string, FilterReader<unknown>>>;

/** The values that the readers returned, by name. */
export type Filters<Known extends KnownFilters> = {
  readonly [Name in keyof Known]: Known[Name] extends FilterReader<infer Value> ? Value : never;
};

type FilterValues = Map<string, string[]>;

/** One filter as it was written: its name and its values. */
export interface WrittenFilter {
  readonly name: string;
  readonly values: readonly string[];
}

/** Alternative spellings that some clients use (messaging.md 1.3). */
const otherSpellings: ReadonlyMap<string, string> = new Map([
  ['callerIP', 'callerIp'],
  ['failureCallbackState', 'failureFunctionState'],
]);

/**
 * The filters of a request: those in the query of its target (`/v2/dlq?label=a&label=b`, raw as
 * sent; a bearer token in it is not a filter) and those in its JSON body, where some clients send
 * them (`{"dlqIds": ["a", "b"]}`; an empty body has none). The reason of a refusal names the
 * filter.
 */
export function readFilters<Known extends KnownFilters>(
  requestTarget: string,
  known: Known,
  body: Buffer = noBody,
): Result<Filters<Known>> {
  const values: FilterValues = new Map();
  const reason = addQuery(values, requestTarget) ?? addBody(values, body);
  return reason === null ? judged(values, known) : refused(reason);
}

/** The filters in a JSON object, as they were written, without validation. */
export function writtenFilters(fields: object): Result<readonly WrittenFilter[]> {
  const given: FilterValues = new Map();
  const reason = addFields(given, fields);
  if (reason !== null) return refused(reason);
  return ok([...given].map(([name, values]) => ({ name, values })));
}

/** Like `readFilters`, for written filters: validates them against `known`. */
export function readWritten<Known extends KnownFilters>(
  written: readonly WrittenFilter[],
  known: Known,
): Result<Filters<Known>> {
  const given: FilterValues = new Map();
  for (const { name, values } of written) add(given, name, values);
  return judged(given, known);
}

function judged<Known extends KnownFilters>(
  values: FilterValues,
  known: Known,
): Result<Filters<Known>> {
  for (const name of values.keys()) {
    if (!Object.hasOwn(known, name)) return refused(`there is no filter ${JSON.stringify(name)}`);
  }
  const filters: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(known)) {
    const given = values.get(name) ?? [];
    if (given.includes('')) return refused(`${name} is empty`);
    const value = given.length > valuesMax ? tooMany : reader(given);
    if (!value.ok) return refused(`${name} ${value.message}`);
    filters[name] = value.value;
  }
  // The cast is safe: every known filter was read.
  return ok(filters as Filters<Known>);
}

/** Each item that is examined is compared with all values of a filter. */
const valuesMax = 16_384;
const tooMany = refused(`has more than ${valuesMax} values`);

/** A single text; null = absent. */
export const text: FilterReader<string | null> = (values) => single(values, null, ok);

/** A whole number: Unix milliseconds, a status; null = absent. */
export const integer: FilterReader<number | null> = (values) => single(values, null, wholeNumber);

/** Any of several texts, given one by one, since a URL may contain commas; null = absent. */
export const texts: FilterReader<readonly string[] | null> = (values) =>
  ok(values.length === 0 ? null : values);

/**
 * Any of several URLs, given one by one. Each counts both as written, which earlier versions
 * stored, and as a publish to it is called (`HTTP://Example.com/` goes to `http://example.com/`);
 * null = absent.
 */
export const urls: FilterReader<readonly string[] | null> = whenGiven(texts, (all) => {
  const selected = all.flatMap((each) => {
    const url = parseUrl(each);
    return url.ok ? [each, url.value.text] : [each];
  });
  return ok([...new Set(selected)]);
});

/** Any of several names, given one by one or separated by commas; null = absent. */
export const names: FilterReader<readonly string[] | null> = (values) => {
  if (values.length === 0) return ok(null);
  const all = values.flatMap((value) => value.split(',')).map((name) => name.trim());
  if (all.length > valuesMax) return tooMany;
  return all.includes('') ? refused('names nothing between two commas') : ok(all);
};

/** Applies `read` to the value that `reader` returns; null = absent. */
export function whenGiven<Given, Value>(
  reader: FilterReader<Given | null>,
  read: (given: Given) => Result<Value>,
): FilterReader<Value | null> {
  return (values) => {
    const given = reader(values);
    if (!given.ok) return given;
    return given.value === null ? ok(null) : read(given.value);
  };
}

/** Any of several whole numbers, given like `names`; null = absent. */
export const integers: FilterReader<readonly number[] | null> = whenGiven(names, (all) => {
  const numbers: number[] = [];
  for (const each of all) {
    const number = wholeNumber(each);
    if (!number.ok) return number;
    numbers.push(number.value);
  }
  return ok(numbers);
});

/**
 * How many rows to return or to act on: `standard` if absent, at most `max`. Zero is refused: it
 * would look like the end of a listing.
 */
export function count(standard: number, max: number): FilterReader<number> {
  return (values) =>
    single(values, standard, (given) => {
      const number = wholeNumber(given);
      if (!number.ok) return number;
      return number.value === 0 ? refused('must be at least 1') : ok(Math.min(number.value, max));
    });
}

/** One of a few words; null = absent. */
export function oneOf<Word extends string>(...words: readonly Word[]): FilterReader<Word | null> {
  return (values) =>
    single(values, null, (given) => {
      const word = words.find((each) => each === given);
      return word === undefined ? refused(`must be ${words.join(' or ')}`) : ok(word);
    });
}

/** Which end of a listing comes first; by default the newest. */
export const order: FilterReader<'latestFirst' | 'earliestFirst'> = (values) => {
  const word = oneOf('latestFirst', 'earliestFirst')(values);
  return word.ok ? ok(word.value ?? 'latestFirst') : word;
};

/** Filters by a destination; null = absent. */
export interface UrlFilters {
  readonly url: readonly string[] | null;
  /** With or without its port. */
  readonly host: readonly string[] | null;
  readonly path: readonly string[] | null;
}

/** Whether a destination matches the filters. The URLs must have been read by `urls`. */
export function matchesUrl(destination: string, { url, host, path }: UrlFilters): boolean {
  if (url !== null && !url.includes(destination)) return false;
  if (host === null && path === null) return true;
  const parts = new URL(destination);
  const isHost = (given: string) => {
    const lower = given.toLowerCase();
    return lower === parts.host || lower === parts.hostname;
  };
  return (host === null || host.some(isHost)) && (path === null || path.includes(parts.pathname));
}

const noBody = Buffer.alloc(0);

function single<Value>(
  values: readonly string[],
  absent: Value,
  parse: (given: string) => Result<Value>,
): Result<Value> {
  const [first] = values;
  if (first === undefined) return ok(absent);
  return values.length === 1 ? parse(first) : refused('is given more than once');
}

function wholeNumber(given: string): Result<number> {
  const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  return Number.isSafeInteger(number) ? ok(number) : refused('must be a whole number');
}

/** Adds the filters of a query; returns why it cannot be read, or null. */
function addQuery(values: FilterValues, requestTarget: string): string | null {
  const question = requestTarget.indexOf('?');
  if (question < 0) return null;
  for (const part of requestTarget.slice(question + 1).split('&')) {
    if (part === '') continue;
    const [name = '', ...rest] = part.split('=');
    const key = decodeQueryValue(name);
    const value = decodeQueryValue(rest.join('='));
    if (key === undefined || value === undefined) return 'the query is not valid UTF-8';
    if (!tokenParameters.includes(key)) add(values, key, [value]);
  }
  return null;
}

function addBody(values: FilterValues, body: Buffer): string | null {
  if (body.length === 0) return null;
  const json = parseJson(body);
  if (!json.ok) return json.message;
  if (!isJsonObject(json.value)) return 'the body must be an object of filters';
  return addFields(values, json.value);
}

function addFields(values: FilterValues, fields: object): string | null {
  for (const [name, field] of Object.entries(fields)) {
    const given: unknown[] = Array.isArray(field) ? field : [field];
    const written = given.map((value) => (typeof value === 'number' ? String(value) : value));
    if (!written.every((value) => typeof value === 'string')) {
      return `${name} must be a text, a number or an array of them`;
    }
    // An empty array differs from an absent filter: it would match nothing at all.
    if (written.length === 0) return `${name} is empty`;
    add(values, name, written);
  }
  return null;
}

function add(values: FilterValues, spelling: string, given: readonly string[]): void {
  const name = otherSpellings.get(spelling) ?? spelling;
  const earlier = values.get(name);
  if (earlier === undefined) values.set(name, [...given]);
  else for (const value of given) earlier.push(value);
}
