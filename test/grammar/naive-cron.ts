/**
 * Cron as its rule is written, minute by minute: the model with which the real one is compared.
 * Wall-clock times come from the runtime's own calendar, not from the library under test.
 */
import fc from 'fast-check';

const minute = 60_000;

/** One field: its text and the values that it means. */
interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

/** An expression of five fields; the model never reads its text. */
export interface NaiveCron {
  readonly text: string;
  readonly fields: readonly [Field, Field, Field, Field, Field];
}

function every(from: number, until: number, step: number): Set<number> {
  const values = new Set<number>();
  for (let value = from; value <= until; value += step) values.add(value);
  return values;
}

/** `last` is the field's last value; named values are at most `max`. */
function field(min: number, max: number, last = max): fc.Arbitrary<Field> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max });
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  return fc.oneof(
    fc.constant({ text: '*', values: every(min, last, 1) }),
    step.map((by) => ({ text: `*/${by}`, values: every(min, last, by) })),
    value.map((one) => ({ text: `${one}`, values: new Set([one]) })),
    fc
      .uniqueArray(value, { minLength: 2, maxLength: 4 })
      .map((list) => ({ text: list.join(), values: new Set(list) })),
    range.map(([a, b]) => ({ text: `${a}-${b}`, values: every(a, b, 1) })),
    fc
      .tuple(range, step)
      .map(([[a, b], by]) => ({ text: `${a}-${b}/${by}`, values: every(a, b, by) })),
  );
}

/** Clocks are set at night. */
const nightHours = fc
  .uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1 })
  .map((list) => ({ text: list.join(), values: new Set(list) }));

const often = (text: string, values: ReadonlySet<number>, other: fc.Arbitrary<Field>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant({ text, values }) }, other);

/** Any expression; most name hours and minutes and leave the days open, as people's do. */
export const naiveCrons: fc.Arbitrary<NaiveCron> = fc
  .tuple(
    field(0, 59),
    fc.oneof(field(0, 23), nightHours),
    often('*', every(1, 31, 1), field(1, 28, 31)),
    often('*', every(1, 12, 1), field(1, 12)),
    often('*', every(0, 6, 1), field(0, 6)),
  )
  .map((fields) => ({ text: fields.map(({ text }) => text).join(' '), fields }));

/** Whether the expression names the wall-clock time, given as if it were UTC. */
function names({ fields }: NaiveCron, wall: number): boolean {
  const shown = new Date(wall);
  const [minutes, hours, days, months, weekdays] = fields;
  const isDay = days.values.has(shown.getUTCDate());
  const isWeekday = weekdays.values.has(shown.getUTCDay());
  const isRestricted = days.text !== '*' && weekdays.text !== '*';
  return (
    minutes.values.has(shown.getUTCMinutes()) &&
    hours.values.has(shown.getUTCHours()) &&
    months.values.has(shown.getUTCMonth() + 1) &&
    (isRestricted ? isDay || isWeekday : isDay && isWeekday)
  );
}

/** The time that a clock in `zone` shows at `time`, as if it were UTC. */
function shownAt(format: Intl.DateTimeFormat, time: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(time)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute: minutes = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minutes);
}

/** Every minute from `from` for `minutes`, with the wall-clock time. */
export class Wall {
  private readonly shown: readonly number[];

  constructor(
    readonly zone: string,
    readonly from: number,
    minutes: number,
  ) {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
    this.shown = Array.from({ length: minutes }, (_, index) =>
      shownAt(format, from + index * minute),
    );
  }

  /** When the clock was set: the first minutes that do not follow the one before. */
  get settings(): number[] {
    return this.shown.flatMap((wall, index) =>
      index > 0 && wall !== (this.shown[index - 1] ?? 0) + minute
        ? [this.from + index * minute]
        : [],
    );
  }

  /** Every time in this part of history according to the rule. */
  times(cron: NaiveCron): number[] {
    return /^\*/.test(cron.fields[1].text) ? this.asShown(cron) : this.onceEach(cron);
  }

  private asShown(cron: NaiveCron): number[] {
    return this.shown.flatMap((wall, index) =>
      names(cron, wall) ? [this.from + index * minute] : [],
    );
  }

  private onceEach(cron: NaiveCron): number[] {
    const times: number[] = [];
    let next = this.shown[0] ?? 0;
    for (const [index, wall] of this.shown.entries()) {
      let isTime = false;
      for (; next <= wall; next += minute) isTime ||= names(cron, next);
      if (isTime) times.push(this.from + index * minute);
    }
    return times;
  }
}
