/**
 * What can have happened to a message: the vocabulary that the journal keeps and others may read.
 */
import type { DomainEvent } from '../engine/decider.js';
import type { DialectName } from '../http/dialect.js';

/** The stream kind of messages. */
export const messageKind = 'message';

/** Limits of a flow-control key as a publish named them. */
export interface FlowControlOptions {
  readonly key: string;
  /** Attempts in flight at once; null = not limited. */
  readonly parallelism: number | null;
  /** Attempts started per period; null = not limited. */
  readonly rate: number | null;
  /** The rate's window in seconds. */
  readonly periodSeconds: number;
}

/** A message was accepted. Its body stands beside the event, untouched. */
export interface MessagePublished extends DomainEvent {
  readonly type: 'MessagePublished';
  readonly dialect: DialectName;
  /** The destination, absolute, as it will be called and signed. */
  readonly url: string;
  readonly method: string;
  readonly contentType: string | null;
  /** Headers to forward, names and values in turn, as they will arrive. */
  readonly headers: readonly string[];
  /** No attempt starts before, Unix milliseconds. */
  readonly notBefore: number;
  /** The longest one attempt may take; null = the server's limit. */
  readonly timeoutMs: number | null;
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** The retry-delay expression as written; null = the default backoff. */
  readonly retryDelay: string | null;
  readonly labels: readonly string[];
  readonly flowControl: FlowControlOptions | null;
  /** What makes a later publish a duplicate of this one; null = nothing. */
  readonly deduplicationKey: string | null;
  readonly callerIp: string;
  readonly bodyBytes: number;
}

/** How one attempt ended. The captured response body stands beside the event. */
export interface AttemptRecord {
  /** 0 for the first attempt. */
  readonly attempt: number;
  readonly startedAt: number;
  readonly durationMs: number;
  /** The response's status; 0 = no response, `error` says why. */
  readonly status: number;
  /** Response headers, names and values in turn. */
  readonly headers: readonly string[];
  readonly error: string | null;
}

/** The destination answered 2xx: the message is done. */
export interface MessageDelivered extends DomainEvent, AttemptRecord {
  readonly type: 'MessageDelivered';
}

/** An attempt failed and another one follows. */
export interface AttemptFailed extends DomainEvent, AttemptRecord {
  readonly type: 'AttemptFailed';
  /** When the next attempt may start, Unix milliseconds. */
  readonly retryAt: number;
}

/** The last attempt failed, or the destination refused any further one. */
export interface MessageFailed extends DomainEvent, AttemptRecord {
  readonly type: 'MessageFailed';
  readonly cause: 'exhausted' | 'non_retryable';
}

/** Its publisher took it back. An attempt in flight is not cut off, but nothing follows it. */
export interface MessageCanceled extends DomainEvent {
  readonly type: 'MessageCanceled';
}

export type MessageEvent =
  | MessagePublished
  | MessageDelivered
  | AttemptFailed
  | MessageFailed
  | MessageCanceled;
