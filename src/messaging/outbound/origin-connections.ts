/** The connections to one origin, and the requests that wait for one of them. */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { Clock } from '../../engine/clock.js';
import { TransientMap } from '../../grammar/transient-map.js';
import { type ConnectionOwner, OutboundConnection, type OutboundExchange } from './connection.js';
import type { WireRequest } from './request-head.js';
import { transportReason } from './transport-error.js';

/** How many connections one origin may have, and for how long. */
export interface OriginConnectionLimits {
  readonly connections: number;
  /** No connection is kept for longer without a request, in ms. */
  readonly keptMs: number;
}

/** So often those are closed that are not kept any longer. */
const sweepMs = 1000;

/**
 * Made by `EndpointCaller` for each origin that is called, and left for a new one after a while, so
 * that names are looked up again.
 */
export class OriginConnections implements ConnectionOwner {
  /** Those that were used last are used first, so that the others may end. */
  private readonly unused: OutboundConnection[] = [];
  private readonly all = new Set<OutboundConnection>();
  /** By their number, in the order in which they came. */
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
    /** It was closed, and its last connection is gone. */
    private readonly ended: () => void,
  ) {}

  /** Sends a request, now or when there is a connection for it. */
  send(request: WireRequest, exchange: OutboundExchange): void {
    const connection = this.takeUnused();
    if (connection !== undefined) {
      connection.send(request, exchange);
      return;
    }
    this.sent += 1;
    const number = this.sent;
    this.waiting.set(number, [request, exchange]);
    exchange.placed(() => this.waiting.delete(number));
    this.open();
  }

  /** No request is under way, and none waits. */
  get isIdle(): boolean {
    return this.waiting.size === 0 && this.unused.length === this.all.size;
  }

  /** Requests under way end first; what is not used is closed at once. */
  close(): void {
    this.isClosing = true;
    for (const connection of [...this.unused]) connection.destroy();
    this.endOnce();
  }

  /** Closes every connection, whatever it does. */
  destroy(): void {
    this.isClosing = true;
    this.waiting.clear();
    for (const connection of [...this.all]) connection.destroy();
    this.endOnce();
  }

  /** A connection has ended its exchange and may be kept for `keptMs` from now. */
  free(connection: OutboundConnection, keptMs: number): void {
    const next = this.takeWaiting();
    if (next !== undefined) connection.send(...next);
    else if (this.isClosing) connection.destroy();
    else {
      connection.keptUntil = this.clock.monotonic() + keptMs;
      this.unused.push(connection);
      this.sweepLater();
    }
  }

  /** A connection is closed: what waits may open another one. */
  gone(connection: OutboundConnection): void {
    if (!this.all.delete(connection)) return;
    const place = this.unused.indexOf(connection);
    if (place !== -1) this.unused.splice(place, 1);
    this.open();
    this.endOnce();
  }

  /** As many as there are requests for, within the limit. */
  private open(): void {
    const { connections } = this.limits;
    while (this.opening < this.waiting.size && this.all.size + this.opening < connections) {
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
    this.free(connection, this.limits.keptMs);
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

  /** The one that was used last; between two sweeps it may be one that is not kept any more. */
  private takeUnused(): OutboundConnection | undefined {
    const now = this.clock.monotonic();
    for (;;) {
      const connection = this.unused.pop();
      if (connection === undefined || connection.keptUntil > now) return connection;
      connection.destroy();
    }
  }

  /** The one that has waited longest. */
  private takeWaiting(): readonly [WireRequest, OutboundExchange] | undefined {
    return this.waiting.takeFirst();
  }

  private endOnce(): void {
    if (this.isClosing && this.all.size === 0 && this.opening === 0) this.ended();
  }
}
