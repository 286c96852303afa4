/** Creates a queue when a message names it. Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { MessageEvent } from '../messages/message.events.js';
import { type EnsureQueue, queueKind } from './queue.commands.js';

const none: readonly EnsureQueue[] = [];

/** The commands for a queue that follow from an event of a message. */
export function queueNamedBy({ event, at }: EventEnvelope<MessageEvent>): readonly EnsureQueue[] {
  if (event.type !== 'MessagePublished' || event.queueName === null) return none;
  return [{ type: 'EnsureQueue', kind: queueKind, id: event.queueName, at }];
}
