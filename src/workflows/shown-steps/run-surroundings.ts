/** What is shown of a run beside its own events. */
import type { ChildRun } from '../history/run-history.js';

/** Gathered once for a run, by the listing. */
export interface RunSurroundings {
  /** Unix milliseconds. */
  readonly now: number;
  /** Messages that are being delivered. */
  readonly running: ReadonlySet<string>;
  /** The runs that it has invoked, by their first messages: an id may be used again. */
  readonly children: ReadonlyMap<string, ChildRun>;
  /** Of each text that is shown, in bytes; null = all of it, -1 = nothing. */
  readonly bytesMax: number | null;
}
