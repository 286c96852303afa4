/** Reads which times or results of a schedule are requested (messaging.md 7.1). Pure. */
import { z } from 'zod';
import { type Cron, parseNewCron } from '../../grammar/cron.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import { count, integer, readFilters } from '../../http/query-filters.js';

const timesStandard = 5;
const timesMax = 1000;
const resultsStandard = 10;
const resultsMax = 50;
/** The year 9999: cron expressions are not evaluated beyond it. */
const latestTime = 253_370_764_800_000;

/** The start, Unix milliseconds (null = now), and the number of times. */
export interface TimesQuery {
  readonly from: number | null;
  readonly count: number;
}

/** The body of `POST /v2/schedules/preview`, as the OpenAPI document shows it, too. */
export const previewSchema = z.strictObject({
  cron: z.string(),
  zone: z.string().describe('Time zone as Area/City, if the expression names none').optional(),
  count: z.int().min(1).max(timesMax).default(timesStandard).optional(),
  from: z.int().min(0).max(latestTime).describe('Unix milliseconds; default now').optional(),
});

/** Parses `?count=&from=`: by default 5 times from now, at most 1,000. */
export function parseTimesQuery(requestTarget: string): Result<TimesQuery> {
  const known = { from: integer, count: count(timesStandard, timesMax) };
  const query = readFilters(requestTarget, known);
  if (!query.ok) return query;
  return (query.value.from ?? 0) > latestTime ? refused('from is too late') : query;
}

/** Parses `?count=`: 10 by default, at most 50. */
export function parseResultsQuery(requestTarget: string): Result<{ readonly count: number }> {
  return readFilters(requestTarget, { count: count(resultsStandard, resultsMax) });
}

/** The query of a preview: the expression is as a schedule would keep it. */
export interface Preview extends TimesQuery {
  readonly expression: string;
  readonly cron: Cron;
}

/** Parses `{"cron", "zone"?, "count"?, "from"?}`; refused if two time zones are named. */
export function parsePreview(body: Buffer): Result<Preview> {
  const read = readJsonBody(body, previewSchema);
  if (!read.ok) return read;
  const { cron: text, zone, count: given = timesStandard, from = null } = read.value;
  const isNamed = text.trimStart().startsWith('CRON_TZ=');
  if (zone !== undefined && isNamed)
    return refused('zone is given, but the cron already names one');
  const expression = zone === undefined ? text.trim() : `CRON_TZ=${zone} ${text.trim()}`;
  const cron = parseNewCron(expression);
  if (!cron.ok) return cron.of('the cron expression');
  return ok({ expression, cron: cron.value, count: given, from });
}
