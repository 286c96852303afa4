/** The disk after a month, beside what retention asks for. */

import type { Figure, Measurement } from '../../measure/measurement.js';
import { type DayEnd, passMonth } from '../../month/month.js';
import { totalOf } from '../../month/used-disk.js';

const mebibyte = 1024 ** 2;
const days = 30;
const stepsOfDay = 12;

/** Before that what is older than retention was never swept. */
const firstSweptDay = 10;

/** A server of 500 messages/s fills some 30,000 in a month; this one has so many. */
const segmentsOfMonth = 4000;
const bytesPerMessage = 1600;

/** `messages` are those of the whole month. */
export function monthMeasurements(messages: number): readonly Measurement[] {
  const daily = Math.round(messages / days);
  const segmentKibibytes = Math.ceil((messages * bytesPerMessage) / segmentsOfMonth / 1024);
  const segments = `segments of ${segmentKibibytes} KiB`;
  return [
    {
      scenario: 'month',
      name: `${days} days of ${daily.toLocaleString('en')} messages, ${segments}`,
      isLong: true,
      async measure({ directory }) {
        const segmentBytes = segmentKibibytes * 1024;
        const settings = { directory, days, messages: daily, stepsOfDay, segmentBytes };
        const { days: ends, problems } = await passMonth(settings);
        if (problems.length > 0) throw new Error(problems.join('\n'));
        return figuresOf(ends);
      },
    },
  ];
}

function figuresOf(ends: readonly DayEnd[]): readonly Figure[] {
  const last = ends.at(-1);
  if (last === undefined) return [];
  const { used, asked } = last;
  const highest = Math.max(...ends.slice(firstSweptDay).map(ratioOf));
  const figure = (name: string, value: number, goal: Figure['goal'] = null) => ({
    name,
    value,
    goal,
  });
  return [
    figure('retention asks for, of the journal, MiB', asked.journal / mebibyte),
    figure('retention asks for, of topics, MiB', asked.topics / mebibyte),
    ...Object.entries(used).map(([part, bytes]) => figure(`disk: ${part}, MiB`, bytes / mebibyte)),
    figure('disk over what is asked for', ratioOf(last), { atMost: 1.1 }),
    figure(`the same, the highest from day ${firstSweptDay} on`, highest, { atMost: 1.1 }),
  ];
}

const ratioOf = ({ used, asked }: DayEnd) => totalOf(used) / (asked.journal + asked.topics);
