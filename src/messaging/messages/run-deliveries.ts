/** What messages need from the runs they belong to: declared here, implemented by workflows. */
import type { Published, RunPlace } from './message.events.js';

/** Identifies a message of a run while it is pending. */
export interface RunDelivery extends Pick<RunPlace, 'runId' | 'role' | 'entry'> {
  /** For a `callResult`: the message that called the third party; null for other roles. */
  readonly callId: string | null;
}

/**
 * Decides when deliveries of a run may start: a delivery that another one has caused waits until
 * that one is answered.
 */
export abstract class DeliveryOrder {
  /**
   * Calls `start` once the delivery that caused this one is answered; usually that happens at once,
   * before this returns. Returns a function that cancels the wait.
   */
  abstract whenAnswered(delivery: RunDelivery, start: () => void): () => void;

  /** An attempt of this delivery has begun. */
  abstract began(messageId: string, delivery: RunDelivery): void;

  /** The attempt was answered, or has failed. */
  abstract ended(messageId: string, delivery: RunDelivery): void;
}

/** Supplies contents of deliveries: synchronously if they are cached, as they usually are. */
export abstract class RunDeliveries {
  /** The entries that a `step` delivers; empty if the endpoint is to fetch them itself. */
  abstract entries(step: Published): Buffer | Promise<Buffer>;

  /** The body of the one entry that a `step` was published for; this is shown of the step. */
  abstract ownEntry(step: Published): Buffer | null | Promise<Buffer | null>;

  /** Headers to forward with any message of a run: its own and those of the configuration. */
  abstract headers(message: Published): readonly string[] | Promise<readonly string[]>;

  /** Headers that the run was started with, names and values in turn. */
  abstract starterHeaders(message: Published): readonly string[] | Promise<readonly string[]>;

  /** The `sourceBody` of a failure callback: the payload, or all entries (workflows.md 1.2). */
  abstract failedBody(callback: Published): Buffer | null | Promise<Buffer | null>;
}
