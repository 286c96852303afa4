/** What the decisions of a run read besides its state. */
import type { KnownRun } from './known-runs.projection.js';

/** A message of a run that is not final. */
export interface PendingRunMessage {
  readonly messageId: string;
  readonly role: 'step' | 'call' | 'callResult' | 'failureCallback';
  /** Journal offset of its `MessagePublished`. */
  readonly publishedOffset: number;
  /** Unix milliseconds. */
  readonly notBefore: number;
  /** Whether an attempt has failed, so that the message waits for a retry. */
  readonly wasTried: boolean;
}

/** The indexes that a run's decisions read. */
export interface RunView {
  /** The run of this id, if it is active or was started recently. */
  readonly known: (runId: string, at: number) => KnownRun | undefined;
  /** Messages of a run that are not final, except failure callbacks. */
  readonly pending: (runId: string) => readonly PendingRunMessage[];
  readonly hasPending: (runId: string) => boolean;
  /**
   * Whether the end of a step with `bytes` more bytes fits the history of a run. Always true for a
   * run that has ended, which takes no entries.
   */
  readonly hasRoom: (runId: string, bytes: number) => boolean;
  /** Journal offset of the bytes of the latest notification, if it is this one. */
  readonly notificationOffset: (notificationId: string) => number | null;
}
