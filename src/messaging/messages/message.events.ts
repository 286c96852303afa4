/** The events of a message: the vocabulary that the journal keeps and that others may read. */
import type { DomainEvent, EventEnvelope } from '../../engine/decider.js';
import type { Redaction } from '../../grammar/redaction-fields.js';
import type { DialectName } from '../../http/dialect.js';

/** The stream kind of messages. */
export const messageKind = 'message';

/** A flow-control key and its limits, as a publish named them. */
export interface FlowControlOptions {
  readonly key: string;
  /** Attempts in flight at once; null = not limited. */
  readonly parallelism: number | null;
  /** Attempts started per period; null = not limited. */
  readonly rate: number | null;
  /** The rate's window in seconds. */
  readonly periodSeconds: number;
}

/** The options of a callback, which is published once there is something to report. */
export interface CallbackOptions {
  readonly url: string;
  readonly method: string;
  readonly contentType: string;
  /** Headers to forward, names and values in turn. */
  readonly headers: readonly string[];
  readonly delayMs: number;
  readonly timeoutMs: number | null;
  readonly maxRetries: number;
  readonly retryDelay: string | null;
  readonly labels: readonly string[];
  readonly flowControl: FlowControlOptions | null;
  readonly redaction: Redaction | null;
}

/**
 * The attempt that a callback reports. When the callback is delivered, its body is composed from
 * the two events that the offsets name.
 */
export interface CallbackSource {
  readonly kind: 'callback' | 'failureCallback';
  readonly messageId: string;
  /** Journal offset of the source's `MessagePublished`. */
  readonly publishedOffset: number;
  /** Journal offset of the event that recorded the attempt. */
  readonly attemptOffset: number;
  /** The dead letter that the source became; null = it became none. */
  readonly dlqId: string | null;
}

/**
 * The place of a message in a workflow run. From there the delivery reads what the run adds: the
 * headers of its configuration and, for a step, the list of entries up to its own.
 */
export interface RunPlace {
  readonly runId: string;
  /** The workflow's endpoint. */
  readonly url: string;
  /** When the run began, Unix milliseconds. */
  readonly createdAt: number;
  /**
   * A `step` delivers the entries. A `call` goes to a third party, and a `callResult` brings the
   * answer to the endpoint. A `failureCallback` reports that the run failed.
   */
  readonly role: 'step' | 'call' | 'callResult' | 'failureCallback';
  /** The index of a step's own entry, the last one that it delivers; -1 for other roles. */
  readonly entry: number;
  /** Which headers a 2xx answer must carry (`AnswerCheck` of the run). */
  readonly answerCheck: 'none' | 'protocol' | 'sdk';
  /** Journal offset of the run's `RunStarted`. */
  readonly startedOffset: number;
  /** Journal offset of the event that holds the configuration in force. */
  readonly configurationOffset: number;
  /**
   * Journal offset of the event of the run that this message was published with. A resumed run
   * republishes messages for events of the run that failed.
   */
  readonly eventOffset: number;
}

/**
 * A message was accepted. Its body is stored beside the event, unchanged, unless the message shares
 * the body of an earlier event, is a callback, or delivers the entries of a run.
 */
export interface MessagePublished extends DomainEvent {
  readonly type: 'MessagePublished';
  readonly dialect: DialectName;
  /** The destination, absolute, as it will be called and signed. */
  readonly url: string;
  readonly method: string;
  readonly contentType: string | null;
  /** Headers to forward, names and values in turn, as they will arrive. */
  readonly headers: readonly string[];
  /** No attempt starts before this time, Unix milliseconds. */
  readonly notBefore: number;
  /** The longest time one attempt may take; null = the server's limit. */
  readonly timeoutMs: number | null;
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** The retry-delay expression as written; null = the default backoff. */
  readonly retryDelay: string | null;
  readonly labels: readonly string[];
  readonly flowControl: FlowControlOptions | null;
  /** A later publish with this key is a duplicate of this one; null = none is. */
  readonly deduplicationKey: string | null;
  readonly callerIp: string;
  readonly bodyBytes: number;
  /** Offset of the event whose body this message shares (URL groups, schedules); else null. */
  readonly bodyOffset: number | null;
  readonly redaction: Redaction | null;
  /** Called after each attempt; null = no callback. */
  readonly callback: CallbackOptions | null;
  /** Called when the message has failed for good; null = no callback. */
  readonly failureCallback: CallbackOptions | null;
  /** This message is itself a callback; null = it is not. */
  readonly callbackOf: CallbackSource | null;
  /** The queue that the message goes through; null = none. */
  readonly queueName: string | null;
  /** The URL group that it was published to, and the name of its endpoint in that group. */
  readonly topicName: string | null;
  readonly endpointName: string | null;
  /** The schedule that published it. */
  readonly scheduleId: string | null;
  /** The workflow run that it belongs to. */
  readonly run: RunPlace | null;
}

