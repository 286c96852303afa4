/**
 * A message in memory: only what scheduling needs. Options and body stay in the journal and are
 * read back when an attempt starts, so that a million delayed messages are cheap.
 */
import { type EventEnvelope, keptText } from '../../engine/decider.js';
import type { StoredForm } from '../../engine/resting/stored-form.js';
import type { DialectName } from '../../http/dialect.js';
import type {
  CallbackOptions,
  MessageEvent,
  MessagePublished,
  RunPlace,
} from './message.events.js';
import type { RunDelivery } from './run-deliveries.js';

/** The callbacks that report how attempts end, and the fields that callbacks inherit. */
export interface FollowUps {
  readonly callback: CallbackOptions | null;
  readonly failureCallback: CallbackOptions | null;
  readonly dialect: DialectName;
  readonly callerIp: string;
  /** Journal offset of the source's `MessagePublished`. */
  readonly publishedOffset: number;
  readonly bodyBytes: number;
  /** The place of a call in its run, where the answer is delivered. */
  readonly run: RunPlace | null;
}

/** The run that must be notified when the message ends. */
export interface RunMembership extends RunDelivery {
  /** Journal offset of the `MessagePublished`. */
  readonly publishedOffset: number;
}

/** How a message is delivered; one object shared by all messages that are delivered alike. */
export interface DeliveryTerms {
  /** Scheme, host and port of the destination, by which attempts share connections. */
  readonly origin: string;
  readonly maxRetries: number;
  readonly retryDelay: string | null;
  readonly queueName: string | null;
  readonly flowControlKey: string | null;
}

/** Accepted and not final: an attempt is due at `notBefore`, in flight, or waiting at a gate. */
export interface PendingMessage {
  readonly status: 'pending';
  /** Attempts recorded so far, which is also the number of the next one. */
  readonly attempts: number;
  readonly notBefore: number;
  readonly bodyBytes: number;
  readonly delivery: DeliveryTerms;
  /** null = no callback follows. */
  readonly followUps: FollowUps | null;
  /** null = the message belongs to no workflow run. */
  readonly run: RunMembership | null;
}

/** A message in memory. A final one leaves memory once the consequences of its end are decided. */
export type MessageState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'delivered' | 'failed' | 'canceled';
      readonly followUps: FollowUps | null;
      readonly run: RunMembership | null;
    }
  | PendingMessage;

const absent: MessageState = { status: 'absent' };
/** One shared state per kind of end, for all messages without callbacks. */
const ends = {
  delivered: { status: 'delivered', followUps: null, run: null },
  failed: { status: 'failed', followUps: null, run: null },
  canceled: { status: 'canceled', followUps: null, run: null },
} satisfies Record<string, MessageState>;

/** A message that was never published. */
export function initialMessage(): MessageState {
  return absent;
}

/** The state of a message after an event, which is at `offset` in the journal. */
export function evolveMessage(
  state: MessageState,
  event: MessageEvent,
  { offset }: Pick<EventEnvelope, 'offset'>,
): MessageState {
  switch (event.type) {
    case 'MessagePublished':
      return pendingMessage(event, offset);
    case 'AttemptFailed':
      return state.status === 'pending'
        ? { ...state, attempts: event.attempt + 1, notBefore: event.retryAt }
        : state;
    case 'MessageRescheduled':
      return state.status === 'pending' ? { ...state, notBefore: event.notBefore } : state;
    case 'MessageDelivered':
    case 'MessageCompleted':
      return ended(state, 'delivered');
    case 'MessageFailed':
      return ended(state, 'failed');
    case 'MessageCanceled':
      return ended(state, 'canceled');
  }
}

/** Whether a message has ended. */
export function isFinalMessage(state: MessageState): boolean {
  return state.status !== 'absent' && state.status !== 'pending';
}

function ended(state: MessageState, status: keyof typeof ends): MessageState {
  if (state.status !== 'pending') return ends[status];
  const { followUps, run } = state;
  return followUps === null && run === null ? ends[status] : { status, followUps, run };
}

function pendingMessage(event: MessagePublished, offset: number): PendingMessage {
  if (event === latest.event) return latest.state;
  const state: PendingMessage = {
    status: 'pending',
    attempts: 0,
    notBefore: event.notBefore,
    bodyBytes: event.bodyBytes,
    delivery: deliveryTerms(event),
    followUps: followUps(event, offset),
    run: membership(event, offset),
  };
  if (state.followUps !== null || state.run !== null) return state;
  if (!isAlike(state, latest.state)) latest.state = state;
  latest.event = event;
  return latest.state;
}

