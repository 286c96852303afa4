/**
 * A message as memory holds it: what scheduling needs and no more. Options and body stay in the
 * journal and are read back when an attempt starts, so that a million delayed messages are cheap.
 */
import type { MessageEvent, MessagePublished } from './message.events.js';

/** Accepted and not final: an attempt is due at `notBefore`, running, or waiting to be let in. */
export interface PendingMessage {
  readonly status: 'pending';
  /** Attempts recorded so far; also the number of the next one. */
  readonly attempts: number;
  readonly notBefore: number;
  readonly maxRetries: number;
  readonly retryDelay: string | null;
  /** Scheme, host and port of the destination, by which attempts share connections. */
  readonly origin: string;
  readonly bodyBytes: number;
}

export type MessageState =
  | { readonly status: 'absent' | 'delivered' | 'failed' | 'canceled' }
  | PendingMessage;

const absent: MessageState = { status: 'absent' };
const delivered: MessageState = { status: 'delivered' };
const failed: MessageState = { status: 'failed' };
const canceled: MessageState = { status: 'canceled' };

export function initialMessage(): MessageState {
  return absent;
}

export function evolveMessage(state: MessageState, event: MessageEvent): MessageState {
  switch (event.type) {
    case 'MessagePublished':
      return pendingMessage(event);
    case 'AttemptFailed':
      return state.status === 'pending'
        ? { ...state, attempts: event.attempt + 1, notBefore: event.retryAt }
        : state;
    case 'MessageDelivered':
      return delivered;
    case 'MessageFailed':
      return failed;
    case 'MessageCanceled':
      return canceled;
  }
}

export function isFinalMessage(state: MessageState): boolean {
  return state.status !== 'absent' && state.status !== 'pending';
}

function pendingMessage(event: MessagePublished): PendingMessage {
  return {
    status: 'pending',
    attempts: 0,
    notBefore: event.notBefore,
    maxRetries: event.maxRetries,
    retryDelay: event.retryDelay,
    origin: shared(originOf(event.url)),
    bodyBytes: event.bodyBytes,
  };
}

/** `https://example.com:8443/a?b` -> `https://example.com:8443`; the URL was checked at publish. */
function originOf(url: string): string {
  const end = url.slice(8).search(/[/?#]/);
  return end === -1 ? url : url.slice(0, end + 8);
}

/** Equal origins share one string: a slice would keep its whole URL alive in every message. */
const origins = new Map<string, string>();
const originsMax = 10_000;

function shared(origin: string): string {
  const known = origins.get(origin);
  if (known !== undefined) return known;
  if (origins.size >= originsMax) origins.clear();
  const copy = Buffer.from(origin).toString();
  origins.set(copy, copy);
  return copy;
}
