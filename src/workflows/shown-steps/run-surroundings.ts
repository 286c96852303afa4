/** What is needed to show a run besides its own events. */
import type { ChildRun } from '../history/run-history.js';

/** Collected by the listing, once for each run. */
export interface RunSurroundings {
  /** Unix milliseconds. */
  readonly now: number;
  /** Ids of the messages whose attempt is in progress. */
  readonly running: ReadonlySet<string>;
  /** The runs that it invoked, by their first messages, because run ids may be reused. */
  readonly children: ReadonlyMap<string, ChildRun>;
  /** The most bytes shown of each text; null = all, -1 = nothing. */
  readonly bytesMax: number | null;
}
