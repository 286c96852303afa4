/**
 * Counters for events that occur with every message and request. The library creates objects, looks
 * up labels and checks numbers each time; a tally just adds, and passes its sum to the library when
 * it is scraped (ADR 109).
 */
import { Counter, type Registry } from 'prom-client';

/** The count of one series that the library does not know yet. */
export class Tally {
  private added = 0;

  constructor(private readonly series: Counter.Internal) {}

  /** Adds one, or `times`. */
  count(times = 1): void {
    this.added += times;
  }

  /** Passes the count to the library; a series not begun at 0 appears with its first count. */
  settle(): void {
    if (this.added > 0) this.series.inc(this.added);
    this.added = 0;
  }
}

/** A counter whose series are tallies. */
export class TallyCounter extends Counter<string> {
  private readonly tallies: Tally[] = [];

  /** A tally for the series with these labels; call it once per series: tallies are kept. */
  tally(labels: Readonly<Record<string, string | number>>): Tally {
    const tally = new Tally(this.labels(labels));
    this.tallies.push(tally);
    return tally;
  }

  /** Passes everything counted since the last time to the library. */
  settle(): void {
    for (const tally of this.tallies) tally.settle();
  }
}

/** The name of a counter, and the labels of its series. */
export interface CounterName {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/** Registers a counter that collects the counts of its tallies at every scrape. */
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
