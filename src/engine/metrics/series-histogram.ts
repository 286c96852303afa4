/**
 * Histograms that cost next to nothing to observe: prom-client's own makes a text of the labels for
 * each value and looks its bucket up by name, which takes nearly a microsecond (ADR 102).
 */
import { Histogram, type HistogramConfiguration, type LabelValues } from 'prom-client';

/** What was observed with the same labels. */
export class Series {
  /** By bucket, those beyond all bounds last. */
  private readonly counts: number[];
  private sum = 0;

  constructor(
    private readonly labels: LabelValues<string>,
    /** Rising. */
    private readonly bounds: readonly number[],
  ) {
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }

  /** As a histogram called `name` exports it. */
  *values(name: string): Generator<object> {
    const { bounds, counts, sum, labels: sharedLabels } = this;
    const value = (suffix: string, of: number, labels: object) => {
      return { metricName: name + suffix, value: of, labels, sharedLabels };
    };
    let count = 0;
    for (const [bucket, own] of counts.entries()) {
      count += own;
      yield value('_bucket', count, { le: bounds[bucket] ?? '+Inf' });
    }
    yield value('_sum', sum, {});
    yield value('_count', count, {});
  }
}

/** Values are observed by its series. */
export class SeriesHistogram extends Histogram {
  private readonly all: Series[] = [];

  constructor(
    private readonly options: HistogramConfiguration<string> & { readonly buckets: number[] },
  ) {
    super(options);
  }

  /** A new series: ask once for the same labels, and keep it. */
  with(labels: LabelValues<string>): Series {
    const series = new Series(labels, this.options.buckets);
    this.all.push(series);
    return series;
  }

  /** What registries, and `get`, ask for. */
  getForPromString(): object {
    const { name, help, aggregator = 'sum' } = this.options;
    const values = this.all.flatMap((series) => [...series.values(name)]);
    return { name, help, type: 'histogram', aggregator, values };
  }
}
