/** What the decisions of a run read beside its state. */
import type { KnownRun } from './known-runs.projection.js';

/** A message of a run that is not final. */
export interface PendingRunMessage {
  readonly messageId: string;
  readonly role: 'step' | 'call' | 'callResult' | 'failureCallback';
  /** Journal offset of its `MessagePublished`. */
  readonly publishedOffset: number;
  /** Unix milliseconds. */
  readonly notBefore: number;
  /** An attempt of it has failed: it waits to be tried again. */
  readonly wasTried: boolean;
}

/** The indexes that a run's decisions read. */
export interface RunView {
  /** The run of this name that is active, or was started lately. */
  readonly known: (runId: string, at: number) => KnownRun | undefined;
  /** Messages of a run that are not final, failure callbacks excepted. */
  readonly pending: (runId: string) => readonly PendingRunMessage[];
  readonly hasPending: (runId: string) => boolean;
  /** Whether so many bytes more fit the history of a run; one that is over takes none in. */
  readonly hasRoom: (runId: string, bytes: number) => boolean;
  /** Journal offset where the bytes of the latest notification stand, if it is this one. */
  readonly notificationOffset: (notificationId: string) => number | null;
}
