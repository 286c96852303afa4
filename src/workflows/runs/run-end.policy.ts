/**
 * How a run ends, by a command or with the end of one of its messages, and what happens to the
 * messages that it leaves behind. Pure.
 */
import { accept, type Command, type Decision, type EventEnvelope } from '../../engine/decider.js';
import type { Interest } from '../../engine/registration.js';
import { Refusal } from '../../grammar/result.js';
import type { MessageEvent } from '../../messaging/messages/message.events.js';
import type { MessageState } from '../../messaging/messages/message.state.js';
import type { CancelRun, EndRun, FailRun, SettleRun } from '../run-state/run.commands.js';
import { type RunEvent, type RunFailed, runKind } from '../run-state/run.events.js';
import type { RunState } from '../run-state/run.machine.js';
import { endedInvocationBytes } from './history-bounds.policy.js';
import type { PendingRunMessage, RunView } from './run-view.js';

/** The events that end a message of a run. */
export const endsOfRunMessages: Interest<MessageEvent> = {
  types: {
    MessageDelivered: ['run'],
    MessageFailed: ['run'],
    MessageCompleted: ['run'],
    MessageCanceled: ['run'],
  },
};

const nothing: readonly (FailRun | SettleRun)[] = [];

/**
 * What the end of a message means for its run. A failed delivery fails the run. A failed call to a
 * third party does not: its answer goes to the endpoint like any other (workflows.md 3.3). A
 * failure callback means nothing, since no run waits for it.
 */
export function messageEndedFor(
  { id, event, at, offset }: EventEnvelope<MessageEvent>,
  state: MessageState,
): readonly (FailRun | SettleRun)[] {
  if (state.status === 'absent' || state.status === 'pending' || state.run === null) return nothing;
  const { runId, role, publishedOffset } = state.run;
  if (role === 'failureCallback') return nothing;
  const ended = { kind: runKind, id: runId, at, messageId: id, publishedOffset };
  if (event.type === 'MessageFailed' && role !== 'call') {
    return [{ type: 'FailRun', attemptOffset: offset, cause: event.cause, ...ended }];
  }
  const attemptOffset = event.type === 'MessageCanceled' ? null : offset;
  return [{ type: 'SettleRun', attemptOffset, ...ended }];
}

type View = Pick<RunView, 'pending' | 'hasPending' | 'hasRoom'>;

/** Decides a command that ends, or may end, an active run. */
export function endOfRun(
  command: EndRun | CancelRun | FailRun | SettleRun,
  state: RunState,
  view: View,
): Decision<RunEvent> {
  const { id } = command;
  switch (command.type) {
    case 'EndRun':
      return succeed(command, state, view);
    case 'CancelRun':
      return accept([{ type: 'RunCanceled', canceled: idsOf(view.pending(id)) }]);
    case 'FailRun':
      return accept([failed(command, command.cause, view.pending(id))]);
    case 'SettleRun':
      return isStalled(state, id, view) ? settle(command) : accept([]);
  }
}

/** Canceling a run's last message cancels the run; a run left without messages has stalled. */
function settle({ messageId, publishedOffset, attemptOffset }: SettleRun): Decision<RunEvent> {
  if (attemptOffset === null) return accept([{ type: 'RunCanceled', canceled: [] }]);
  return accept([failed({ messageId, publishedOffset, attemptOffset }, 'stalled', [])]);
}

/**
 * The endpoint reports the end while a delivery is open. The report answers that delivery, and also
 * deliveries whose attempt was cut off or timed out and that wait for a retry. Messages that are
 * not due yet and calls to third parties are canceled. If the invoking run has no room for the
 * result, the end is refused: the step of the invoking run would never end.
 */
function succeed(
  { id, at, response }: EndRun,
  { context: { invoker } }: RunState,
  view: View,
): Decision<RunEvent> {
  const { length } = response;
  if (invoker !== null && !view.hasRoom(invoker.runId, endedInvocationBytes(length))) {
    const message = `run ${invoker.runId}, which waits for it, has no room for ${length} bytes more`;
    return new Refusal('over_limit', message);
  }
  const pending = view.pending(id);
  const isAnswered = ({ role, notBefore, wasTried }: PendingRunMessage) =>
    role !== 'call' && (wasTried || notBefore <= at);
  const completed = idsOf(pending.filter(isAnswered));
  const canceled = idsOf(pending.filter((message) => !isAnswered(message)));
  return accept([{ type: 'RunSucceeded', completed, canceled }], null, response);
}

/**
 * An endpoint submits the next step before it answers. So once every message is done and the run
 * waits for nothing, nothing can ever happen to it again.
 */
function isStalled({ context }: RunState, id: string, view: View): boolean {
  const { waits, invocations } = context;
  return waits.length === 0 && invocations.length === 0 && !view.hasPending(id);
}

function failed(
  { messageId, publishedOffset, attemptOffset }: Omit<FailRun, keyof Command | 'cause'>,
  cause: RunFailed['cause'],
  pending: readonly PendingRunMessage[],
): RunFailed {
  return {
    type: 'RunFailed',
    cause,
    messageId,
    publishedOffset,
    attemptOffset,
    canceled: idsOf(pending),
    canceledOffsets: pending.map((message) => message.publishedOffset),
  };
}

function idsOf(messages: readonly PendingRunMessage[]): readonly string[] {
  return messages.map(({ messageId }) => messageId);
}
