/** Builds the callbacks of an attempt, which are messages of their own (messaging.md 4.5). Pure. */
import type { EventEnvelope, TurnNames } from '../../engine/decider.js';
import { deadLetterId } from './dead-letter-id.js';
import type { PublishMessage } from './message.commands.js';
import {
  type CallbackOptions,
  type CallbackSource,
  type MessageEvent,
  messageKind,
} from './message.events.js';
import type { FollowUps, MessageState } from './message.state.js';

const none: readonly PublishMessage[] = [];
const noBody = Buffer.alloc(0);

/** The callbacks to send for one event of a message: after each attempt, and after the last one. */
export function callbacksOf(
  envelope: EventEnvelope<MessageEvent>,
  state: MessageState,
  names: TurnNames,
): readonly PublishMessage[] {
  if (state.status === 'absent' || state.followUps === null) return none;
  const { event } = envelope;
  if (!('durationMs' in event)) return none; // not the end of an attempt
  const { callback, failureCallback, run } = state.followUps;
  const isFailed = event.type === 'MessageFailed';
  // A run needs to know how a call ended, not that an earlier attempt failed (workflows.md 3.3).
  if (run !== null && event.type === 'AttemptFailed') return none;
  const dlqId = isFailed ? deadLetterId(envelope) : null;
  const called: PublishMessage[] = [];
  const call = (kind: CallbackSource['kind'], options: CallbackOptions | null) => {
    if (options === null || state.followUps === null) return;
    const source = sourceOf(envelope, kind, state.followUps, dlqId);
    called.push(publishCallback(envelope, source, options, state.followUps, names));
  };
  call('callback', callback);
  if (isFailed) call('failureCallback', failureCallback);
  return called;
}

function sourceOf(
  { id, offset }: EventEnvelope,
  kind: CallbackSource['kind'],
  { publishedOffset }: FollowUps,
  dlqId: string | null,
): CallbackSource {
  const isFailure = kind === 'failureCallback';
  return {
    kind,
    messageId: id,
    publishedOffset,
    attemptOffset: offset,
    dlqId: isFailure ? dlqId : null,
  };
}

function publishCallback(
  { at, body }: EventEnvelope,
  source: CallbackSource,
  { delayMs, ...options }: CallbackOptions,
  { dialect, callerIp, bodyBytes, run }: FollowUps,
  names: TurnNames,
): PublishMessage {
  return {
    type: 'PublishMessage',
    kind: messageKind,
    id: names.next('msg'),
    at,
    body: noBody,
    sharesBodyWith: null,
    message: {
      dialect,
      callerIp,
      notBefore: at + delayMs,
      deduplicationKey: null,
      // The approximate size of the composed body: both bodies in base64, plus the JSON around
      // them.
      bodyBytes: Math.ceil(((bodyBytes + (body?.length ?? 0)) * 4) / 3) + 1024,
      bodyOffset: null,
      callback: null,
      failureCallback: null,
      callbackOf: source,
      queueName: null,
      topicName: null,
      endpointName: null,
      scheduleId: null,
      run: run === null ? null : { ...run, role: 'callResult' },
      ...options,
    },
  };
}
