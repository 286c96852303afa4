/** What messages ask of the runs that they belong to: declared here, implemented by workflows. */
import type { Published, RunPlace } from './message.events.js';

/** What a message of a run is known by while it is pending. */
export interface RunDelivery extends Pick<RunPlace, 'runId' | 'role' | 'entry'> {
  /** Of a `callResult`, the message that has called the third party; null = it is none. */
  readonly callId: string | null;
}

/** Which deliveries of a run may start: one that another has caused waits for its answer. */
export abstract class DeliveryOrder {
  /**
   * Calls `start` once the delivery that has caused this one is answered; mostly that is at once,
   * before this returns. Gives what takes it back.
   */
  abstract whenAnswered(delivery: RunDelivery, start: () => void): () => void;

  /** An attempt to make this delivery is in flight. */
  abstract began(messageId: string, delivery: RunDelivery): void;

  /** The attempt has been answered, or has failed. */
  abstract ended(messageId: string, delivery: RunDelivery): void;
}

/** Answers at once where everything is cached, as it usually is. */
export abstract class RunDeliveries {
  /** The entries that a `step` delivers; no bytes where they are left for the endpoint to fetch. */
  abstract entries(step: Published): Buffer | Promise<Buffer>;

  /** The body of the one entry that a `step` was published for: what is shown of it. */
  abstract ownEntry(step: Published): Buffer | null | Promise<Buffer | null>;

  /** Headers to forward with any message of a run: its own, and those of the configuration. */
  abstract headers(message: Published): readonly string[] | Promise<readonly string[]>;

  /** Headers that the run was started with, names and values in turn. */
  abstract starterHeaders(message: Published): readonly string[] | Promise<readonly string[]>;

  /** The `sourceBody` of a failure callback: the payload, or all entries (workflows.md 1.2). */
  abstract failedBody(callback: Published): Buffer | null | Promise<Buffer | null>;
}
