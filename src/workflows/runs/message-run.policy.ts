/** What the end of a message means for the workflow run that it belongs to. Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Interest } from '../../engine/following/interest.js';
import type { MessageEvent } from '../../messaging/messages/message.events.js';
import type { MessageState } from '../../messaging/messages/message.state.js';
import type { FailRun, SettleRun } from '../run-state/run.commands.js';
import { runKind } from '../run-state/run.events.js';

type RunCommand = FailRun | SettleRun;

/** The last event of each message that belongs to a run. */
export const endsOfRunMessages: Interest<MessageEvent> = {
  types: {
    MessageDelivered: ['run'],
    MessageFailed: ['run'],
    MessageCompleted: ['run'],
    MessageCanceled: ['run'],
  },
};

const none: readonly RunCommand[] = [];

/**
 * A delivery that failed fails its run. A third party that fails does not: its answer goes to the
 * endpoint as any other (workflows.md 3.3), and no run waits for a failure callback.
 */
export function messageEndedFor(
  { id, event, at, offset }: EventEnvelope<MessageEvent>,
  state: MessageState,
): readonly RunCommand[] {
  if (state.status === 'absent' || state.status === 'pending' || state.run === null) return none;
  const { runId, role, publishedOffset } = state.run;
  if (role === 'failureCallback') return none;
  const ended = { kind: runKind, id: runId, at, messageId: id, publishedOffset };
  if (event.type === 'MessageFailed' && role !== 'call') {
    return [{ type: 'FailRun', attemptOffset: offset, cause: event.cause, ...ended }];
  }
  const attemptOffset = event.type === 'MessageCanceled' ? null : offset;
  return [{ type: 'SettleRun', attemptOffset, ...ended }];
}
