/**
 * Cron expressions (messaging.md 7; crontab(5) for the five fields): exactly five fields, minutes
 * to days of the week, after an optional `CRON_TZ=Area/City ` (UTC without it). Pure.
 *
 * A cron names times on a wall clock, and a wall clock may be set. The rule, close to Vixie cron's:
 *
 * - Named hours (`30 2 * * *`) happen once for each wall-clock time: at the first of two moments
 *   that show the same time, and at the end of the gap if the clock skips the time (several times
 *   in one gap happen once).
 * - Any hour (an hour field that begins with `*`: every hour, or every second one) follows the
 *   clock: again in an hour that is shown twice, never in one that is skipped.
 */
import { CronDate, type CronExpression, CronExpressionParser } from 'cron-parser';
import { LRUCache } from 'lru-cache';
import { ok, type Result, refused } from './result.js';

const minute = 60_000;
const day = 86_400_000;

const lengthMax = 256;
const prefixGrammar = /^CRON_TZ=(\S*)\s+(?=\S)/;
/** Names of the time-zone database; excludes `local` and offsets, which the library accepts. */
const zoneGrammar = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const fieldGrammar = /^[A-Za-z0-9*,/?#-]+$/;
/** The library's `H` is a random value: the same text would mean another time each day. */
const randomValue = /(^|[^a-z])h([^a-z]|$)/i;

/** A valid expression that has a next time. */
export interface Cron {
  /** The zone's name in the time-zone database. */
  readonly zone: string;
  /** Its next time after `afterMs`; both are Unix milliseconds, the result on a full minute. */
  nextTime(afterMs: number): number;
}

/** There are many schedules but few distinct crons: up to this many parsed ones are cached. */
const remembered = new LRUCache<string, Result<Cron>>({ max: 1024 });

/**
 * Parses an expression. Refuses other field counts, seconds, `@daily` and the like, random values,
 * unknown zones, and times that never occur (30 February).
 */
export function parseCron(text: string): Result<Cron> {
  const trimmed = text.trim();
  if (trimmed.length > lengthMax) return refused(`is longer than ${lengthMax} characters`);
  const known = remembered.get(trimmed);
  if (known !== undefined) return known;
  const cron = readCron(trimmed);
  remembered.set(trimmed, cron);
  return cron;
}

/** What each field counts, in order, and how many values it has. */
const fieldValues: readonly (readonly [string, number])[] = [
  ['minutes', 60],
  ['hours', 24],
  ['days of the month', 31],
  ['months', 12],
  ['days of the week', 7],
];

/**
 * Parses the expression of a new schedule. In addition to what `parseCron` refuses, a step must not
 * exceed its field: every 90 minutes would silently be every hour. Earlier schedules stay valid.
 */
export function parseNewCron(text: string): Result<Cron> {
  const cron = parseCron(text);
  if (!cron.ok) return cron;
  const fields = text.trim().split(/\s+/).slice(-fieldValues.length);
  for (const [index, [values, count]] of fieldValues.entries()) {
    for (const [, step = ''] of (fields[index] ?? '').matchAll(/\/(\d+)/g)) {
      if (Number(step) <= count) continue;
      return refused(`has steps of ${step} in its ${values}, of which there are ${count}`);
    }
  }
  return cron;
}

function readCron(text: string): Result<Cron> {
  const prefix = prefixGrammar.exec(text);
  const named = prefix?.[1] ?? 'UTC';
  if (named === '') return refused('names no time zone (CRON_TZ=Area/City)');
  const zone = canonicalZone(named);
  if (zone === undefined) return refused(`names an unknown time zone: ${named}`);
  const fields = text.slice(prefix?.[0].length ?? 0).split(/\s+/);
  if (fields.length !== 5) return refused('must have five fields: minute hour day month weekday');
  const wrong = fields.find((field) => !fieldGrammar.test(field) || randomValue.test(field));
  if (wrong !== undefined) return refused(`has an invalid field: ${wrong}`);
  const namesHours = !/^[*?]/.test(fields[1] ?? '');
  try {
    // The library works in UTC, where no clock is ever set: it finds wall-clock times.
    const expression = CronExpressionParser.parse(fields.join(' '), { tz: 'UTC', currentDate: 0 });
    expression.next();
    return ok(new ZonedCron(expression, zone, namesHours));
  } catch (error) {
    return refused(
      error instanceof Error
        ? `is not a valid cron expression: ${error.message}`
        : 'is not a valid cron expression',
    );
  }
}

class ZonedCron implements Cron {
  private latestFrom = Number.NaN;
  private latestTime = Number.NaN;

  constructor(
    private readonly expression: CronExpression,
    readonly zone: string,
    private readonly namesHours: boolean,
  ) {}

  nextTime(afterMs: number): number {
    const from = Math.floor(afterMs / minute) * minute;
    if (from !== this.latestFrom) {
      this.latestTime = this.find(from);
      this.latestFrom = from;
    }
    return this.latestTime;
  }

  /**
   * Walks along the moments when the clock is set. Between two of them the wall clock runs straight
   * on; at each of them the rule says which wall-clock time comes next.
   */
  private find(after: number): number {
    let from = after;
    let offset = this.offsetAt(from);
    let wall = Math.max(from + minute + offset, this.shownBefore(from, offset));
    for (;;) {
      const at = Math.max(from, this.nextOnWall(wall) - offset);
      const until = Math.min(at, from + day);
      const later = this.offsetAt(until);
      if (later !== offset) {
        from = this.clockSetIn(from, until, later);
        wall = from + (this.namesHours ? offset : later);
        offset = later;
      } else if (until === at) {
        return at;
      } else {
        // Nothing happens before `at`: look again from shortly before it, as the clock may be set.
        from = at - day;
        offset = this.offsetAt(from);
        wall = Math.max(wall, from + offset);
      }
    }
  }

  /** Named hours that a clock set back shows again have already happened: continue after them. */
  private shownBefore(from: number, offset: number): number {
    if (!this.namesHours) return Number.NEGATIVE_INFINITY;
    const earlier = this.offsetAt(from - day);
    if (earlier <= offset) return Number.NEGATIVE_INFINITY;
    return this.clockSetIn(from - day, from, offset) + earlier;
  }

  /** The first minute in (`low`, `high`] that has the same offset as `high`. */
  private clockSetIn(low: number, high: number, offset: number): number {
    let before = low;
    let since = high;
    while (since - before > minute) {
      const middle = before + Math.floor((since - before) / 2 / minute) * minute;
      if (this.offsetAt(middle) === offset) since = middle;
      else before = middle;
    }
    return since;
  }

  /** The first match at or after `wall`, both as wall-clock times. */
  private nextOnWall(wall: number): number {
    this.expression.reset(new CronDate(wall - 1, 'UTC'));
    return this.expression.next().getTime();
  }

  /** How far the wall clock is ahead of UTC at `time`, milliseconds. */
  private offsetAt(time: number): number {
    if (this.zone === 'UTC') return 0;
    return Math.round(new CronDate(time, this.zone).getUTCOffset()) * minute;
  }
}

/** The canonical name of a zone, or undefined; equal zones then share what the library caches. */
function canonicalZone(name: string): string | undefined {
  if (!zoneGrammar.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
