/** The connections to one origin, and the requests that wait for a connection. */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { type Clock, systemClock } from '../../engine/clock.js';
import { TransientMap } from '../../grammar/transient-map.js';
import { type ConnectionOwner, OutboundConnection, type OutboundExchange } from './connection.js';
import type { WireRequest } from './request-head.js';
import { transportReason } from './transport-error.js';

/** How many connections one origin may have, and for how long. */
export interface OriginConnectionLimits {
  readonly connections: number;
  /** The longest that a connection is kept without a request, in ms. */
  readonly keptMs: number;
}

/** How often connections are closed whose time to be kept has passed. */
const sweepMs = 1000;

/** How long the first connection of an origin must stay open after its response, in ms. */
const proofMs = 20;

/**
 * Whether an origin keeps its connections open. A response that does not say otherwise promises
 * it, but some origins close them with each response: a request on such a connection is lost.
 */
type KeepAlive = 'unknown' | 'works' | 'fails';

/**
 * Created by `EndpointCaller` for each origin that is called, and replaced after a while, so that
 * names are looked up again.
 */
export class OriginConnections implements ConnectionOwner {
  /** Free connections; those used last are reused first, so that the others can expire. */
  private readonly unused: OutboundConnection[] = [];
  /** Connections that are not reused before it is known whether the origin keeps them open. */
  private readonly unproven = new Set<OutboundConnection>();
  private keepAlive: KeepAlive = 'unknown';
  private readonly all = new Set<OutboundConnection>();
  /** Waiting requests by number, in order of arrival. */
  private readonly waiting = new TransientMap<number, readonly [WireRequest, OutboundExchange]>();
  private sent = 0;
  private opening = 0;
  private isClosing = false;
  private isSweeping = false;

  constructor(
    private readonly url: URL,
    private readonly connect: buildConnector.connector,
    private readonly limits: OriginConnectionLimits,
    private readonly clock: Clock,
    /** Called when the pool was closed and its last connection is gone. */
    private readonly ended: () => void,
  ) {}

  /** Sends a request, at once or when a connection for it is available. */
  send(request: WireRequest, exchange: OutboundExchange): void {
    const connection = this.takeUnused();
    if (connection !== undefined) {
      connection.send(request, exchange);
      return;
    }
    this.sent += 1;
    const number = this.sent;
    this.waiting.set(number, [request, exchange]);
    exchange.placed({
      drop: () => void this.waiting.delete(number),
      pause: nothing,
      resume: nothing,
    });
    this.open();
  }

  /** Whether no request is in flight or waiting. */
  get isIdle(): boolean {
    return this.waiting.size === 0 && this.unused.length + this.unproven.size === this.all.size;
  }

  /** Closes the pool: free connections at once, the others when their requests have ended. */
  close(): void {
    this.isClosing = true;
    for (const connection of [...this.unused, ...this.unproven]) connection.destroy();
    this.endOnce();
  }

  /** Closes every connection, even if it is in use. */
  destroy(): void {
    this.isClosing = true;
    this.waiting.clear();
    for (const connection of [...this.all]) connection.destroy();
    this.endOnce();
  }

  /** A connection has finished its exchange and may be kept for `keptMs` from now. */
  free(connection: OutboundConnection, keptMs: number): void {
    connection.keptUntil = this.clock.monotonic() + keptMs;
    if (this.keepAlive === 'works') this.use(connection);
    else if (this.keepAlive === 'fails' || this.isClosing) connection.destroy();
    else this.observe(connection);
  }

  /** A connection has closed: waiting requests may open another one. */
  gone(connection: OutboundConnection): void {
    if (!this.all.delete(connection)) return;
    const place = this.unused.indexOf(connection);
    if (place !== -1) this.unused.splice(place, 1);
    if (this.unproven.delete(connection)) this.settle('fails');
    this.open();
    this.endOnce();
  }

  /** Opens as many connections as waiting requests need, within the limit. */
  private open(): void {
    const { connections } = this.limits;
    while (this.coming < this.waiting.size && this.all.size + this.opening < connections) {
      this.opening += 1;
      const { host, protocol, port } = this.url;
      const hostname = this.url.hostname.replace(/^\[|\]$/g, '');
      this.connect({ host, hostname, protocol, port }, (error, socket) => {
        this.opening -= 1;
        if (error !== null) this.takeWaiting()?.[1].fail(transportReason(error));
        else this.opened(socket);
        this.open();
        this.endOnce();
      });
    }
  }

  private opened(socket: Socket): void {
    const connection = new OutboundConnection(socket, this, this.limits.keptMs);
    this.all.add(connection);
    connection.keptUntil = this.clock.monotonic() + this.limits.keptMs;
    this.use(connection);
  }

  /** How many connections will be free soon. */
  private get coming(): number {
    return this.opening + this.unproven.size;
  }

  /** Waits to see whether the other side closes the connection. */
  private observe(connection: OutboundConnection): void {
    this.unproven.add(connection);
    if (this.unproven.size > 1) return;
    // Destinations close connections in real time, even if a development server moves its clock.
    systemClock.after(proofMs, () => {
      // If this process was busy meanwhile, the end of the connection has come and was not read.
      setImmediate(() => {
        if (this.unproven.has(connection)) this.settle('works');
      });
    });
  }

  private settle(keepAlive: KeepAlive): void {
    this.keepAlive = keepAlive;
    const unproven = [...this.unproven];
    this.unproven.clear();
    for (const connection of unproven) {
      if (keepAlive === 'works') this.use(connection);
      else connection.destroy();
    }
  }

  /** Gives a connection to the request that has waited longest, or keeps it for a later one. */
  private use(connection: OutboundConnection): void {
    const next = this.takeWaiting();
    if (next !== undefined) connection.send(...next);
    else if (this.isClosing) connection.destroy();
    else {
      this.unused.push(connection);
      this.sweepLater();
    }
  }

  private sweepLater(): void {
    if (this.isSweeping) return;
    this.isSweeping = true;
    this.clock.after(sweepMs, () => {
      this.isSweeping = false;
      const now = this.clock.monotonic();
      for (const connection of [...this.unused]) {
        if (connection.keptUntil <= now) connection.destroy();
      }
      if (this.unused.length > 0) this.sweepLater();
    });
  }

  /** Takes the free connection used last; one that expired since the last sweep is closed. */
  private takeUnused(): OutboundConnection | undefined {
    const now = this.clock.monotonic();
    for (;;) {
      const connection = this.unused.pop();
      if (connection === undefined || connection.keptUntil > now) return connection;
      connection.destroy();
    }
  }

  /** Takes the request that has waited longest. */
  private takeWaiting(): readonly [WireRequest, OutboundExchange] | undefined {
    return this.waiting.takeFirst();
  }

  private endOnce(): void {
    if (this.isClosing && this.all.size === 0 && this.opening === 0) this.ended();
  }
}

/** There is no response to a request that waits. */
function nothing(): void {}
