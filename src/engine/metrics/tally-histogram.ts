/**
 * A histogram of what is observed for every message and request: an observation is an addition to
 * two numbers and a bucket, where that of the library makes objects and looks its labels up.
 */
import { Histogram, type Registry } from 'prom-client';

type Labels = Readonly<Record<string, string | number>>;

/** What a histogram is called, and what it sorts values by. */
export interface HistogramName {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: string[];
  /** Upper bounds, rising. */
  readonly buckets: readonly number[];
}

/** A line of a histogram as the library writes it. */
interface Line {
  readonly metricName: string;
  readonly labels: Record<string, string | number>;
  readonly sharedLabels: Labels;
  readonly value: number;
}

/** One series of a histogram. */
export class SeriesTally {
  /** Of each bucket, without those below it. */
  private readonly counts: number[];
  private sum = 0;
  private count = 0;

  constructor(
    private readonly bounds: readonly number[],
    private readonly labels: Labels,
  ) {
    this.counts = bounds.map(() => 0);
  }

  /** Observes a finite value. */
  observe(value: number): void {
    const { bounds, counts } = this;
    this.sum += value;
    this.count += 1;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    if (bucket < bounds.length) counts[bucket] = (counts[bucket] ?? 0) + 1;
  }

  /** Each bucket counts those below it, too. */
  lines(name: string): Line[] {
    const { labels: sharedLabels, counts, count, sum } = this;
    const metricName = `${name}_bucket`;
    let below = 0;
    const lines: Line[] = this.bounds.map((le, place) => {
      below += counts[place] ?? 0;
      return { metricName, labels: { le }, sharedLabels, value: below };
    });
    lines.push({ metricName, labels: { le: '+Inf' }, sharedLabels, value: count });
    lines.push({ metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum });
    lines.push({ metricName: `${name}_count`, labels: {}, sharedLabels, value: count });
    return lines;
  }
}

/** Is observed through its tallies alone: the library has none of what they count. */
export class TallyHistogram extends Histogram<string> {
  private readonly series: SeriesTally[] = [];

  constructor(
    registry: Registry,
    private readonly named: HistogramName,
  ) {
    const { name, help, labelNames = [], buckets } = named;
    super({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
  }

  /** The series with these labels; asked for once, as each is shown for ever. */
  tally(labels: Labels = {}): SeriesTally {
    const tally = new SeriesTally(this.named.buckets, labels);
    this.series.push(tally);
    return tally;
  }

  /** What the library writes at a scrape, and what its `get` answers is made of. */
  async getForPromString() {
    const { name, help } = this.named;
    const values = this.series.flatMap((tally) => tally.lines(name));
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  }
}
