/** What a destination of the bench counts, and how it says so. */
import { machineTime } from '../measure/machine-time.js';
import { answer } from '../programs/measured-program.js';

/** How much has arrived since the count was last reset. */
export interface Progress {
  readonly count: number;
}

export interface Arrivals extends Progress {
  /** When the last one arrived, by `machineTime`. */
  readonly lastAt: number;
  /** Arrival times by number. */
  readonly numbered: readonly (readonly [number, number])[];
}

/** What the bench asks: how far it is, or, with `clear`, for the arrivals and a new beginning. */
export interface SinkQuestion {
  readonly clear: boolean;
}

/** Answers the bench; what it gives is called for each arrival, with its number if it has one. */
export function countArrivals(): (number: number | null) => void {
  let count = 0;
  let lastAt = 0;
  let numbered: [number, number][] = [];
  answer(({ clear }: SinkQuestion): Progress | Arrivals => {
    if (!clear) return { count };
    const arrivals = { count, lastAt, numbered };
    count = 0;
    numbered = [];
    return arrivals;
  });
  return (number) => {
    count += 1;
    lastAt = machineTime();
    if (number !== null) numbered.push([number, lastAt]);
  };
}
