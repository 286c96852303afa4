/** A message that names a queue makes it exist. Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { MessageEvent } from '../messages/message.events.js';
import { type EnsureQueue, queueKind } from './queue.commands.js';

const none: readonly EnsureQueue[] = [];

/** What an event of a message means for its queue. */
export function queueNamedBy({ event, at }: EventEnvelope<MessageEvent>): readonly EnsureQueue[] {
  if (event.type !== 'MessagePublished' || event.queueName === null) return none;
  return [{ type: 'EnsureQueue', kind: queueKind, id: event.queueName, at }];
}
