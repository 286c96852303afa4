/** What a command means for a message, and what a pending message wants. */
import {
  accept,
  type Command,
  type Decider,
  type Decision,
  type Effect,
  type EventEnvelope,
  type TurnNames,
} from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import { callbacksOf } from './callback.policy.js';
import type { DeduplicationIndex } from './deduplication.projection.js';
import type {
  CancelMessage,
  MessageCommand,
  PublishMessage,
  PublishReceipt,
  RecordAttempt,
  RescheduleMessage,
} from './message.commands.js';
import {
  type AttemptRecord,
  type MessageDelivered,
  type MessageEvent,
  type MessagePublished,
  messageKind,
} from './message.events.js';
import {
  evolveMessage,
  initialMessage,
  isFinalMessage,
  type MessageState,
  type PendingMessage,
  storedMessage,
} from './message.state.js';
import { liftPublishedToVersion2, liftPublishedToVersion3 } from './message.upcasters.js';
import { endedCallTerm, messageTerms, offsetsNamedBy, stepOf } from './recorded-events.js';
import { meaningOf, retryDelayMs } from './retry.policy.js';
import type { RunDelivery } from './run-deliveries.js';

/** The indexes that the decisions about a message read. */
export interface MessageView {
  readonly deduplication: Pick<DeduplicationIndex, 'find'>;
  /** The journal offset of the `MessagePublished` of a pending message. */
  readonly publishedOffset: (messageId: string) => number | undefined;
  /** The admitted attempt of a pending message, if any. */
  readonly admittedAttempt: (messageId: string) => AdmittedAttempt | undefined;
}

/** An attempt, from its admission by the gates until it has ended. */
export interface AdmittedAttempt {
  readonly messageId: string;
  /** From 0. */
  readonly number: number;
  /** Unix milliseconds; null = the attempt has not begun. */
  readonly startedAt: number | null;
  /** Whether its request is on the way. Before that, its contents are read from the journal. */
  readonly isSent: boolean;
}

/** Make one attempt at the destination, when it is due and the gates admit it. */
export interface CallEndpoint extends Effect {
  readonly kind: 'callEndpoint';
  /** 0 for the first attempt. */
  readonly attempt: number;
  readonly origin: string;
  readonly bodyBytes: number;
  readonly queueName: string | null;
  readonly flowControlKey: string | null;
  /** null = the message belongs to no workflow run. */
  readonly run: RunDelivery | null;
}

function decide(command: MessageCommand, state: MessageState, view: MessageView) {
  switch (command.type) {
    case 'PublishMessage':
      return publish(command, view);
    case 'RecordAttempt':
      return recordAttempt(command, state);
    case 'CancelMessage':
      return cancel(command, state, view);
    case 'RescheduleMessage':
      return reschedule(command, state);
    case 'CompleteMessage':
      return accept(state.status === 'pending' ? [ended('MessageCompleted', command, view)] : []);
  }
}

function publish(command: PublishMessage, view: MessageView): Decision<MessageEvent> {
  const { message, body, id, at } = command;
  const isKeyed = message.deduplicationKey !== null;
  const earlier = isKeyed ? view.deduplication.find(message, at) : undefined;
  const receipt: PublishReceipt = {
    messageId: earlier ?? id,
    deduplicated: earlier !== undefined,
  };
  if (earlier !== undefined) return accept([], receipt);
  const bodyOffset = message.bodyOffset ?? sharedBodyOffset(command, view);
  const isComposed = message.callbackOf !== null || message.run?.role === 'step';
  const hasOwnBody = bodyOffset === null && !isComposed;
  return accept([publishedEvent(message, bodyOffset)], receipt, hasOwnBody ? body : null);
}

/**
 * The event of a publish with these options. If the options are the event already, that very object
 * is used, so that content shared by many publishes is encoded once.
 */
function publishedEvent(
  message: MessagePublished | Omit<MessagePublished, 'type'>,
  bodyOffset: number | null,
): MessagePublished {
  if (!('type' in message)) return { type: 'MessagePublished', ...message, bodyOffset };
  return message.bodyOffset === bodyOffset ? message : { ...message, bodyOffset };
}

function sharedBodyOffset({ sharesBodyWith }: PublishMessage, view: MessageView): number | null {
  return sharesBodyWith === null ? null : (view.publishedOffset(sharesBodyWith) ?? null);
}

function recordAttempt(command: RecordAttempt, state: MessageState): Decision<MessageEvent> {
  const { record, responseBody, nonRetryable, at } = command;
  // The message was canceled meanwhile, or the attempt was recorded before: ignore the outcome.
  if (state.status !== 'pending' || record.attempt !== state.attempts) return accept([]);
  const meaning = meaningOf(record, nonRetryable, state.delivery.maxRetries);
  if (meaning === 'delivered') return accept([delivered(record)], null, responseBody);
  if (meaning === 'failed') {
    const cause = nonRetryable ? 'non_retryable' : 'exhausted';
    return accept([{ type: 'MessageFailed', cause, ...record }], null, responseBody);
  }
  const retryAt = at + retryDelayMs(state.delivery.retryDelay, record, at);
  return accept([{ type: 'AttemptFailed', retryAt, ...record }], null, responseBody);
}

