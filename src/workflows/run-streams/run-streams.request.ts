/** Reads and checks the queries and bodies of requests about streams of runs. Pure. */
import { z } from 'zod';
import { parseDuration } from '../../grammar/duration.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import { readFilters, text } from '../../http/query-filters.js';
import { parseRunLogQuery, type RunLogQuery } from '../logs/run-logs.request.js';

/** Bytes shown of each body: the default, and the maximum. */
const trimStandard = 64 * 1024;
const trimMax = 1024 * 1024;

/** How long a public token is valid: the default, and the maximum. */
const goodMsStandard = 60 * 60 * 1000;
const goodMsMax = 7 * 24 * goodMsStandard;

/** Which rows a stream sends, from its query, which has only `trimBody`. */
export function parseStreamQuery(target: string): Result<RunLogQuery> {
  const filters = readFilters(target, { trimBody: text });
  if (!filters.ok) return filters;
  const given = filters.value.trimBody ?? `${trimStandard}`;
  if (Number(given) > trimMax) return refused(`trimBody must be at most ${trimMax}`);
  return parseRunLogQuery(`/?trimBody=${encodeURIComponent(given)}`);
}

/** The body of a request for a token; it may be empty. */
export const runTokenSchema = z.strictObject({
  expiresIn: z.string().optional().describe('A duration, at most 7d; default 1h'),
});

/** How long a public token shall be valid, in milliseconds; an empty body means the default. */
export function parseTokenRequest(body: Buffer): Result<number> {
  const request = readJsonBody(body.length === 0 ? Buffer.from('{}') : body, runTokenSchema);
  if (!request.ok) return request;
  const { expiresIn } = request.value;
  const duration = expiresIn === undefined ? ok(goodMsStandard) : parseDuration(expiresIn);
  if (!duration.ok) return duration.of('expiresIn');
  const isGood = duration.value > 0 && duration.value <= goodMsMax;
  return isGood ? duration : refused('expiresIn must be more than 0s and at most 7d');
}