/** A `MessagePublished` with its journal offset and the message's own body. */
export type Published = EventEnvelope<MessagePublished>;

/**
 * A message that will be published later, repeatedly: everything that does not depend on the time,
 * the target and the publisher.
 */
export interface MessageTemplate
  extends Omit<
    MessagePublished,
    | 'type'
    | 'url'
    | 'notBefore'
    | 'bodyOffset'
    | 'callbackOf'
    | 'topicName'
    | 'endpointName'
    | 'scheduleId'
    | 'run'
  > {
  /** From the publish to the first attempt, milliseconds. */
  readonly delayMs: number;
}

/** How one attempt ended. The captured response body is stored beside the event. */
export interface AttemptRecord {
  /** 0 for the first attempt. */
  readonly attempt: number;
  readonly startedAt: number;
  readonly durationMs: number;
  /** The status of the response; 0 = no response, for the reason in `error`. */
  readonly status: number;
  /** Response headers, names and values in turn. */
  readonly headers: readonly string[];
  /** Why there was no response, or why a 2xx response does not count. */
  readonly error: string | null;
  /** The response body was longer than the part that is stored. */
  readonly bodyTruncated?: true;
}

/** An event that records an attempt, with its journal offset. */
export type AttemptEvent = EventEnvelope<AttemptRecord & DomainEvent>;

/** The destination answered 2xx and passed the checks: the message is done. */
export interface MessageDelivered extends DomainEvent, AttemptRecord {
  readonly type: 'MessageDelivered';
}

/** An attempt failed and another one follows. */
export interface AttemptFailed extends DomainEvent, AttemptRecord {
  readonly type: 'AttemptFailed';
  /** When the next attempt may start, Unix milliseconds. */
  readonly retryAt: number;
}

/** A user moved the next attempt to another time. */
export interface MessageRescheduled extends DomainEvent {
  readonly type: 'MessageRescheduled';
  /** No attempt starts before this time, Unix milliseconds. */
  readonly notBefore: number;
}

/** The last attempt failed, or the destination refused any further attempt. */
export interface MessageFailed extends DomainEvent, AttemptRecord {
  readonly type: 'MessageFailed';
  readonly cause: 'exhausted' | 'non_retryable';
}

/** An attempt whose request was on its way when its message ended. */
export interface AttemptUnderWay {
  /** 0 for the first attempt. */
  readonly attempt: number;
  readonly startedAt: number;
}

/**
 * The run ended while the message was being delivered: the end of the run counts as the answer, and
 * no other answer is awaited.
 */
export interface MessageCompleted extends DomainEvent {
  readonly type: 'MessageCompleted';
  /** The attempt in flight, whose end no event records; absent = there was none. */
  readonly underWay?: AttemptUnderWay;
}

/** The message was canceled. An attempt in flight is not cut off, but no other follows it. */
export interface MessageCanceled extends DomainEvent {
  readonly type: 'MessageCanceled';
  /** The attempt in flight, whose end no event records; absent = there was none. */
  readonly underWay?: AttemptUnderWay;
}

/** All events of a message's stream. */
export type MessageEvent =
  | MessagePublished
  | MessageDelivered
  | AttemptFailed
  | MessageRescheduled
  | MessageFailed
  | MessageCompleted
  | MessageCanceled;
