/** When a schedule fires within a week, by day and hour of its own zone. Pure. */
import { dayAndHour } from '../time/zones.ts';

/** How many days it looks ahead, today included. */
export const heatDays = 7;

/** What `HeatStrip` draws. */
export interface Heat {
  /** From today on, `heatDays` of them. */
  readonly days: readonly HeatDay[];
  /** Of the busiest hour. */
  readonly max: number;
}

/** A day in the zone of the schedule. */
export interface HeatDay {
  /** `Mon 23`. */
  readonly name: string;
  /** How often it fires in each of its 24 hours. */
  readonly hours: readonly number[];
}

const hourMs = 3_600_000;

/** Times are Unix milliseconds; those beyond the week are left out. */
export function heatOf(times: readonly number[], zone: string, from: number): Heat {
  const days = new Map<string, number[]>();
  // Hour by hour, so that days without a time are there, and one that is 23 hours long is one.
  for (let at = from; days.size <= heatDays; at += hourMs) {
    const { day } = dayAndHour(at, zone);
    if (!days.has(day)) days.set(day, new Array<number>(24).fill(0));
  }
  const shown = [...days].slice(0, heatDays);
  const byName = new Map(shown);
  for (const at of times) {
    const { day, hour } = dayAndHour(at, zone);
    const hours = at - from < heatDays * 24 * hourMs ? byName.get(day) : undefined;
    if (hours !== undefined) hours[hour] = (hours[hour] ?? 0) + 1;
  }
  const max = Math.max(0, ...shown.flatMap(([, hours]) => hours));
  return { days: shown.map(([name, hours]) => ({ name, hours })), max };
}
