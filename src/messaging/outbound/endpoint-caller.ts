/**
 * Calls destinations: one attempt in, one outcome out. Connections are pooled by origin; limits,
 * guard and deadline apply to every attempt (messaging.md 1.5 and 3.1, ADR 24).
 */
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import type { Clock } from '../../engine/clock.js';
import { requestTarget } from '../../grammar/destination.js';
import { Refusal, refused } from '../../grammar/result.js';
import { TransientMap } from '../../grammar/transient-map.js';
import type { ByteBudget } from '../../http/bytes/byte-budget.js';
import { type AllowedNetworks, type DialTarget } from '../settings.js';
import { AddressGuard, dialledHost } from './address-guard.js';
import { AnswerRoom, answerBudget } from './answer-room.js';
import type { AttemptOutcome, OutgoingAttempt } from './attempt-outcome.js';
import { guardedConnector } from './connector.js';
import type { Endpoints } from './endpoints.js';
import type { Resolve } from './look-ups.js';
import { NameResolver } from './name-resolver.js';
import { OpenAttempt } from './open-attempt.js';
import { OriginConnections } from './origin-connections.js';
import { wireRequest } from './request-head.js';

/** The dependencies and limits of an `EndpointCaller`. */
export interface EndpointCallerOptions {
  readonly clock: Clock;
  /** The networks that may be reached beyond the public internet. */
  readonly allowed: AllowedNetworks;
  /** Addresses of this machine, which are closed unless they are allowed. */
  readonly own?: readonly string[];
  /** Targets to dial instead of a host, by host name in lower case. */
  readonly overrides: ReadonlyMap<string, DialTarget>;
  /** The most connections to one origin. */
  readonly originParallelism: number;
  /** The most bytes that are kept of one answer; absent = 10 MiB. */
  readonly answerBytesMax?: number;
  /** Total number of connections above which idle ones are closed; absent = no limit. */
  readonly connectionsMax?: number;
  /** Resolves names; absent = the operating system does. */
  readonly resolve?: Resolve;
}

/** An attempt that has not ended, and the signal that cuts it. */
interface OpenCall {
  readonly attempt: OpenAttempt;
  readonly signal: AbortSignal | undefined;
}

const usualAnswerBytesMax = 10 * 1024 * 1024;

const rememberedMax = 1024;
/** Longer URLs are checked each time, to keep the cache small. */
const rememberedLengthMax = 1024;

const poolsMax = 1024;
/** A pool is replaced after a minute, so that changes of DNS are followed. */
const poolAgeMs = 60_000;

/** One instance per server. Every failure is an outcome with status 0 and the reason. */
export class EndpointCaller implements Endpoints {
  private readonly guard: AddressGuard;
  private readonly connector: buildConnector.connector;
  /** Destinations that may be called, by text: the guard's verdict on a text never changes. */
  private readonly destinations = new LRUCache<string, CalledUrl>({ max: rememberedMax });
  private readonly pools: LRUCache<string, OriginConnections>;
  /** All pools that have not shut down, including those that were replaced. */
  private readonly living = new Set<OriginConnections>();
  private readonly open = new TransientMap<number, OpenCall>();
  private calls = 0;
  private readonly watched = new WeakSet<AbortSignal>();
  private isClosed = false;
  private connections = 0;
  private readonly answers: ByteBudget;

  constructor(private readonly options: EndpointCallerOptions) {
    const { clock, allowed, own, overrides, resolve } = options;
    this.answers = answerBudget(options.answerBytesMax ?? usualAnswerBytesMax);
    this.guard = new AddressGuard(allowed, own);
    const resolver = new NameResolver(this.guard, clock, resolve);
    const connect = guardedConnector(this.guard, resolver, overrides);
    this.connector = (target, callback) =>
      connect(target, (...opened) => {
        if (opened[0] === null) this.opened(opened[1]);
        callback(...opened);
      });
    this.pools = new LRUCache({
      max: poolsMax,
      ttl: poolAgeMs,
      ttlResolution: 0,
      perf: { now: () => clock.monotonic() },
      dispose: (pool) => pool.close(),
    });
  }

