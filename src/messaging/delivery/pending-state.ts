/** What a pending message is doing now, in one word. Pure. */
import type { PendingMessage } from '../messages/message.state.js';

/** Delayed, waiting at a gate, being delivered, or waiting for a retry. */
export const pendingStates = ['DELAYED', 'WAITING', 'ACTIVE', 'RETRY'] as const;
/** One of these states, as listings and filters spell it. */
export type PendingState = (typeof pendingStates)[number];

/** The state of a pending message. `startedAt`: when its attempt began; null = not in flight. */
export function pendingState(
  { attempts, notBefore }: Pick<PendingMessage, 'attempts' | 'notBefore'>,
  startedAt: number | null,
  now: number,
): PendingState {
  if (startedAt !== null) return 'ACTIVE';
  if (notBefore <= now) return 'WAITING';
  return attempts === 0 ? 'DELAYED' : 'RETRY';
}
