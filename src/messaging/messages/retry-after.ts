/**
 * When a destination asks to be tried again: `Retry-After` and the `X-RateLimit-Reset` family
 * (messaging.md 4.4). These come from third parties: values that cannot be read are ignored. Pure.
 */

/** A request for a longer wait is ignored. */
const dayMs = 86_400_000;
const lengthMax = 64;

const rateLimitNames = new Set([
  'x-ratelimit-reset',
  'x-ratelimit-reset-requests',
  'x-ratelimit-reset-tokens',
]);

const goUnitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // micro sign, U+00B5
  μs: 1e-3, // Greek mu, U+03BC
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const goDuration = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/;
const goPart = /([\d.]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;
const httpDate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait in milliseconds that response headers (flat name, value pairs) request at `now` (Unix
 * milliseconds). `Retry-After` wins; without one, the largest of the rate-limit resets counts.
 * Undefined = none was sent, or none that is readable and at most a day.
 */
export function retryAfterMs(headers: readonly string[], now: number): number | undefined {
  let longest: number | undefined;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? '';
    const value = headers[index + 1] ?? '';
    if (name === 'retry-after') return parseRetryAfter(value, now);
    if (!rateLimitNames.has(name)) continue;
    const wait = parseRetryAfter(value, now);
    if (wait !== undefined && (longest === undefined || wait > longest)) longest = wait;
  }
  return longest;
}

/**
 * One value: whole seconds, an RFC 1123 date or a Go duration (`1m30s`, `500ms`, `1.5h`) -> whole
 * milliseconds from `now`. Undefined for a date in the past, garbage, and more than a day.
 */
export function parseRetryAfter(text: string, now: number): number | undefined {
  const value = text.trim();
  if (value.length > lengthMax) return undefined;
  const wait = Math.ceil(waitOf(value, now));
  return wait >= 0 && wait <= dayMs ? wait : undefined;
}

function waitOf(value: string, now: number): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (httpDate.test(value)) return Date.parse(value) - now;
  if (value === '' || !goDuration.test(value)) return Number.NaN;
  let total = 0;
  for (const [, amount, unit] of value.matchAll(goPart)) {
    total += Number(amount) * (goUnitMs[unit ?? ''] ?? Number.NaN);
  }
  return total;
}