  /** Makes one attempt. Never rejects. When `signal` aborts, its open attempts are cut. */
  call(attempt: OutgoingAttempt, signal?: AbortSignal): Promise<AttemptOutcome> {
    return new Promise((resolve) => {
      this.calls += 1;
      const number = this.calls;
      const room = new AnswerRoom(this.answers, attempt.url);
      const open: OpenAttempt = new OpenAttempt(attempt, this.options.clock, room, (outcome) => {
        this.open.delete(number);
        resolve(outcome);
      });
      this.open.set(number, { attempt: open, signal });
      if (signal !== undefined) this.watch(signal);
      if (this.isClosed || signal?.aborted === true) open.cut();
      else this.dispatch(attempt, open);
    });
  }

  /** Cuts open attempts and closes every connection. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { attempt } of [...this.open.values()]) attempt.cut();
    for (const pool of [...this.living]) pool.destroy();
  }

  private dispatch({ url: text, method, headers, body }: OutgoingAttempt, open: OpenAttempt): void {
    const destination = this.destinationOf(text);
    if (destination instanceof Refusal) {
      open.fail(`the destination ${destination.message}`);
      return;
    }
    const { url, target } = destination;
    const sendsBody = method !== 'GET' && method !== 'HEAD';
    const request = wireRequest(url, target, method, headers, sendsBody ? body : null);
    if (request instanceof Refusal) open.fail(request.message);
    else this.poolOf(url).send(request, open);
  }

  /**
   * The URL and the request target for a text. Addresses are checked again by each connection that
   * is opened, so verdicts on them are not remembered.
   */
  private destinationOf(text: string): CalledUrl | Refusal {
    const known = this.destinations.get(text);
    if (known !== undefined) return known;
    const url = this.judge(text);
    if (url instanceof Refusal) return url;
    const called = { url, target: requestTarget(text, url) };
    if (text.length <= rememberedLengthMax) this.destinations.set(text, called);
    return called;
  }

  /** An overridden host is not checked: the operator named the target to dial. */
  private judge(text: string): URL | Refusal {
    const url = urlOf(text);
    if (url === null) return refused('is not a valid URL');
    if (this.options.overrides.has(dialledHost(url))) return url;
    return this.guard.checkDestination(url) ?? url;
  }

  private poolOf(url: URL): OriginConnections {
    const { origin } = url;
    const known = this.pools.get(origin);
    if (known !== undefined) return known;
    const { clock, originParallelism: connections } = this.options;
    const limits = { connections, keptMs: poolAgeMs };
    const pool = new OriginConnections(url, this.connector, limits, clock, () => {
      this.living.delete(pool);
    });
    this.pools.set(origin, pool);
    this.living.add(pool);
    return pool;
  }

  /** When there are too many connections, closes those of idle origins. */
  private opened(socket: Socket): void {
    this.connections += 1;
    socket.once('close', () => {
      this.connections -= 1;
    });
    const { connectionsMax = Number.POSITIVE_INFINITY } = this.options;
    if (this.connections <= connectionsMax) return;
    for (const origin of [...this.pools.keys()]) {
      if (this.pools.peek(origin)?.isIdle === true) this.pools.delete(origin);
    }
  }

  /** One listener per signal, however many attempts share it. */
  private watch(signal: AbortSignal): void {
    if (this.watched.has(signal)) return;
    this.watched.add(signal);
    const cutAll = () => {
      const own = [...this.open.values()].filter((call) => call.signal === signal);
      for (const { attempt } of own) attempt.cut();
    };
    signal.addEventListener('abort', cutAll, { once: true });
  }
}

/** The URL for a text, and the target for its request line. */
interface CalledUrl {
  readonly url: URL;
  readonly target: string;
}

/** Calling `URL.canParse` first would parse the text twice. */
function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
