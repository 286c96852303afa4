/**
 * What a workflow run adds to its messages: what their headers say of it, and what messages declare
 * and the workflows implement.
 */
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

/** The one version of the protocol that there is; SDKs refuse any other. */
export const protocolVersion = '1';

const callTypes = { callResult: 'fromCallback', failureCallback: 'failureCall' } as const;

type Place = Pick<RunPlace, 'role' | 'runId' | 'url' | 'createdAt' | 'entry'>;

/**
 * Names and values in turn. A third party gets no headers of the run; and only a step says the
 * protocol's version: SDKs take its absence for a message that is no list of entries.
 */
export function runHeaders(place: Place, prefix: string): readonly string[] {
  const { role, runId, url, createdAt, entry } = place;
  if (role === 'call') return [];
  const isInit = role === 'step' && entry === 0;
  const said = [
    `${prefix}Workflow-RunId`,
    runId,
    `${prefix}Workflow-Url`,
    url,
    `${prefix}Workflow-CreatedAt`,
    String(createdAt),
    `${prefix}Workflow-Init`,
    String(isInit),
  ];
  return role === 'step'
    ? [...said, `${prefix}Workflow-Sdk-Version`, protocolVersion]
    : [...said, `${prefix}Workflow-CallType`, callTypes[role]];
}
