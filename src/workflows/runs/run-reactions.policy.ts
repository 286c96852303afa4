/**
 * What an event of a run means for others: its messages, the runs that it starts, and its invoker.
 * Pure.
 */
import type { Command, EventEnvelope, TurnNames } from '../../engine/decider.js';
import { deadLetterId } from '../../messaging/messages/dead-letter-id.js';
import type { CancelMessage, CompleteMessage } from '../../messaging/messages/message.commands.js';
import { messageKind } from '../../messaging/messages/message.events.js';
import { runTerms } from '../run-state/recorded-events.js';
import type { EndInvocation, RunCommand, StartRun } from '../run-state/run.commands.js';
import {
  type Invoker,
  type RunEnd,
  type RunEvent,
  type RunFailed,
  runKind,
} from '../run-state/run.events.js';
import type { RunState } from '../run-state/run.machine.js';
import { endNames } from '../run-state/run-state-name.policy.js';
import { endedInvocationBytes } from './history-bounds.policy.js';
import {
  callMessage,
  failureMessage,
  repeatedMessage,
  stepMessage,
} from './run-messages.policy.js';

type MessageEnding = CancelMessage | CompleteMessage;
type Recorded<Event extends RunEvent> = EventEnvelope<RunEvent> & { readonly event: Event };

const nothing: readonly Command[] = [];

/** `command` is the command that produced the event, and `before` the run before that command. */
export function reactToRun(
  envelope: EventEnvelope<RunEvent>,
  state: RunState,
  names: TurnNames,
  command: RunCommand,
  before: RunState,
): readonly Command[] {
  const { event, at } = envelope;
  switch (event.type) {
    case 'RunStarted':
      return command.type === 'StartRun' ? started(envelope, state, command) : nothing;
    case 'RunReconfigured':
      // The new delivery comes first: a run without any open delivery would count as stalled.
      return [
        stepMessage(envelope, state, event.messageId, at),
        ...endings(envelope, before, 'CompleteMessage', event.completed),
      ];
    case 'StepStored':
      if (command.type !== 'SubmitStep') return nothing;
      return [stepMessage(envelope, state, event.messageId, command.notBefore, command.options)];
    case 'StepEdited':
      return command.type === 'EditStep' ? repeating(envelope, state, command.repeated) : nothing;
    case 'CallRequested':
      return command.type === 'RequestCall' ? [callMessage(envelope, state, command)] : nothing;
    case 'WaitEnded':
    case 'InvocationEnded':
      return [stepMessage(envelope, state, event.messageId, at)];
    case 'StepInvoked':
      return command.type === 'InvokeRun' ? [invoked(envelope, state, command)] : nothing;
    case 'RunSucceeded':
    case 'RunFailed':
    case 'RunCanceled':
      return ended({ ...envelope, event }, state, names);
    default:
      return nothing;
  }
}

function started(
  envelope: EventEnvelope<RunEvent>,
  state: RunState,
  { messageId, notBefore, inherited, repeated, handedOver }: StartRun,
): readonly Command[] {
  if (inherited === null) return [stepMessage(envelope, state, messageId, notBefore)];
  const again = repeated.flatMap((each) => repeating(envelope, state, each));
  return [...handedOver, ...again];
}

function repeating(
  envelope: EventEnvelope<RunEvent>,
  state: RunState,
  repeated: StartRun['repeated'][number] | null,
): readonly Command[] {
  if (repeated === null) return nothing;
  return [repeatedMessage(envelope, state, repeated.messageId, repeated.message)];
}

function invoked(
  { id, at }: EventEnvelope<RunEvent>,
  { context }: RunState,
  { step, child }: Extract<RunCommand, { type: 'InvokeRun' }>,
): StartRun {
  const { url, createdAt } = context;
  const start: StartRun = { invoker: null, ...child, at };
  return { ...start, invoker: { runId: id, url, createdAt, step } };
}

function ended(envelope: Recorded<RunEnd>, state: RunState, names: TurnNames): readonly Command[] {
  const { event } = envelope;
  const { invoker } = state.context;
  const commands: Command[] = [...leftBehind(envelope, state)];
  if (event.type === 'RunFailed') {
    const report = failureReport({ ...envelope, event }, state, names);
    if (report !== null) commands.push(report);
  }
  if (invoker !== null) commands.push(answer(envelope, invoker, names));
  return commands;
}

/** Ends the messages that the run no longer needs. */
function leftBehind(envelope: Recorded<RunEnd>, state: RunState): readonly MessageEnding[] {
  const { event } = envelope;
  const canceled = endings(envelope, state, 'CancelMessage', event.canceled);
  return event.type === 'RunSucceeded'
    ? [...endings(envelope, state, 'CompleteMessage', event.completed), ...canceled]
    : canceled;
}

/**
 * Ends messages. `state` is that of the run when it published them, whose search terms they have.
 */
function endings(
  { id, at }: EventEnvelope<RunEvent>,
  { context }: RunState,
  type: MessageEnding['type'],
  messageIds: readonly string[],
): readonly MessageEnding[] {
  const terms = runTerms(id, context);
  return messageIds.map((messageId) => ({ type, kind: messageKind, id: messageId, at, terms }));
}

function failureReport(envelope: Recorded<RunFailed>, state: RunState, names: TurnNames) {
  const { messageId, publishedOffset, attemptOffset } = envelope.event;
  return failureMessage(envelope, state, names.next('msg'), {
    kind: 'failureCallback',
    messageId,
    publishedOffset,
    attemptOffset,
    dlqId: deadLetterId(envelope),
  });
}

function answer(
  { id, event, at, offset, body }: Recorded<RunEnd>,
  { runId, step }: Invoker,
  names: TurnNames,
): EndInvocation {
  return {
    type: 'EndInvocation',
    kind: runKind,
    id: runId,
    at,
    step,
    runId: id,
    messageId: names.next('msg'),
    outcome: endNames[event.type],
    endOffset: offset,
    bytes: endedInvocationBytes(body?.length ?? 0),
  };
}
