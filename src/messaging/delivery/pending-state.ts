/** What a pending message does now, in one word. Pure. */
import type { PendingMessage } from '../messages/message.state.js';

/** What a pending message does: it is delayed, waits at a gate, is called, or is tried again. */
export const pendingStates = ['DELAYED', 'WAITING', 'ACTIVE', 'RETRY'] as const;
/** One of those words, as listings and filters spell it. */
export type PendingState = (typeof pendingStates)[number];

/** `startedAt`: since when its attempt is in flight, null = none is. */
export function pendingState(
  { attempts, notBefore }: Pick<PendingMessage, 'attempts' | 'notBefore'>,
  startedAt: number | null,
  now: number,
): PendingState {
  if (startedAt !== null) return 'ACTIVE';
  if (notBefore <= now) return 'WAITING';
  return attempts === 0 ? 'DELAYED' : 'RETRY';
}
