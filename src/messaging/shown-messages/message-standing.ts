/** The progress of a message, as listings and the object of a message show it. Pure. */

import { pendingState, pendingStates } from '../delivery/pending-state.js';
import type { PendingMessage } from '../messages/message.state.js';
import type { EndedSituation } from '../why/message-situation.js';

/** All states in which a message is shown. */
export const messageStates = [...pendingStates, 'DELIVERED', 'FAILED', 'CANCELED'] as const;

/** The progress of a message; times in Unix milliseconds. */
export interface Standing {
  readonly state: (typeof messageStates)[number];
  /** Attempts that have ended. */
  readonly attempts: number;
  /** No attempt starts before this time; absent if none follows. */
  readonly nextDeliveryTime?: number;
  /** When its attempt in flight began. */
  readonly startedAt?: number;
  /** When it became final. */
  readonly endedAt?: number;
  /** The status of the last answer to a final message; 0 = there was no answer. */
  readonly responseStatus?: number;
  /** The dead letter that a failed message became. */
  readonly dlqId?: string;
}

/**
 * The progress of a message that is not final; times are Unix milliseconds. `startedAt` null = no
 * attempt is in flight.
 */
export function pendingStanding(
  message: Pick<PendingMessage, 'attempts' | 'notBefore'>,
  startedAt: number | null,
  now: number,
): Standing {
  return {
    state: pendingState(message, startedAt, now),
    attempts: message.attempts,
    nextDeliveryTime: message.notBefore,
    ...(startedAt !== null && { startedAt }),
  };
}

const endStates = { delivered: 'DELIVERED', failed: 'FAILED', canceled: 'CANCELED' } as const;

/** The progress of a final message. */
export function endedStanding(ended: EndedSituation): Standing {
  const { status, at, attempts, responseStatus, dlqId } = ended;
  return {
    state: endStates[status],
    attempts,
    endedAt: at,
    ...(attempts > 0 && { responseStatus }),
    ...(dlqId !== null && { dlqId }),
  };
}
