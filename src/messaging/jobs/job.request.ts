/** Parses the body of a request for a job (messaging.md 13). Pure. */
import { z } from 'zod';
import { isWellFormed } from '../../grammar/json.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import { cursorFilter, offsetPlace, readCursor } from '../../http/cursor.js';
import { optionOf } from '../../http/dialect.js';
import { readJsonBody } from '../../http/json-body.js';
import { count, writtenFilters } from '../../http/query-filters.js';
import type { JobFilter } from './job.events.js';

const rateMax = 10_000;

/** Limit for the size of filters and of options: every listing of jobs shows filters. */
const charactersMax = 16 * 1024;

/** As many characters, each of them escaped, and the rest of the body. */
const bodyBytesMax = 8 * charactersMax;
const tooLarge = new Refusal('too_large', `the body is longer than ${bodyBytesMax} bytes`);

const filterValue = z.union([z.string(), z.number()]);

/** The body of `POST /v2/jobs`. The table of verbs decides which verb fits which kind of items. */
export const jobSchema = z
  .strictObject({
    verb: z
      .enum(['retry', 'resume', 'restart', 'cancel', 'delete'])
      .describe('deadLetters: retry, delete; failedRuns: resume, restart, delete; others: cancel'),
    over: z
      .enum(['deadLetters', 'failedRuns', 'messages', 'runs'])
      .describe('The kind of items that the job processes'),
    filter: z
      .record(z.string(), z.union([filterValue, z.array(filterValue)]))
      .describe('Filters of the listing, all of which must match; {} matches everything'),
    rate: z
      .union([z.number(), z.string()])
      .optional()
      .describe('Maximum rate: 50 or 50/s for items per second; also 30/m and 100/h'),
    dryRun: z
      .boolean()
      .optional()
      .describe('true: answers what the job would process, and changes nothing'),
    cursor: z.string().optional().describe('The cursor of the previous dry run, to continue it'),
  })
  .meta({ id: 'JobRequest' });

/** A job as it is requested. */
export interface JobRequest {
  readonly verb: string;
  readonly over: string;
  readonly filters: readonly JobFilter[];
  /** Items per second; null = not limited. */
  readonly rate: number | null;
  readonly isDryRun: boolean;
  /** Where the previous dry run ended; null = from the first item on. */
  readonly position: number | null;
}

/** Parses `{"verb", "over", "filter", "rate"?, "dryRun"?, "cursor"?}`. */
export function parseJob(body: Buffer): Result<JobRequest> {
  // The schema is applied to every filter, however many there are.
  if (body.length > bodyBytesMax) return tooLarge;
  const request = readJsonBody(body, jobSchema);
  if (!request.ok) return request;
  const { verb, over, filter, dryRun: isDryRun = false, cursor } = request.value;
  const filters = writtenFilters(filter);
  if (!filters.ok) return filters;
  if (JSON.stringify(filters.value).length > charactersMax) {
    return refused(`filter has more than ${charactersMax} characters`);
  }
  const isText = ({ name, values }: JobFilter) => [name, ...values].every(isWellFormed);
  if (!filters.value.every(isText)) return refused('filter contains an unpaired surrogate');
  const rate = parseRate(request.value.rate);
  if (!rate.ok) return rate;
  if (cursor !== undefined && !isDryRun) return refused('cursor is only for dry runs');
  const position = cursor === undefined ? ok(null) : readCursor(cursor, offsetPlace);
  if (!position.ok) return refused('cursor is not a cursor of a dry run');
  return ok({
    verb,
    over,
    filters: filters.value,
    rate: rate.value,
    isDryRun,
    position: position.value,
  });
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Parses a rate into items per second. */
function parseRate(given: number | string | undefined): Result<number | null> {
  if (given === undefined) return ok(null);
  const [, amount, unit = 's'] = /^(\d{1,6}(?:\.\d{1,3})?)(?:\/([smh]))?$/.exec(`${given}`) ?? [];
  const rate = Number(amount) / (secondsOf[unit] ?? 1);
  if (Number.isNaN(rate) || rate === 0) return refused('rate must be like 50, 50/s, 30/m or 100/h');
  return rate > rateMax ? refused(`rate is more than ${rateMax} a second`) : ok(rate);
}

/** The option headers of a request, names and values in turn, without those of telemetry. */
export function optionPairs(rawHeaders: readonly string[]): Result<readonly string[]> {
  const pairs: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const option = optionOf(name);
    if (option === null || option.startsWith('telemetry-')) continue;
    pairs.push(name, value);
  }
  return JSON.stringify(pairs).length > charactersMax
    ? refused(`the option headers have more than ${charactersMax} characters`)
    : ok(pairs);
}

const jobId = /^job_[0-9A-Z]{1,64}$/;

/** The query of a listing; `cursor` is the id of the last job of the previous page. */
export const jobListFilters = {
  count: count(100, 100),
  cursor: cursorFilter((place) => (jobId.test(place) ? place : null)),
} as const;
