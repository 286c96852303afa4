/** How a run ends, and what becomes of the messages that it leaves behind. Pure. */
import { accept, type Decision } from '../engine/decider.js';
import type { CancelRun, EndRun, FailRun, SettleRun } from './run.commands.js';
import type { PendingRunMessage } from './run.decider.js';
import type { RunEvent, RunFailed } from './run.events.js';
import type { RunState } from './run.state.js';

/** What an active run makes of a command that ends it; `pending` are its messages. */
export function endOfRun(
  command: EndRun | CancelRun | FailRun | SettleRun,
  state: RunState,
  pending: readonly PendingRunMessage[],
): Decision<RunEvent> {
  switch (command.type) {
    case 'EndRun':
      return succeed(command, pending);
    case 'CancelRun':
      return accept([{ type: 'RunCanceled', canceled: idsOf(pending) }]);
    case 'FailRun':
      return accept([failed(command, command.cause, pending)]);
    case 'SettleRun':
      return isStalled(state, pending) ? accept([failed(command, 'stalled', pending)]) : accept([]);
  }
}

/**
 * The endpoint tells of the end while a delivery is open: that one is thereby answered, and needs
 * no other answer. What is not due yet means nothing any more, and nor do third parties.
 */
function succeed(
  { at, response }: EndRun,
  pending: readonly PendingRunMessage[],
): Decision<RunEvent> {
  const isAnswered = ({ role, notBefore }: PendingRunMessage) => role !== 'call' && notBefore <= at;
  const completed = idsOf(pending.filter(isAnswered));
  const canceled = idsOf(pending.filter((message) => !isAnswered(message)));
  return accept([{ type: 'RunSucceeded', completed, canceled }], null, response);
}

/**
 * An endpoint submits what comes next before it answers: once every message is done and the run
 * waits for nothing, nothing can ever come.
 */
function isStalled(
  { waits, invocations }: RunState,
  pending: readonly PendingRunMessage[],
): boolean {
  return pending.length === 0 && waits.length === 0 && invocations.length === 0;
}

function failed(
  { messageId, publishedOffset, attemptOffset }: FailRun | SettleRun,
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
