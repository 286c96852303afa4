/** What letters ask of messages, over an engine of a test. */

import type { Engine } from '../../src/engine/engine.js';
import type { Publication } from '../../src/messaging/dead-letters/dead-letters.projection.js';
import { messageKind } from '../../src/messaging/messages/message.events.js';
import type { MessageState } from '../../src/messaging/messages/message.state.js';

export function publicationOf(engine: Engine) {
  return (messageId: string): Publication | undefined => {
    const message = engine.actors(messageKind).find(messageId);
    if (message === undefined) return undefined;
    const state = message.state as MessageState;
    const isOfRun = state.status === 'pending' && state.run !== null;
    return { offset: message.firstOffset, isOfRun };
  };
}
