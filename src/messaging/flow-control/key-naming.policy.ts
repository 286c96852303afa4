/** A message that names a flow-control key makes it exist, with the limits that it says. Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { MessageEvent } from '../messages/message.events.js';
import { flowControlKind, type NameFlowControl } from './flow-control.commands.js';

const none: readonly NameFlowControl[] = [];

/** What an event of a message means for its flow-control key. */
export function keyNamedBy({ event, at }: EventEnvelope<MessageEvent>): readonly NameFlowControl[] {
  if (event.type !== 'MessagePublished' || event.flowControl === null) return none;
  const { key, ...limits } = event.flowControl;
  return [{ type: 'NameFlowControl', kind: flowControlKind, id: key, at, limits }];
}