/** Messages that begin alike, such as those of one batch, share one state, which is stored once. */
const latest: { event: MessagePublished | null; state: PendingMessage } = {
  event: null,
  state: {
    status: 'pending',
    attempts: 0,
    notBefore: 0,
    bodyBytes: 0,
    delivery: {
      origin: '',
      maxRetries: 0,
      retryDelay: null,
      queueName: null,
      flowControlKey: null,
    },
    followUps: null,
    run: null,
  },
};

function isAlike(one: PendingMessage, other: PendingMessage): boolean {
  return (
    one.delivery === other.delivery &&
    one.notBefore === other.notBefore &&
    one.bodyBytes === other.bodyBytes
  );
}

function followUps(event: MessagePublished, publishedOffset: number): FollowUps | null {
  const { callback, failureCallback, dialect, callerIp, bodyBytes, run } = event;
  if (callback === null && failureCallback === null) return null;
  return { callback, failureCallback, dialect, callerIp, publishedOffset, bodyBytes, run };
}

function membership(
  { run, callbackOf }: MessagePublished,
  publishedOffset: number,
): RunMembership | null {
  if (run === null) return null;
  const { runId, role, entry } = run;
  const isAnswer = role === 'callResult' && callbackOf !== null;
  const callId = isAnswer ? keptText(callbackOf.messageId) : null;
  return { runId: keptText(runId), role, entry, callId, publishedOffset };
}

/** `https://example.com:8443/a?b` -> `https://example.com:8443`; the URL was checked at publish. */
function originOf(url: string): string {
  const end = url.slice(8).search(/[/?#]/);
  return end === -1 ? url : url.slice(0, end + 8);
}

/** Stored as a list without field names, because there are many messages. */
type StoredMessage =
  | null
  | readonly [
      attempts: number,
      notBefore: number,
      bodyBytes: number,
      origin: string,
      maxRetries: number,
      retryDelay: string | null,
      queueName: string | null,
      flowControlKey: string | null,
      followUps: FollowUps | null,
      run: RunMembership | null,
    ];

/** Only pending messages are stored, because final ones leave memory. */
export const storedMessage: StoredForm<MessageState, StoredMessage> = {
  toStored(state) {
    if (state.status !== 'pending') return null;
    const { attempts, notBefore, bodyBytes, delivery, followUps, run } = state;
    const { origin, maxRetries, retryDelay, queueName, flowControlKey } = delivery;
    return [
      attempts,
      notBefore,
      bodyBytes,
      origin,
      maxRetries,
      retryDelay,
      queueName,
      flowControlKey,
      followUps,
      run,
    ];
  },
  fromStored(stored) {
    if (stored === null) return absent;
    const [attempts, notBefore, bodyBytes, origin, maxRetries, retryDelay, ...others] = stored;
    const [queueName, flowControlKey, followUps, run] = others;
    const terms = { origin, maxRetries, retryDelay, queueName, flowControlKey };
    const delivery = sharedTerms(terms);
    return { status: 'pending', attempts, notBefore, bodyBytes, delivery, followUps, run };
  },
};

/**
 * The latest terms, by the name that determines most of them: messages with the same flow-control
 * key, queue or origin are usually delivered alike.
 */
const latestTerms = new Map<string, DeliveryTerms>();

function deliveryTerms(event: MessagePublished): DeliveryTerms {
  const { maxRetries, retryDelay, queueName } = event;
  const flowControlKey = event.flowControl?.key ?? null;
  const origin = originOf(event.url);
  return sharedTerms({ origin, maxRetries, retryDelay, queueName, flowControlKey });
}

function sharedTerms(equal: DeliveryTerms): DeliveryTerms {
  const { origin, maxRetries, retryDelay, queueName, flowControlKey } = equal;
  const name = flowControlKey ?? queueName ?? origin;
  const latest = latestTerms.get(name);
  if (
    latest?.origin === origin &&
    latest.maxRetries === maxRetries &&
    latest.retryDelay === retryDelay &&
    latest.queueName === queueName &&
    latest.flowControlKey === flowControlKey
  ) {
    return latest;
  }
  const terms: DeliveryTerms = {
    origin: shared(origin),
    maxRetries,
    retryDelay: retryDelay === null ? null : shared(retryDelay),
    queueName: queueName === null ? null : shared(queueName),
    flowControlKey: flowControlKey === null ? null : shared(flowControlKey),
  };
  if (latestTerms.size >= namesMax) latestTerms.clear();
  latestTerms.set(shared(name), terms);
  return terms;
}

/** Equal names share one string. A slice would keep its whole source string alive per message. */
const names = new Map<string, string>();
const namesMax = 10_000;

function shared(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (names.size >= namesMax) names.clear();
  const copy = keptText(name);
  names.set(copy, copy);
  return copy;
}
