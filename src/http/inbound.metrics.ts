/** Metrics of clients: requests, connections, and the bytes that both hold. */
import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import { fastSeconds, gauge } from '../engine/metrics/gauge.js';
import { type Tally, type TallyCounter, tallyCounter } from '../engine/metrics/tallies.js';
import type { RequestHead } from './request-head.js';

/** Called with every answer. */
interface RefusalCount {
  answered(request: RequestHead, route: string, status: number): void;
}

/** Requests of one route that are counted together. */
interface RequestKind {
  readonly method: string;
  readonly status: number;
  readonly answers: Tally;
  readonly duration: Histogram.Internal<string>;
}

/**
 * Registered once per registry. The values of its labels are bounded: they contain no path, address
 * or credential.
 */
export class InboundMetrics {
  readonly #registry: Registry;
  readonly #requests: TallyCounter;
  readonly #requestSeconds: Histogram;
  readonly #refusedRooms: Counter;
  readonly #stalledClients: Counter;
  readonly #refusedConnections: Counter;
  readonly #abortedRequests: Counter;
  readonly #refusedRequests: Counter;

  /** By route. Bounded, because methods, statuses and route patterns are. */
  readonly #requestKinds = new Map<string, readonly RequestKind[]>();

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#requests = tallyCounter(registry, {
      name: 'stepwell_http_requests_total',
      help: 'Requests answered, by route pattern.',
      labelNames: ['method', 'route', 'status'],
    });
    this.#requestSeconds = new Histogram({
      name: 'stepwell_http_request_seconds',
      help: 'Time from the request head to the end of the answer.',
      labelNames: ['method', 'route'],
      buckets: fastSeconds,
      registers,
    });
    this.#refusedRooms = new Counter({
      name: 'stepwell_in_flight_refusals_total',
      help: 'Requests refused because no memory for their bytes became free in time.',
      registers,
    });
    this.#stalledClients = new Counter({
      name: 'stepwell_stalled_clients_total',
      help: 'Connections closed because the client did not read its answer.',
      registers,
    });
    this.#refusedConnections = new Counter({
      name: 'stepwell_connections_refused_total',
      help: 'Connections above the limit: closed, or accepted for health checks only.',
      registers,
    });
    this.#abortedRequests = new Counter({
      name: 'stepwell_http_aborted_requests_total',
      help: 'Requests that clients aborted before the whole body had arrived.',
      registers,
    });
    this.#refusedRequests = new Counter({
      name: 'stepwell_refused_requests_total',
      help: 'Requests answered 401 (missing, unknown) or 403 (forbidden), by credential.',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of ['missing', 'unknown', 'forbidden'])
      this.#refusedRequests.inc({ reason }, 0);
  }

  /** Counts a request that was answered 401 or 403; `reason` is one of a few words. */
  requestRefused(reason: string): void {
    this.#refusedRequests.inc({ reason });
  }

  /** Counts all answers of Fastify, and lets `refused` count those that are refusals. */
  countAnswers(fastify: FastifyInstance, refused: RefusalCount): void {
    fastify.addHook('onResponse', (request, reply, done) => {
      const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
      this.requestAnswered(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
      refused.answered(request.raw, route, reply.statusCode);
      done();
    });
  }

  /** Counts an answered request; `route` is the pattern, never the path, which is unbounded. */
  requestAnswered(method: string, route: string, status: number, seconds: number): void {
    const kinds = this.#requestKinds.get(route) ?? [];
    let kind = kinds.find((each) => each.status === status && each.method === method);
    if (kind === undefined) {
      const answers = this.#requests.tally({ method, route, status });
      // Durations of all statuses form one series.
      const others = kinds.find((each) => each.method === method);
      const duration = others?.duration ?? this.#requestSeconds.labels({ method, route });
      kind = { method, status, answers, duration };
      this.#requestKinds.set(route, [...kinds, kind]);
    }
    kind.answers.count();
    kind.duration.observe(seconds);
  }

  /** Counts a request that found no room for its bytes in time. */
  roomRefused(): void {
    this.#refusedRooms.inc();
  }

  /** Counts a client that took nothing of its answer for too long. */
  stalledClientClosed(): void {
    this.#stalledClients.inc();
  }

  /**
   * Registers `read`, which returns the bytes of bodies and answers in flight, at most `limit`.
   * Call once.
   */
  watchInFlight(limit: number, read: () => number): void {
    gauge(
      this.#registry,
      'stepwell_in_flight_bytes',
      'Bytes of bodies and answers in flight.',
      read,
    );
    const help = 'Limit of stepwell_in_flight_bytes.';
    gauge(this.#registry, 'stepwell_in_flight_limit_bytes', help, () => limit);
  }

  /** Counts a connection that found no place. */
  connectionRefused(): void {
    this.#refusedConnections.inc();
  }

  /** Counts a request that its client broke off before the body had arrived. */
  requestAborted(): void {
    this.#abortedRequests.inc();
  }

  /** Registers `read`, which returns the number of open connections at each scrape. Call once. */
  watchConnections(read: () => number): void {
    gauge(this.#registry, 'stepwell_connections', 'Open connections to this server.', read);
  }
}
