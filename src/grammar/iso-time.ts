/**
 * Times as people write them: `2027-01-31`, `2027-01-31T08:00Z`, `2027-01-31T08:00:00.5+01:00`.
 * `Date.parse` alone accepts nearly anything: it reads `-5` as a day of 2001. Pure.
 */
import { ok, type Result, refused } from './result.js';

const hour = '(?:[01]\\d|2[0-3])';
const minute = '[0-5]\\d';
const date = '(\\d{4}-\\d{2}-\\d{2})';
const clock = `(${hour}:${minute})(?::(${minute})(?:\\.(\\d{1,9}))?)?`;
const zone = `(?:Z|([+-])(${hour}):?(${minute}))`;
const form = new RegExp(`^${date}(?:T${clock}${zone})?$`);

/**
 * Parses an ISO 8601 date, which means midnight UTC, or a date and a time with a zone: `Z`, or the
 * offset from UTC. Returns Unix milliseconds; smaller fractions are cut off.
 */
export function parseIsoTime(text: string): Result<number> {
  const [, day = '', time = '00:00', seconds = '00', fraction = '', sign, ahead, aheadMinutes] =
    form.exec(text) ?? [];
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const utc = Date.parse(`${day}T${time}:${seconds}.${milliseconds}Z`);
  // `Date.parse` reads a day that the month does not have as one of the next month.
  if (Number.isNaN(utc) || !new Date(utc).toISOString().startsWith(day)) {
    return refused(
      'is neither a date like 2027-01-31 nor a time with its zone like 2027-01-31T08:00Z',
    );
  }
  const aheadMs = (Number(ahead ?? 0) * 60 + Number(aheadMinutes ?? 0)) * 60_000;
  return ok(sign === '-' ? utc + aheadMs : utc - aheadMs);
}

/** A day, optionally followed by `T` or a blank and a time, which may lack its zone. */
const utcForm = /^(.{10})(?:[T ](.*?)(Z|[+-][\d:]+)?)?$/;

/** Like `parseIsoTime`, but UTC if the text has no zone; a blank may replace the `T`. */
export function parseUtcTime(text: string): Result<number> {
  const [, day = '', clock, zone = 'Z'] = utcForm.exec(text) ?? [];
  return parseIsoTime(clock === undefined ? day : `${day}T${clock}${zone}`);
}
