/**
 * Every open connection of the server: enforces how many there may be in all and from one address,
 * and tracks which have never sent a request and which wait for an answer.
 */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.js';
import { networkOf } from '../../http/identity/client-network.js';
import type { InboundMetrics } from '../../http/inbound.metrics.js';
import { loggedPath } from '../../http/logged-path.js';
import type { RequestHead } from '../../http/request-head.js';
import { endAfterAnswer, endSoon } from './connection-end.js';
import { InboundConnection, type Owner, type WaitingRequests } from './open-connection.js';
import { UnreadAnswers } from './unread-answers.js';

/** How many connections may be open at once. */
export interface InboundConnectionLimits {
  readonly connections: number;
  /** From one IPv4 address, or from one IPv6 /64 network: a host may use all its addresses. */
  readonly connectionsPerAddress: number;
}

/** What `InboundConnections` works with. */
export interface ConnectionPorts {
  readonly clock: Clock;
  readonly metrics: InboundMetrics;
  readonly log: Logger;
}

/** How many more connections are accepted for health checks; each closes after one answer. */
const spareConnectionsMax = 32;

/** If no place is free, a connection without a request for this long gives up its own. */
const silenceMs = 1000;

/** How often at most the log reports refused connections. */
const warnAgainMs = 60_000;

/** Gives a connection to Node's server. */
export type GiveToNode = (socket: Socket) => void;

/**
 * One instance per server (ADR 22). If a new client needs a place, a connection that has long been
 * silent or idle gives up its own; a connection with a request in flight never does.
 */
