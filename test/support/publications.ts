/** What dead letters ask of messages, over an engine of a test. */
import type { Publication } from '../../src/dead-letters/dead-letters.projection.js';
import type { Engine } from '../../src/engine/engine.js';
import { messageKind } from '../../src/messages/message.events.js';
import type { MessageState } from '../../src/messages/message.state.js';

export function publicationOf(engine: Engine) {
  return (messageId: string): Publication | undefined => {
    const message = engine.actors(messageKind).find(messageId);
    if (message === undefined) return undefined;
    const state = message.state as MessageState;
    const isOfRun = state.status === 'pending' && state.run !== null;
    return { offset: message.firstOffset, isOfRun };
  };
}
