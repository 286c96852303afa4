/** Creates or updates a flow-control key when a message names it with limits. Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { MessageEvent } from '../messages/message.events.js';
import { flowControlKind, type NameFlowControl } from './flow-control.commands.js';

const none: readonly NameFlowControl[] = [];

/** The commands for a flow-control key that follow from an event of a message. */
export function keyNamedBy({ event, at }: EventEnvelope<MessageEvent>): readonly NameFlowControl[] {
  if (event.type !== 'MessagePublished' || event.flowControl === null) return none;
  const { key, ...limits } = event.flowControl;
  return [{ type: 'NameFlowControl', kind: flowControlKind, id: key, at, limits }];
}