export class InboundConnections {
  private readonly open = new Map<Socket, InboundConnection>();
  private readonly peers = new Map<Socket, InboundConnection>();
  private readonly owners = new Map<string, Owner>();
  private readonly silent = new Set<InboundConnection>();
  private readonly waiting: WaitingRequests = { count: 0 };
  /** The connections beyond the limits; read only. If empty, no connection `remainsSpare`. */
  readonly spare = new Set<InboundConnection>();
  private readonly unread: UnreadAnswers;
  private isDraining = false;
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly limits: InboundConnectionLimits,
    private readonly ports: ConnectionPorts,
  ) {
    ports.metrics.watchConnections(() => this.open.size);
    this.unread = new UnreadAnswers(() => this.open.values(), ports.metrics);
  }

  /**
   * Admits only the connections to `server` that get a place, and tracks them. `take` gets each
   * one, with a function that passes it on to Node's server.
   */
  guard(
    server: Server,
    take: (connection: InboundConnection, giveToNode: GiveToNode) => void,
  ): void {
    // Node types the listeners as functions with any arguments.
    const others = server.listeners('connection') as ((socket: Socket) => void)[];
    const giveToNode: GiveToNode = (socket) => {
      for (const listener of others) listener.call(server, socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      const connection = this.admitted(socket);
      if (connection === null) socket.destroy();
      else take(connection, giveToNode);
    });
    // Node types the listeners as functions with any arguments.
    const serve = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      const begin = () => {
        for (const listener of serve) listener.call(server, request, response);
      };
      const connection = this.open.get(request.socket);
      if (connection === undefined) begin();
      else connection.begin(response, begin);
    });
  }

  /** Tracks connections of other nodes: the clients behind them have their places there. */
  followPeers(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.peers.set(
        socket,
        new InboundConnection(socket, this.ports.clock, nothing, this.waiting),
      );
      socket.once('close', () => this.peers.delete(socket));
    });
    server.prependListener('request', ({ socket }, response) => {
      this.peers.get(socket)?.requested(response);
    });
  }

  /**
   * The latest answer on a connection, whether it has begun or not, and the one before it;
   * undefined if the connection is not open.
   */
  answersOf(socket: Socket): Pick<InboundConnection, 'latest' | 'before'> | undefined {
    return this.open.get(socket);
  }

  /**
   * Whether requests on this connection may only be for health checks. Becomes false once a regular
   * place is free, which this call takes for the connection.
   */
  remainsSpare(socket: Socket): boolean {
    const connection = this.open.get(socket);
    if (connection === undefined || !this.spare.has(connection)) return false;
    if (!this.takePlace(connection)) return true;
    this.spare.delete(connection);
    return false;
  }

  /** Breaks off answers that are still being sent, if their request matches. */
  endStreams(isSelected: (request: RequestHead) => boolean): void {
    for (const { current, socket } of [...this.open.values(), ...this.peers.values()]) {
      if (current === null || !current.headersSent || current.writableEnded) continue;
      if (isSelected(current.req)) socket.destroy();
    }
  }

  /** See `endSoon`. */
  endSoon(socket: Socket, answer?: string): void {
    endSoon(socket, this.ports.clock, answer);
  }

  /** Refuses new connections, and closes each open one as soon as it has no request in flight. */
  drain(): void {
    this.isDraining = true;
    for (const connection of this.open.values()) connection.endOnceIdle();
  }

  /** Closes other nodes' connections in the same way: they would be kept for the next request. */
  drainPeers(): void {
    for (const connection of this.peers.values()) connection.endOnceIdle();
  }

  /** Closes every connection that is still open. */
  cut(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }

  /** A new connection that got a place; null if there is none. */
  private admitted(socket: Socket): InboundConnection | null {
    if (this.isDraining) return null;
    const connection = new InboundConnection(socket, this.ports.clock, this.spoke, this.waiting);
    if (!this.takePlace(connection) && !this.takeSpare(connection)) return null;
    this.open.set(socket, connection);
    this.unread.watch();
    // Node's server calls this to end a connection once the last answer on it is sent.
    socket.destroySoon = () => endAfterAnswer(socket, this.ports.clock, connection.latest?.req);
    socket.once('close', () => {
      this.countAborted(connection);
      this.left(connection);
      connection.closed();
    });
    return connection;
  }

  /** Returns true if the connection has a place now. */
  private takePlace(connection: InboundConnection): boolean {
    const { limits } = this;
    const owner = this.ownerOf(connection.socket);
    const isShareTaken = owner.held >= limits.connectionsPerAddress;
    if (isShareTaken && !this.closeOldestSilent(owner.silent) && !this.closeLongestIdle(owner))
      return false;
    const isAllTaken = this.open.size - this.spare.size >= limits.connections;
    if (isAllTaken && !this.closeOldestSilent(this.silent) && !this.closeLongestIdle(null))
      return false;
    owner.held += 1;
    this.owners.set(owner.key, owner);
    connection.owner = owner;
    if (connection.hasAsked) return true;
    owner.silent.add(connection);
    this.silent.add(connection);
    return true;
  }

  /** Returns true if the connection is a spare one now. */
  private takeSpare(connection: InboundConnection): boolean {
    this.refusedOne();
    if (this.spare.size >= spareConnectionsMax) {
      const oldest = this.oldestSilentSpare();
      if (oldest === undefined) return false;
      this.close(oldest);
    }
    this.spare.add(connection);
    return true;
  }

  private oldestSilentSpare(): InboundConnection | undefined {
    for (const connection of this.spare) if (!connection.hasAsked) return connection;
    return undefined;
  }

  /**
   * Closes the oldest of the `silent` connections if it has been silent long enough; true if it
   * did.
   */
  private closeOldestSilent(silent: ReadonlySet<InboundConnection>): boolean {
    const [oldest] = silent;
    if (oldest === undefined) return false;
    if (this.ports.clock.monotonic() - oldest.openedAt < silenceMs) return false;
    this.close(oldest);
    return true;
  }

  /**
   * Closes the connection of `owner` (or of any owner) that has been idle the longest since its
   * answer, if that is long enough; true if it did. It scans all connections: that costs less than
   * accepting the new one, and requests need not maintain an order for a case this rare.
   */
  private closeLongestIdle(owner: Owner | null): boolean {
    let longest: InboundConnection | null = null;
    for (const connection of this.open.values()) {
      if (!connection.isIdle || connection.owner === null) continue;
      if (owner !== null && connection.owner !== owner) continue;
      if (longest === null || connection.answeredAt < longest.answeredAt) longest = connection;
    }
    if (longest === null) return false;
    if (this.ports.clock.monotonic() - longest.answeredAt < silenceMs) return false;
    this.close(longest);
    return true;
  }

  private readonly spoke = (connection: InboundConnection): void => {
    connection.owner?.silent.delete(connection);
    this.silent.delete(connection);
  };

  private close(connection: InboundConnection): void {
    connection.socket.destroy();
    this.left(connection);
  }

  private left(connection: InboundConnection): void {
    if (!this.open.delete(connection.socket)) return;
    if (this.open.size === 0) this.unread.stop();
    this.spare.delete(connection);
    this.spoke(connection);
    const { owner } = connection;
    if (owner === null) return;
    owner.held -= 1;
    if (owner.held === 0) this.owners.delete(owner.key);
  }

  private ownerOf({ remoteAddress = '' }: Socket): Owner {
    const key = networkOf(remoteAddress);
    return this.owners.get(key) ?? { key, held: 0, silent: new Set() };
  }

  /** An upload that the client broke off is not our failure: it is counted and logged (debug). */
  private countAborted({ latest }: InboundConnection): void {
    if (latest === null || latest.headersSent || latest.req.complete) return;
    const { metrics, log } = this.ports;
    const { method, url = '' } = latest.req;
    metrics.requestAborted();
    log.debug({ method, path: loggedPath(url) }, 'the client broke a request off');
  }

  private refusedOne(): void {
    const { metrics, log, clock } = this.ports;
    metrics.connectionRefused();
    if (clock.monotonic() - this.warnedAt < warnAgainMs) return;
    this.warnedAt = clock.monotonic();
    log.warn({ ...this.limits, open: this.open.size }, 'too many connections: some are refused');
  }
}

function nothing(): void {}