/** Most messages end here. Copying the record by spread would cost more than the whole decision. */
function delivered(record: AttemptRecord): MessageDelivered {
  if (record.bodyTruncated !== undefined) return { type: 'MessageDelivered', ...record };
  const { attempt, startedAt, durationMs, status, headers, error } = record;
  return { type: 'MessageDelivered', attempt, startedAt, durationMs, status, headers, error };
}

function cancel(
  command: CancelMessage,
  state: MessageState,
  view: MessageView,
): Decision<MessageEvent> {
  if (state.status !== 'pending')
    return new Refusal('not_found', `message ${command.id} not found`);
  return accept([ended('MessageCanceled', command, view)]);
}

/**
 * The event of an end that no attempt caused. It names the attempt under way, if any, because no
 * other event will record that attempt.
 */
function ended(
  type: 'MessageCompleted' | 'MessageCanceled',
  { id }: MessageCommand,
  view: MessageView,
): MessageEvent {
  const admitted = view.admittedAttempt(id);
  if (admitted?.isSent !== true || admitted.startedAt === null) return { type };
  return { type, underWay: { attempt: admitted.number, startedAt: admitted.startedAt } };
}

function reschedule(command: RescheduleMessage, state: MessageState): Decision<MessageEvent> {
  const { id, at, notBefore } = command;
  if (state.status !== 'pending') return new Refusal('not_found', `message ${id} not found`);
  const isDue = state.notBefore <= at && notBefore <= at;
  if (isDue || notBefore === state.notBefore) return accept([]);
  return accept([{ type: 'MessageRescheduled', notBefore }]);
}

/** Whether an event that no attempt caused ends a call of a run, or the answer to a call. */
function isEndedCall({ type }: MessageEvent, state: MessageState): boolean {
  if (type !== 'MessageCanceled' && type !== 'MessageCompleted') return false;
  const role = state.status === 'absent' ? undefined : state.run?.role;
  return role === 'call' || role === 'callResult';
}

/** Publishes callbacks, which are messages of their own; most messages have none. */
function react(
  envelope: EventEnvelope<MessageEvent>,
  state: MessageState,
  names: TurnNames,
): readonly Command[] {
  const isPublish = envelope.event.type === 'MessagePublished';
  if (isPublish || state.status === 'absent' || state.followUps === null) return nothing;
  return callbacksOf(envelope, state, names);
}

const nothing: readonly never[] = [];

function callEndpoint(message: PendingMessage): CallEndpoint {
  const { attempts, notBefore, bodyBytes, run } = message;
  const { origin, queueName, flowControlKey } = message.delivery;
  return {
    kind: 'callEndpoint',
    id: `attempt ${attempts} at ${notBefore}`,
    notBefore,
    attempt: attempts,
    origin,
    bodyBytes,
    queueName,
    flowControlKey,
    run,
  };
}

/**
 * Messages of one batch that say the same share one event and one state. The terms of that event
 * and the effects of that state are computed once.
 */
class AlikeMessages {
  private event: MessagePublished | null = null;
  private terms: readonly string[] = nothing;
  private state: PendingMessage | null = null;
  private wanted: readonly CallEndpoint[] = nothing;

  termsOf(event: MessagePublished): readonly string[] {
    if (this.event !== event) {
      this.event = event;
      this.terms = messageTerms(event);
    }
    return this.terms;
  }

  wantedBy(state: PendingMessage): readonly CallEndpoint[] {
    if (this.state !== state) {
      this.state = state;
      this.wanted = [callEndpoint(state)];
    }
    return this.wanted;
  }
}

/**
 * Creates the decider of messages; each engine has its own. A publish that repeats an earlier one
 * is accepted without an event, and so is an outcome that belongs to no pending attempt.
 */
export function messageDecider(): Decider<MessageState, MessageCommand, MessageEvent, MessageView> {
  const alike = new AlikeMessages();
  return {
    kind: messageKind,
    events: {
      MessagePublished: [liftPublishedToVersion2, liftPublishedToVersion3],
      MessageDelivered: [],
      AttemptFailed: [],
      MessageRescheduled: [],
      MessageFailed: [],
      MessageCompleted: [],
      MessageCanceled: [],
    },
    initialState: initialMessage,
    decide,
    evolve: evolveMessage,
    react,
    wants: (state) => (state.status === 'pending' ? alike.wantedBy(state) : nothing),
    isFinal: isFinalMessage,
    // In a queue, the next message waits for this one to end.
    isAwaited: (state) => state.status === 'pending' && state.delivery.queueName !== null,
    stored: storedMessage,
    terms(event, command, state) {
      if (event.type === 'MessagePublished') return alike.termsOf(event);
      if (command.type === 'PublishMessage') return [];
      return isEndedCall(event, state) ? [...command.terms, endedCallTerm] : command.terms;
    },
    references: offsetsNamedBy,
    keptWith: (_id, first) => stepOf(first),
  };
}
