/** What a command means for a message, and what a pending message wants. */
import { accept, type Decider, type Decision, type Effect, reject } from '../engine/decider.js';
import type { DeduplicationIndex } from './deduplication.projection.js';
import type {
  CancelMessage,
  MessageCommand,
  PublishMessage,
  PublishReceipt,
  RecordAttempt,
} from './message.commands.js';
import { type MessageEvent, messageKind } from './message.events.js';
import {
  evolveMessage,
  initialMessage,
  isFinalMessage,
  type MessageState,
  type PendingMessage,
} from './message.state.js';
import { retryDelayMs } from './retry.policy.js';

/** The indexes that a message's decisions read. */
export interface MessageView {
  readonly deduplication: Pick<DeduplicationIndex, 'find'>;
}

/** One attempt against the destination, when its time has come and the gates let it in. */
export interface CallEndpoint extends Effect {
  readonly kind: 'callEndpoint';
  /** 0 for the first attempt. */
  readonly attempt: number;
  readonly origin: string;
  readonly bodyBytes: number;
}

function decide(command: MessageCommand, state: MessageState, view: MessageView) {
  switch (command.type) {
    case 'PublishMessage':
      return publish(command, view);
    case 'RecordAttempt':
      return recordAttempt(command, state);
    case 'CancelMessage':
      return cancel(command, state);
  }
}

function publish(command: PublishMessage, view: MessageView): Decision<MessageEvent> {
  const { message, body, id, at } = command;
  const key = message.deduplicationKey;
  const earlier = key === null ? undefined : view.deduplication.find(key, at);
  const receipt: PublishReceipt = {
    messageId: earlier ?? id,
    deduplicated: earlier !== undefined,
  };
  if (earlier !== undefined) return accept([], receipt);
  return accept([{ type: 'MessagePublished', ...message }], receipt, body);
}

function recordAttempt(command: RecordAttempt, state: MessageState): Decision<MessageEvent> {
  const { record, responseBody, nonRetryable, at } = command;
  // Canceled meanwhile, or recorded before: the outcome has no message to belong to.
  if (state.status !== 'pending' || record.attempt !== state.attempts) return accept([]);
  if (record.status >= 200 && record.status < 300) {
    return accept([{ type: 'MessageDelivered', ...record }], null, responseBody);
  }
  if (nonRetryable || record.attempt >= state.maxRetries) {
    const cause = nonRetryable ? 'non_retryable' : 'exhausted';
    return accept([{ type: 'MessageFailed', ...record, cause }], null, responseBody);
  }
  const retryAt = at + retryDelayMs(state.retryDelay, record, at);
  return accept([{ type: 'AttemptFailed', ...record, retryAt }], null, responseBody);
}

function cancel(command: CancelMessage, state: MessageState): Decision<MessageEvent> {
  if (state.status !== 'pending') return reject('not_found', `message ${command.id} not found`);
  return accept([{ type: 'MessageCanceled' }]);
}

function wants(state: MessageState): readonly CallEndpoint[] {
  return state.status === 'pending' ? [callEndpoint(state)] : [];
}

function callEndpoint(message: PendingMessage): CallEndpoint {
  const { attempts, notBefore, origin, bodyBytes } = message;
  const id = `attempt ${attempts}`;
  return { kind: 'callEndpoint', id, notBefore, attempt: attempts, origin, bodyBytes };
}

/** What a message is found by in the journal: its destination, its labels, its flow-control key. */
function terms(event: MessageEvent): readonly string[] {
  if (event.type !== 'MessagePublished') return [];
  const found = [`url:${event.url}`, ...event.labels.map((label) => `label:${label}`)];
  if (event.flowControl !== null) found.push(`flow:${event.flowControl.key}`);
  return found;
}

export const messageDecider: Decider<MessageState, MessageCommand, MessageEvent, MessageView> = {
  kind: messageKind,
  initialState: initialMessage,
  decide,
  evolve: evolveMessage,
  wants,
  isFinal: isFinalMessage,
  terms,
};
