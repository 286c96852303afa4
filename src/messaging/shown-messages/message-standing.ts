/** How far a message has come, as listings and the object of a message show it. Pure. */

import { pendingState, pendingStates } from '../delivery/pending-state.js';
import type { PendingMessage } from '../messages/message.state.js';
import type { EndedSituation } from '../why/message-situation.js';

/** Every state that a message is shown in. */
export const messageStates = [...pendingStates, 'DELIVERED', 'FAILED', 'CANCELED'] as const;

/** Times in Unix milliseconds. */
export interface Standing {
  readonly state: (typeof messageStates)[number];
  /** Attempts that have ended. */
  readonly attempts: number;
  /** No attempt starts before; absent where none follows. */
  readonly nextDeliveryTime?: number;
  /** Since when its attempt is in flight. */
  readonly startedAt?: number;
  /** When it became final. */
  readonly endedAt?: number;
  /** Of a final one, what its last attempt was answered; 0 = there was no answer. */
  readonly responseStatus?: number;
  /** Of a failed one, the dead letter that it became. */
  readonly dlqId?: string;
}

/**
 * The standing of a message that is not final; times are Unix milliseconds, `startedAt` null = no
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

/** The standing of a message that is final. */
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
