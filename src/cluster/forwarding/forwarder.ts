/**
 * Forwards requests to the owner over persistent connections, and holds them while no owner can be
 * reached (ADR 63, ADR 79).
 */
import { Agent, type Dispatcher } from 'undici';
import type { Clock } from '../../engine/clock.js';
import { fieldsOf } from '../../grammar/json.js';
import { standstillMs } from '../silence.js';
import { type Hop, type HopRequest, hopHeader, signHop } from './hop.js';
import { type KnownOwner, SentRequests } from './sent-requests.js';

/**
 * The status with which a node answers that it is not the owner: it has not processed the request.
 */
export const misdirected = 421;

/** A request that a client sent to this node. */
export interface ForwardedRequest extends HopRequest, Omit<Hop, 'attempt'> {
  readonly method: Dispatcher.HttpMethod;
  /** Alternating names and values, as they are sent; connection headers are not among them. */
  readonly headers: readonly string[];
  /**
   * Whether the request may be sent again when its outcome is unknown: it changes nothing, or the
   * owner can tell that it was carried out already.
   */
  readonly isRepeatable: boolean;
}

/** How the forwarding of a request ended. */
export type Forwarded =
  /** The owner's answer, whose body is a stream; `headerPairs` has its headers. */
  | { readonly kind: 'answered'; readonly answer: Dispatcher.ResponseData }
  /** This node has become the owner; `attempt` is counted like that of a `Hop`. */
  | { readonly kind: 'here'; readonly attempt: number }
  /** No owner accepted the request in time: nothing was done. */
  | { readonly kind: 'unavailable' }
  /** The request was sent, and its outcome is unknown. */
  | { readonly kind: 'unknown' }
  /** The owner did not accept this node's signature; `reason` says why. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The client disconnected, or this node is shutting down. */
  | { readonly kind: 'gone' };

/** What a forwarder needs. The limits apply to this one node. */
export interface ForwarderOptions extends KnownOwner {
  readonly secret: string;
  readonly clock: Clock;
  /** How long a request waits for an owner to accept it, or for a silent owner to answer. */
  readonly heldMs?: number;
  /** The most bytes of request bodies that may be held at once. */
  readonly heldBytes?: number;
  /** How long after a failure the request is sent to the owner again. */
  readonly retryMs?: number;
  /** How long the head of an answer may take: long reads wait for records. */
  readonly answerMs?: number;
}

const mebibyte = 1024 * 1024;

const heldMsDefault = 5000;

/** A request is given up after its outcome was unknown this many times. */
const unknownMax = 5;

/** The outcome of one attempt to send a request. */
type Attempted = Forwarded | { readonly kind: 'unseen' } | { readonly kind: 'given-up' };

/**
 * Forwards the requests of one node. Every outcome is a value (`Forwarded`), so that the caller can
 * define in one place what each outcome means to the client.
 */
export class Forwarder {
  private readonly agent: Agent;
  private readonly sent: SentRequests;
  private usedBytes = 0;
  private readonly ending = new AbortController();
  private look: Promise<void> | null = null;

  constructor(private readonly options: ForwarderOptions) {
    const answerMs = options.answerMs ?? 120_000;
    // One connection for each request in flight: the limits on this node's own clients bound them.
    this.agent = new Agent({ headersTimeout: answerMs, bodyTimeout: 0, connectTimeout: 1000 });
    this.sent = new SentRequests(options.clock, options, options.heldMs ?? heldMsDefault);
  }

  /** Bytes of the request bodies that wait for an owner's answer. */
  get heldBytes(): number {
    return this.usedBytes;
  }

  /**
   * Forwards a request until an owner answers, or until `signal` says that the client is gone. The
   * request is sent again, with the same seed, if no owner has processed it, or if its outcome is
   * unknown and it is repeatable. The body of an answer fails if another node becomes the owner,
   * just as if the connection breaks.
   */
  async forward(request: ForwardedRequest, signal?: AbortSignal): Promise<Forwarded> {
    const { heldBytes = 64 * mebibyte } = this.options;
    const { length } = request.body;
    if (this.usedBytes + length > heldBytes) return unavailable;
    this.usedBytes += length;
    try {
      return await this.untilAnswered(request, signal ?? never);
    } finally {
      this.usedBytes -= length;
    }
  }

