/**
 * Counters and histograms of what happens for every message and request. The library makes objects,
 * looks labels up and judges numbers each time; here that is an addition or two, and the library
 * learns what came together when it is scraped (ADR 109).
 */
import { Counter, Histogram, type Registry } from 'prom-client';

/** What one series of a counter has counted and the library does not know yet. */
export class Tally {
  private added = 0;

  constructor(private readonly series: Counter.Internal) {}

  /** Counts one more, or so many. */
  count(times = 1): void {
    this.added += times;
  }

  /** Tells the library; a series is not shown before something was counted. */
  settle(): void {
    if (this.added > 0) this.series.inc(this.added);
    this.added = 0;
  }
}

/** A counter whose series are tallies. */
export class TallyCounter extends Counter<string> {
  private readonly tallies: Tally[] = [];

  /** A tally of the series with these labels; asked for once, as each is settled for ever. */
  tally(labels: Readonly<Record<string, string | number>>): Tally {
    const tally = new Tally(this.labels(labels));
    this.tallies.push(tally);
    return tally;
  }

  /** Tells the library what was counted since the last time. */
  settle(): void {
    for (const tally of this.tallies) tally.settle();
  }
}

/** What a counter is called, and what tells its series apart. */
export interface CounterName {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/** Registers a counter that learns at every scrape what its tallies have counted. */
export function tallyCounter(
  registry: Registry,
  { name, help, labelNames }: CounterName,
): TallyCounter {
  const made: TallyCounter = new TallyCounter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      made.settle();
    },
  });
  return made;
}

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

/** What one series of a histogram has observed. */
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
