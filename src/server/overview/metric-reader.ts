/** Reads the metrics of this process as one number for each series and minute. */
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type Series, type SeriesName, seriesNames, seriesTable } from './series-table.js';

/** A value of a metric, as prom-client reports it. */
interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly metricName?: string;
}

/** The totals of counters and histograms at the last kept reading. */
type Totals = ReadonlyMap<SeriesName, readonly number[]>;

/** null = nothing was observed. */
export type Reading = Readonly<Record<SeriesName, number | null>>;

/**
 * Reads counters as the difference since the last kept reading, and levels unchanged. null: the
 * metric has no value, or no observation since then.
 */
@Injectable()
export class MetricReader {
  private before: Totals = new Map();

  constructor(private readonly registry: Registry) {}

  /**
   * Reads the series since the last kept reading; with `keeps`, this reading becomes the last one.
   */
  async read(keeps: boolean): Promise<Reading> {
    const reading: Partial<Record<SeriesName, number | null>> = {};
    const totals = new Map<SeriesName, readonly number[]>();
    const values = new Map<string, readonly MetricValue[]>();
    for (const name of seriesNames) {
      const series: Series = seriesTable[name];
      const known = values.get(series.metric) ?? (await this.valuesOf(series.metric));
      values.set(series.metric, known);
      const { total, read } = this.measured(name, series, known);
      totals.set(name, total);
      reading[name] = read;
    }
    if (keeps) this.before = totals;
    // Every name has its value by now.
    return reading as Reading;
  }

  private measured(
    name: SeriesName,
    { labels = {}, measure }: Series,
    values: readonly MetricValue[],
  ): { readonly total: readonly number[]; readonly read: number | null } {
    const own = values.filter((each) =>
      Object.entries(labels).every(([label, wanted]) => each.labels[label] === wanted),
    );
    if (own.length === 0) return { total: [], read: null };
    if (measure.how === 'quantile') {
      const buckets = bucketsOf(own);
      const before = this.before.get(name) ?? [];
      const more = buckets.map(({ count }, index) => count - (before[index] ?? 0));
      const bounds = buckets.map(({ bound }) => bound);
      const total = buckets.map(({ count }) => count);
      return { total, read: quantileOf(bounds, more, measure.quantile) };
    }
    const sum = own.reduce((all, { value }) => all + value, 0);
    if (measure.how === 'level') return { total: [], read: sum };
    return { total: [sum], read: sum - (this.before.get(name)?.[0] ?? 0) };
  }

  private async valuesOf(metric: string): Promise<readonly MetricValue[]> {
    // In a server composed without the process metrics, these do not exist.
    const found = await this.registry.getSingleMetric(metric)?.get();
    // The registry holds metrics of all kinds and does not type their values.
    return (found?.values ?? []) as readonly MetricValue[];
  }
}

/** The cumulative counts of a histogram by bound, over all labels, in the order of bounds. */
function bucketsOf(values: readonly MetricValue[]): { bound: number; count: number }[] {
  const counts = new Map<number, number>();
  for (const { value, labels, metricName = '' } of values) {
    if (!metricName.endsWith('_bucket')) continue;
    const bound = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le']);
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  return [...counts]
    .map(([bound, count]) => ({ bound, count }))
    .sort((one, other) => one.bound - other.bound);
}

/**
 * The quantile, interpolated linearly within its bucket; in the last, unbounded bucket, its lower
 * bound. `counts` are cumulative. Null if there are no observations.
 */
export function quantileOf(
  bounds: readonly number[],
  counts: readonly number[],
  quantile: number,
): number | null {
  const all = counts.at(-1) ?? 0;
  if (all === 0) return null;
  const rank = quantile * all;
  const index = counts.findIndex((count) => count >= rank);
  const upper = bounds[index] ?? Number.POSITIVE_INFINITY;
  const [lower, below] = index === 0 ? [0, 0] : [bounds[index - 1] ?? 0, counts[index - 1] ?? 0];
  if (!Number.isFinite(upper)) return lower;
  const within = (rank - below) / ((counts[index] ?? 0) - below);
  return lower + (upper - lower) * within;
}