  /** Abandons all held requests and closes all connections. */
  async close(): Promise<void> {
    this.ending.abort();
    this.sent.end();
    await this.agent.destroy();
  }

  private get isHere(): boolean {
    return this.options.isHere?.() === true;
  }

  private async untilAnswered(request: ForwardedRequest, gone: AbortSignal): Promise<Forwarded> {
    const { heldMs = heldMsDefault, retryMs = 50, clock } = this.options;
    let until = clock.monotonic() + heldMs;
    let attempt = 1;
    while (!gone.aborted && !this.ending.signal.aborted) {
      if (this.isHere) return { kind: 'here', attempt };
      const attempted = await this.attempt(request, attempt, gone);
      // The request has waited for as long as it may, and there is no other owner to send it to.
      if (attempted.kind === 'given-up') return unknown;
      if (attempted.kind === 'unknown' && request.isRepeatable && attempt < unknownMax) {
        attempt += 1;
        // A request that was in flight for long still gets the full time to wait for the next
        // owner.
        until = clock.monotonic() + heldMs;
      } else if (attempted.kind !== 'unseen') return attempted;
      if (clock.monotonic() + retryMs > until) return attempt > 1 ? unknown : unavailable;
      const dueAt = clock.monotonic() + retryMs;
      await this.nextLook(retryMs);
      // While this process stood still, no owner could accept the request.
      const lateMs = clock.monotonic() - dueAt;
      if (lateMs > standstillMs) until += lateMs;
    }
    return { kind: 'gone' };
  }

  /** One timer serves all requests that are held. */
  private nextLook(retryMs: number): Promise<void> {
    this.look ??= new Promise<void>((resolve) => {
      this.options.clock.after(retryMs, () => {
        this.look = null;
        resolve();
      });
    });
    return this.look;
  }

  private async attempt(
    request: ForwardedRequest,
    attempt: number,
    gone: AbortSignal,
  ): Promise<Attempted> {
    const origin = this.options.owner();
    if (origin === null) return unseen;
    const { method, path, body, client, seed } = request;
    const { secret, clock } = this.options;
    const signed = signHop(secret, request, { client, seed, attempt }, clock.now());
    const headers = [...request.headers, ...Object.entries(signed).flat()];
    const sent = this.sent.begin(origin, request.isRepeatable, gone);
    try {
      const { signal } = sent;
      const responseHeaders = 'raw' as const;
      const options = { origin, method, path, headers, body, signal, responseHeaders };
      const answer = await this.agent.request(options);
      const reason = answer.statusCode === 401 ? hopReason(answer) : undefined;
      if (answer.statusCode !== misdirected && reason === undefined) {
        sent.answered();
        answer.body.once('close', sent.end);
        return { kind: 'answered', answer };
      }
      sent.end();
      await answer.body.dump();
      return reason === undefined ? unseen : { kind: 'refused', reason };
    } catch (error) {
      sent.end();
      if (gone.aborted) return { kind: 'gone' };
      if (sent.isGivenUp()) return { kind: 'given-up' };
      return isUnsent(error) ? unseen : unknown;
    }
  }
}

const never = new AbortController().signal;
const unavailable: Forwarded = { kind: 'unavailable' };
const unknown: Forwarded = { kind: 'unknown' };
const unseen: Attempted = { kind: 'unseen' };

/** The headers of an owner's answer as they arrived: alternating names and values. */
export function headerPairs({ headers }: Dispatcher.ResponseData): readonly string[] {
  // With `responseHeaders: 'raw'` the headers are an array, which their type does not say.
  return Array.isArray(headers) ? headers : [];
}

function hopReason(answer: Dispatcher.ResponseData): string | undefined {
  const pairs = headerPairs(answer);
  const at = pairs.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === hopHeader);
  return at < 0 ? undefined : pairs[at + 1];
}

/** Whether no connection was established, so that no byte of the request was sent. */
function isUnsent(error: unknown): boolean {
  const { code, syscall, errors } = fieldsOf(error);
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isUnsent);
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT';
}
