/** What a workflow run adds to its messages: the room of the workflows knows, messages only ask. */
import type { EventEnvelope } from '../engine/decider.js';
import type { MessagePublished } from './message.events.js';

type Published = EventEnvelope<MessagePublished>;

/** Answers at once where everything is at hand, as it mostly is. */
export interface RunDeliveries {
  /** The entries that a `step` delivers; no bytes where they are left for the endpoint to fetch. */
  entries(step: Published): Buffer | Promise<Buffer>;

  /** The body of the one entry that a `step` was published for: what is shown of it. */
  ownEntry(step: Published): Buffer | null | Promise<Buffer | null>;

  /** Headers to forward with any message of a run: its own, and those of the configuration. */
  headers(message: Published): readonly string[] | Promise<readonly string[]>;

  /** What a failure callback tells as `sourceBody`: the payload, or all entries (protocol 7.2). */
  failedBody(callback: Published): Buffer | null | Promise<Buffer | null>;
}
