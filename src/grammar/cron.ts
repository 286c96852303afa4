/**
 * Cron expressions (messaging.md 7; crontab(5) for the five fields): exactly five fields, minutes
 * to days of the week, after an optional `CRON_TZ=Area/City ` (UTC without it). Pure.
 *
 * A cron names times on a wall clock, and a wall clock may be set. The rule, close to Vixie cron's:
 *
 * - Hours that are named (`30 2 * * *`) happen once for each wall-clock time: at the first of two
 *   that look the same, and at the end of the gap where the clock skips it (several in one gap are
 *   one).
 * - Any hour (the hour field begins with `*`: `*`, or every second one) follows what the clock
 *   shows: again in an hour that is shown again, never in one that is skipped.
 */
import { CronDate, type CronExpression, CronExpressionParser } from 'cron-parser';
import { LRUCache } from 'lru-cache';
import { ok, type Result, refused } from './result.js';

const minute = 60_000;
const day = 86_400_000;

const lengthMax = 256;
const prefixGrammar = /^CRON_TZ=(\S*)\s+(?=\S)/;
/** Names of the time-zone database; `local` and offsets, which the library takes, are none. */
const zoneGrammar = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const fieldGrammar = /^[A-Za-z0-9*,/?#-]+$/;
/** The library's `H` stands for a random value: the same text would mean another time each day. */
const randomValue = /(^|[^a-z])h([^a-z]|$)/i;

/** An expression that was understood and that has a next time. */
export interface Cron {
  /** The zone's name in the time-zone database. */
  readonly zone: string;
  /** Its next time after `afterMs`; both Unix milliseconds, the answer on a full minute. */
  nextTime(afterMs: number): number;
}

/** Schedules are many and their crons few: what was read is remembered, up to this many. */
const remembered = new LRUCache<string, Result<Cron>>({ max: 1024 });

/**
 * Reads an expression. Refuses other field counts, seconds, `@daily` and the like, random values,
 * unknown zones, and what never happens (30 February).
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

/** What the fields count, in their order, and how many of it there are. */
const fieldValues: readonly (readonly [string, number])[] = [
  ['minutes', 60],
  ['hours', 24],
  ['days of the month', 31],
  ['months', 12],
  ['days of the week', 7],
];

/**
 * Reads the expression of a new schedule. Beside what `parseCron` refuses, a step may not be beyond
 * its field: every 90 minutes would silently be every hour. Schedules of before go on as they were.
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
  if (zone === undefined) return refused(`names a time zone that there is not: ${named}`);
  const fields = text.slice(prefix?.[0].length ?? 0).split(/\s+/);
  if (fields.length !== 5) return refused('must have five fields: minute hour day month weekday');
  const wrong = fields.find((field) => !fieldGrammar.test(field) || randomValue.test(field));
  if (wrong !== undefined) return refused(`has a field that is no cron: ${wrong}`);
  const namesHours = !/^[*?]/.test(fields[1] ?? '');
  try {
    // The library walks over UTC, where no clock is ever set: it finds times on the wall.
    const expression = CronExpressionParser.parse(fields.join(' '), { tz: 'UTC', currentDate: 0 });
    expression.next();
    return ok(new ZonedCron(expression, zone, namesHours));
  } catch (error) {
    return refused(error instanceof Error ? `is no cron: ${error.message}` : 'is no cron');
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
   * Walks along the times when the clock is set. Between two of them the wall is a straight line;
   * at each one the rule says which part of the wall comes next.
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
        // Nothing happens before `at`: look again from close by, where the clock may be set.
        from = at - day;
        offset = this.offsetAt(from);
        wall = Math.max(wall, from + offset);
      }
    }
  }

  /** Named hours that a clock set back shows again have happened: the wall goes on after them. */
  private shownBefore(from: number, offset: number): number {
    if (!this.namesHours) return Number.NEGATIVE_INFINITY;
    const earlier = this.offsetAt(from - day);
    if (earlier <= offset) return Number.NEGATIVE_INFINITY;
    return this.clockSetIn(from - day, from, offset) + earlier;
  }

  /** The first minute in (`low`, `high`] that has the offset which `high` has. */
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

  /** The first match at or after `wall`, both as the clock shows them. */
  private nextOnWall(wall: number): number {
    this.expression.reset(new CronDate(wall - 1, 'UTC'));
    return this.expression.next().getTime();
  }

  /** What the wall is ahead of UTC at `time`, milliseconds. */
  private offsetAt(time: number): number {
    if (this.zone === 'UTC') return 0;
    return Math.round(new CronDate(time, this.zone).getUTCOffset()) * minute;
  }
}

/** The one spelling of a zone, or undefined; equal zones then share what the library keeps. */
function canonicalZone(name: string): string | undefined {
  if (!zoneGrammar.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
