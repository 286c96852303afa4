/**
 * Passes requests on to the owner over connections that are kept, and holds them while there is no
 * owner to be reached (ADR 63).
 */
import { Agent, type Dispatcher } from 'undici';
import type { Clock } from '../../engine/clock.js';
import { type Hop, type HopRequest, signHop } from './hop.js';

/** The status by which a node says that it is not the owner: the request was not looked at. */
export const misdirected = 421;

/** A request that a client sent to this node. */
export interface ForwardedRequest extends HopRequest, Hop {
  readonly method: Dispatcher.HttpMethod;
  /** As they go out; those of the connection are not among them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How it ended: the owner's answer, whose body is a stream, or a reason to answer 503. */
export type Forwarded =
  | { readonly kind: 'answered'; readonly answer: Dispatcher.ResponseData }
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number };

/** What a forwarder needs. Bounds are of one node. */
export interface ForwarderOptions {
  readonly secret: string;
  readonly clock: Clock;
  /** The address of the owner (`http://host:port`); null while none is known. */
  readonly owner: () => string | null;
  /** How long a request waits for an owner that takes it. */
  readonly heldMs?: number;
  /** Bytes of the bodies that are held at once. */
  readonly heldBytes?: number;
  /** How long after a failure the owner is asked again. */
  readonly retryMs?: number;
  /** How long the head of an answer may take: long reads wait for records. */
  readonly answerMs?: number;
}

const mebibyte = 1024 * 1024;
const retryAfterSeconds = 2;
const unavailable: Forwarded = { kind: 'unavailable', retryAfterSeconds };

export class Forwarder {
  private readonly agent: Agent;
  private usedBytes = 0;
  private readonly ending = new AbortController();

  constructor(private readonly options: ForwarderOptions) {
    const answerMs = options.answerMs ?? 120_000;
    // One connection for each request under way: the limits of the node's own clients bound them.
    this.agent = new Agent({ headersTimeout: answerMs, bodyTimeout: 0, connectTimeout: 1000 });
  }

  /** Bytes of the bodies that wait for an owner's answer. */
  get heldBytes(): number {
    return this.usedBytes;
  }

  /**
   * Passes a request on, again and again with the same seed until an owner answers, the time is
   * over or `signal` says that the client is gone.
   */
  async forward(request: ForwardedRequest, signal?: AbortSignal): Promise<Forwarded> {
    const { heldMs = 5000, heldBytes = 64 * mebibyte, retryMs = 100, clock } = this.options;
    const { length } = request.body;
    if (this.usedBytes + length > heldBytes) return unavailable;
    this.usedBytes += length;
    const until = clock.monotonic() + heldMs;
    const signals = signal === undefined ? [] : [signal];
    const given = AbortSignal.any([this.ending.signal, ...signals]);
    try {
      while (!given.aborted) {
        const answer = await this.attempt(request, given);
        if (answer !== null) return { kind: 'answered', answer };
        if (clock.monotonic() + retryMs > until) break;
        await new Promise<void>((resolve) => clock.after(retryMs, resolve));
      }
      return unavailable;
    } finally {
      this.usedBytes -= length;
    }
  }

  /** Gives up what is held and closes all connections. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.agent.destroy();
  }

  /** The owner's answer; null where the request has to be sent again. */
  private async attempt(
    request: ForwardedRequest,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData | null> {
    const origin = this.options.owner();
    if (origin === null) return null;
    const { method, path, body } = request;
    const signed = signHop(this.options.secret, request, request, this.options.clock.now());
    const headers = { ...request.headers, ...signed };
    try {
      const sent = { origin, method, path, headers, body, signal };
      const answer = await this.agent.request(sent);
      if (answer.statusCode !== misdirected) return answer;
      await answer.body.dump();
      return null;
    } catch {
      // It may have been done: the owner knows the seed, so asking again does it once.
      return null;
    }
  }
}
