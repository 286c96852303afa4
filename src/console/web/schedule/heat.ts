/** When a schedule fires within a week, by day and hour of its own zone. Pure. */
import { dayAndHour } from '../time/zones.ts';

/** How many days are shown, including today. */
export const heatDays = 7;

/** The data for `HeatStrip`. */
export interface Heat {
  /** `heatDays` days, starting today. */
  readonly days: readonly HeatDay[];
  /** The count of the busiest hour. */
  readonly max: number;
}

/** A day in the zone of the schedule. */
export interface HeatDay {
  /** `Mon 23`. */
  readonly name: string;
  /** How often the schedule fires in each of the 24 hours. */
  readonly hours: readonly number[];
}

const hourMs = 3_600_000;

/** Times are in Unix ms; those after the week are left out. */
export function heatOf(times: readonly number[], zone: string, from: number): Heat {
  const days = new Map<string, number[]>();
  // Step by hours, so that days without a time are included, and also a day of 23 hours.
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
