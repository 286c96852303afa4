/**
 * The messages that a run publishes. A run calls no endpoint itself, so retries, signatures, flow
 * control and logs work as for any other message (workflows.md 1.5). Pure.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { PublishMessage } from '../../messaging/messages/message.commands.js';
import {
  type CallbackOptions,
  type CallbackSource,
  type MessagePublished,
  messageKind,
  type RunPlace,
} from '../../messaging/messages/message.events.js';
import type { RequestCall, StepOptions } from '../run-state/run.commands.js';
import type { RunEvent, RunTerms } from '../run-state/run.events.js';
import type { RunState } from '../run-state/run.machine.js';

type Message = Omit<MessagePublished, 'type'>;

/** A delivered list larger than this is left for the endpoint to fetch (workflows.md 1.2). */
export const lazyBytes = 1024 * 1024;

const noBody = Buffer.alloc(0);

/** A message without an origin of its own. */
const plain = {
  deduplicationKey: null,
  bodyOffset: null,
  callback: null,
  failureCallback: null,
  callbackOf: null,
  queueName: null,
  topicName: null,
  endpointName: null,
  scheduleId: null,
} satisfies Partial<Message>;

/** The options of a step that sets none. */
export const noStepOptions: StepOptions = {
  maxRetries: null,
  retryDelay: null,
  timeoutMs: null,
  flowControl: null,
  labels: null,
  redaction: null,
  headers: [],
};

/** The message that delivers the list up to its last entry, which the event has just appended. */
export function stepMessage(
  envelope: EventEnvelope<RunEvent>,
  state: RunState,
  messageId: string,
  notBefore: number,
  options: StepOptions = noStepOptions,
): PublishMessage {
  const { entries, url, dialect, callerIp, fetchesLazily } = state.context;
  const isLazy = fetchesLazily && entries.deliveredBytes > lazyBytes;
  const terms = termsOf(state);
  // Each step publishes such a message, and spreading this many fields would dominate the cost.
  return publish(envelope, messageId, noBody, {
    type: 'MessagePublished',
    dialect,
    url,
    method: 'POST',
    contentType: 'application/json',
    notBefore,
    callerIp,
    bodyBytes: isLazy ? 0 : entries.deliveredBytes,
    run: runPlace(envelope, state, 'step', entries.length - 1),
    deduplicationKey: null,
    bodyOffset: null,
    callback: null,
    failureCallback: null,
    callbackOf: null,
    queueName: null,
    topicName: null,
    endpointName: null,
    scheduleId: null,
    headers: options.headers,
    maxRetries: options.maxRetries ?? terms.maxRetries,
    retryDelay: options.retryDelay ?? terms.retryDelay,
    timeoutMs: options.timeoutMs ?? terms.timeoutMs,
    flowControl: options.flowControl ?? terms.flowControl,
    labels: options.labels ?? terms.labels,
    redaction: options.redaction ?? terms.redaction,
  });
}

/**
 * The message that calls a third party for a step; the answer is delivered by the run's own terms.
 */
export function callMessage(
  envelope: EventEnvelope<RunEvent>,
  state: RunState,
  { message, messageId, body, callback }: RequestCall,
): PublishMessage {
  const { url } = state.context;
  const { labels, redaction } = termsOf(state);
  return publish(envelope, messageId, body, {
    ...message,
    labels: message.labels.length > 0 ? message.labels : labels,
    // A run's redaction is set once, at its start; SDKs do not repeat it with a call.
    redaction: message.redaction ?? redaction,
    callback: {
      url,
      method: 'POST',
      contentType: 'application/json',
      delayMs: 0,
      ...optionsOf(state, callback),
    },
    run: runPlace(envelope, state, 'call', -1),
  });
}

/** The message that calls the failure callback of a failed run; null = the run has none. */
export function failureMessage(
  envelope: EventEnvelope<RunEvent>,
  state: RunState,
  messageId: string,
  source: CallbackSource,
): PublishMessage | null {
  const { failureCallback } = termsOf(state);
  if (failureCallback === null) return null;
  const { dialect, callerIp } = state.context;
  const { delayMs, ...options } = failureCallback;
  return publish(envelope, messageId, noBody, {
    headers: [],
    dialect,
    callerIp,
    notBefore: envelope.at + delayMs,
    bodyBytes: state.context.entries.deliveredBytes,
    run: {
      ...runPlace(envelope, state, 'failureCallback', -1),
      configurationOffset: state.context.failureCallbackOffset,
    },
    ...plain,
    ...options,
    callbackOf: source,
  });
}

/**
 * A message of a failed run, published again by the run that resumes it. It keeps naming the event
 * that it was first published for, unless this event replaces that one.
 */
export function repeatedMessage(
  envelope: EventEnvelope<RunEvent>,
  state: RunState,
  messageId: string,
  message: Message,
): PublishMessage {
  if (message.run === null) throw new Error(`${messageId} repeats a message of no run`);
  const { role, entry, eventOffset: first } = message.run;
  const eventOffset = envelope.event.type === 'StepEdited' ? envelope.offset : first;
  const run = { ...runPlace(envelope, state, role, entry), eventOffset };
  return publish(envelope, messageId, noBody, { ...message, run });
}

function publish(
  { at }: EventEnvelope,
  id: string,
  body: Buffer,
  message: Message | MessagePublished,
): PublishMessage {
  return {
    type: 'PublishMessage',
    kind: messageKind,
    id,
    at,
    body,
    message,
    sharesBodyWith: null,
  };
}

function runPlace(
  { id, offset }: EventEnvelope,
  { context }: RunState,
  role: RunPlace['role'],
  entry: number,
): RunPlace {
  const { url, createdAt, answerCheck, startedOffset, configurationOffset } = context;
  return {
    runId: id,
    url,
    createdAt,
    role,
    entry,
    answerCheck,
    startedOffset,
    configurationOffset,
    eventOffset: offset,
  };
}

/** A step's own options override the run's (workflows.md 1.5). */
function optionsOf(
  state: RunState,
  own: StepOptions,
): Omit<CallbackOptions, 'url' | 'method' | 'contentType' | 'delayMs'> {
  const terms = termsOf(state);
  return {
    headers: own.headers,
    maxRetries: own.maxRetries ?? terms.maxRetries,
    retryDelay: own.retryDelay ?? terms.retryDelay,
    timeoutMs: own.timeoutMs ?? terms.timeoutMs,
    flowControl: own.flowControl ?? terms.flowControl,
    labels: own.labels ?? terms.labels,
    redaction: own.redaction ?? terms.redaction,
  };
}

function termsOf({ context }: RunState): RunTerms {
  const { terms } = context;
  if (terms === null) throw new Error('a run without its terms');
  return terms;
}
