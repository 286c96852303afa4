/**
 * Counters of what happens for every message and request. The library makes objects, looks labels
 * up and judges numbers each time; here that is an addition, and the library learns what came
 * together when it is scraped (ADR 109).
 */
import { Counter, type Registry } from 'prom-client';

/** What one series of a counter has counted and the library does not know yet. */
export class Tally {
  private added = 0;

  constructor(private readonly series: Counter.Internal) {}

  /** Counts one more, or so many. */
  count(times = 1): void {
    this.added += times;
  }

  /** Tells the library; a series that was not begun at 0 is shown once something was counted. */
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

/** What a counter is called, and what distinguishes its series. */
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
