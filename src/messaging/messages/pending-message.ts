/** A message as memory holds it while it is not final, for features that ask the engine of it. */
import type { Engine } from '../../engine/engine.js';
import { messageKind } from './message.events.js';
import type { MessageState, PendingMessage } from './message.state.js';

/** undefined = it is final, or never was. */
export function pendingMessage(engine: Engine, messageId: string): PendingMessage | undefined {
  const state = engine.actors(messageKind).find(messageId)?.state as MessageState | undefined;
  return state?.status === 'pending' ? state : undefined;
}
