/** Measurements for each minute of the last day; in memory, so they begin with the process. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.js';
import { UnreadMetrics } from '../../engine/metrics/unread-metrics.js';
import { provided } from '../../engine/provided.js';
import { MetricReader, type Reading } from './metric-reader.js';
import { type SeriesName, seriesNames, seriesTable } from './series-table.js';

/** The time that one value covers, in ms. */
export const minuteMs = 60_000;
/** How many minutes are kept: a day. Longer steps of a page are combined from them. */
export const minutesMax = 24 * 60;

/** A timer fires up to a millisecond early, and corrections of the clock are larger than that. */
const earlyMs = 10_000;

/** Points of one or more series, from a time on. */
export interface SeriesPage {
  /** The start of the first step, in Unix ms. */
  readonly from: number;
  readonly stepMs: number;
  /** By name, one value for each step; null = unknown. */
  readonly series: Readonly<Partial<Record<SeriesName, readonly (number | null)[]>>>;
}

/**
 * Uses about 12 KB for each series, whatever the load. The value is null for a minute in which the
 * process did not run.
 */
@Injectable()
export class SeriesStore {
  private readonly values = new Map<SeriesName, Float64Array>();
  /** The minute that each place holds, as the clock may be changed. */
  private readonly minutes = new Float64Array(minutesMax).fill(-1);
  private cancel: () => void = () => undefined;
  private readonly unread: UnreadMetrics;

  constructor(
    private readonly reader: MetricReader,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) log: Logger,
  ) {
    this.unread = new UnreadMetrics(log, '/admin/series has no values for these minutes');
    for (const name of seriesNames) this.values.set(name, new Float64Array(minutesMax));
  }

  /** Measures at the end of every minute from now on. */
  start(): void {
    this.measureBefore(Math.floor(this.clock.now() / minuteMs) + 1);
  }

  /** Stops measuring; existing values stay readable. */
  stop(): void {
    this.cancel();
  }

  /** The steps of [from, now], including the one in progress. */
  async page(names: readonly SeriesName[], from: number, stepMs: number): Promise<SeriesPage> {
    const now = this.clock.now();
    const current = await this.reader.read(false);
    const first = Math.floor(from / stepMs) * stepMs;
    const series: Partial<Record<SeriesName, readonly (number | null)[]>> = {};
    for (const name of names) {
      const points: (number | null)[] = [];
      for (let at = first; at <= now; at += stepMs) {
        const known = this.valuesIn(name, at, stepMs);
        const isCurrent = at + stepMs > now && current[name] !== null;
        if (isCurrent) known.push(current[name] ?? 0);
        points.push(combined(name, known));
      }
      series[name] = points;
    }
    return { from: first, stepMs, series };
  }

  /** Measures when the minute `next` begins: the values are those of the minute before. */
  private measureBefore(next: number): void {
    this.cancel = this.clock.after(next * minuteMs - this.clock.now(), () => {
      const minute = Math.floor((this.clock.now() + earlyMs) / minuteMs);
      this.reader.read(true).then(
        (reading) => this.keep(minute - 1, reading),
        // A metric that cannot be read must not end the server: of this minute nothing is known.
        (error: unknown) => this.unread.failed(error),
      );
      this.measureBefore(minute + 1);
    });
  }

  private keep(minute: number, reading: Reading): void {
    this.unread.succeeded();
    const place = minute % minutesMax;
    this.minutes[place] = minute;
    for (const name of seriesNames) {
      const values = this.values.get(name);
      if (values !== undefined) values[place] = reading[name] ?? Number.NaN;
    }
  }

  private valuesIn(name: SeriesName, at: number, stepMs: number): number[] {
    const values = this.values.get(name);
    const found: number[] = [];
    for (let minute = at / minuteMs; minute < (at + stepMs) / minuteMs; minute += 1) {
      const place = minute % minutesMax;
      const value = this.minutes[place] === minute ? values?.[place] : undefined;
      if (value !== undefined && !Number.isNaN(value)) found.push(value);
    }
    return found;
  }
}

/** Combines minutes to one step: the sum of what was added, the last level, the worst quantile. */
function combined(name: SeriesName, values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const { how } = seriesTable[name].measure;
  if (how === 'added') return values.reduce((sum, value) => sum + value, 0);
  return how === 'level' ? (values.at(-1) ?? null) : Math.max(...values);
}
