/**
 * A connection whose requests are read here for as long as each of them is ordinary. The first one
 * that is not goes to Node's server, together with the connection and all unanswered bytes. So
 * whatever is unusual, malformed or very long is read, limited and refused in one place.
 */
import type { Socket } from 'node:net';
import type { Caller } from '../../../engine/principal/principal.js';
import { ComingBody } from '../../../http/bytes/coming-body.js';
import { smallBodyBytes } from '../../../http/bytes/in-flight.js';
import type { ExpressRoute } from '../../../http/routes/route.js';
import type { TabledExpressRoute } from '../../../http/routes/route-table.js';
import { refuseConnection } from '../client-error.js';
import { endWritten } from '../connection-end.js';
import type { GiveToNode, InboundConnections } from '../connections.js';
import { isOrdinary } from '../express-exchange.js';
import type { LaneContext } from '../express-lane.js';
import type { InboundConnection } from '../open-connection.js';
import { SocketAnswer, SocketExchange } from './socket-exchange.js';
import { readOrdinary, type SocketRequest } from './socket-request.js';

/** The collaborators of a connection. */
export interface SocketContext {
  readonly lane: LaneContext;
  readonly connections: InboundConnections;
  /**
   * This node of a cluster, in which another node may have to answer; null if there is no cluster.
   */
  readonly node: { readonly servesHere: boolean } | null;
}

/** An express route with short answers. */
interface ShortRoute extends TabledExpressRoute {
  readonly route: ExpressRoute;
}

/** A request that is read here and was admitted. */
interface CurrentRequest {
  readonly answer: SocketAnswer;
  readonly tabled: ShortRoute;
  readonly caller: Caller;
}

/** Longer bodies, in bytes, are left to Node, whose parser delivers them in pieces. */
const bodyBytesMax = 1024 * 1024;

/** After how many checks a connection has waited too long, by what it waits for. */
export interface CheckLimits {
  /** The first request; after that, Node's server continues to wait. */
  readonly first: number;
  /** The rest of a body. */
  readonly body: number;
  /** The next request. */
  readonly idle: number;
}

/** Made by `SocketLane` for each new connection. */
export class SocketConnection {
  private current: CurrentRequest | null = null;
  /** The body of the current request; null once all of it has arrived. */
  private body: ComingBody | null = null;
  /** Bytes that arrived after a request that has no answer yet. */
  private behind: Buffer[] = [];
  /** The number of checks since the last request or answer. */
  private checks = 0;
  private isEnded = false;
  private hasServed = false;
  private readonly socket: Socket;

  /**
   * `giveToNode` makes Node's server take the connection; `left` is called when it does, or when
   * the connection is closed.
   */
  constructor(
    private readonly connection: InboundConnection,
    private readonly context: SocketContext,
    private readonly giveToNode: GiveToNode,
    private readonly left: (connection: SocketConnection) => void,
  ) {
    const { socket } = connection;
    this.socket = socket;
    socket.on('data', this.received);
    socket.on('end', this.clientEnded);
    socket.on('close', this.closed);
    socket.on('error', ignored);
  }

  /**
   * Called at intervals: ends a connection that has waited too long, or passes it to Node's server.
   */
  check(limits: CheckLimits): void {
    if (this.isServing || this.isEnded) return;
    this.checks += 1;
    if (this.current !== null) {
      if (this.checks > limits.body) this.cutOff('ERR_HTTP_REQUEST_TIMEOUT');
    } else if (!this.hasServed) {
      if (this.checks > limits.first) this.handOver([]);
    } else if (this.checks > limits.idle) this.socket.destroy();
  }

  /** Whether a complete request has arrived and has no answer yet. */
  private get isServing(): boolean {
    return this.current !== null && this.body === null;
  }

  private readonly received = (piece: Buffer): void => {
    const { current, body } = this;
    if (current === null) this.begin(piece);
    else if (body === null) this.holdBack(piece);
    else this.proceed(current, body, piece);
  };

  private begin(bytes: Buffer): void {
    const request = readOrdinary(bytes, this.socket);
    const current = request === null ? null : this.admit(request);
    if (request === null || current === null) {
      this.handOver([bytes]);
      return;
    }
    this.current = current;
    this.body = new ComingBody(request.bodyBytes);
    this.checks = 0;
    this.connection.requested(current.answer);
    this.proceed(current, this.body, bytes.subarray(request.headBytes));
  }

  private proceed(current: CurrentRequest, body: ComingBody, piece: Buffer): void {
    const taken = body.add(piece);
    const { bytes } = body;
    if (bytes === null) return;
    this.body = null;
    current.answer.req.complete = true;
    if (taken < piece.length) this.holdBack(piece.subarray(taken));
    this.serve(current, bytes);
  }

  /** Serves a request that has arrived completely. */
  private serve({ answer, tabled, caller }: CurrentRequest, body: Buffer): void {
    const exchange = new SocketExchange(answer, body, caller, tabled, this.context.lane);
    try {
      tabled.route.serve(exchange);
    } catch (error) {
      exchange.fail(error);
    }
  }

  /** Null if Node's server must read, delay or refuse the request. */
  private admit(request: SocketRequest): CurrentRequest | null {
    const { lane, node } = this.context;
    const tabled = this.routeOf(request);
    if (tabled === null || node?.servesHere === false) return null;
    const caller = lane.frontDoor.admits(request, tabled.isMessaging);
    if (caller === null) return null;
    const answer = new SocketAnswer(request, lane.clock.monotonic(), this.written);
    return this.takeRoom(answer) ? { answer, tabled, caller } : null;
  }

  /**
   * Reserves room for a long body; false if there is none now. Then Node's server takes over and
   * waits for it.
   */
  private takeRoom(answer: SocketAnswer): boolean {
    const { req } = answer;
    if (req.bodyBytes <= smallBodyBytes) return true;
    const { inFlight } = this.context.lane;
    return inFlight.allowanceOf(req, answer, 'credential').takeNow(req.bodyBytes);
  }

  /** The route of a request that is ordinary so far; null if it is not. */
  private routeOf(request: SocketRequest): ShortRoute | null {
    const { routes, bodyLimit } = this.context.lane;
    const tabled = routes.expressFor(request.method, request.url);
    if (tabled === undefined || !isShort(tabled)) return null;
    if (request.bodyBytes > bodyBytesMax) return null;
    return isOrdinary(request, tabled.route, bodyLimit) ? tabled : null;
  }

  /** Called when the answer is written: the next request may come. */
  private readonly written = (): void => {
    const { current, socket } = this;
    if (current === null) return;
    const { answer } = current;
    this.current = null;
    this.hasServed = true;
    this.checks = 0;
    answer.close(!socket.destroyed);
    // A stop ends the connection with this answer: what follows is neither read nor carried out.
    if (socket.destroyed || socket.writableEnded) return;
    if (answer.isLast || this.isEnded) endWritten(socket);
    else if (this.behind.length > 0) this.handOver(this.behind);
  };

  private readonly clientEnded = (): void => {
    this.isEnded = true;
    if (this.current === null) this.socket.end();
    else if (!this.isServing) this.cutOff('ECONNABORTED');
  };

  private readonly closed = (): void => {
    this.left(this);
    this.behind = [];
    this.body = null;
    this.current?.answer.close(false);
    this.current = null;
  };

  /** A client that sends the next request before it has its answer must wait. */
  private holdBack(piece: Buffer): void {
    this.behind.push(piece);
    this.socket.pause();
  }

  /** Refuses a request whose body has not arrived. */
  private cutOff(code: string): void {
    this.left(this);
    const error = Object.assign(new Error('the request has no end'), { code });
    refuseConnection(error, this.socket, this.context.connections);
  }

  /** Passes the connection to Node's server, with the bytes that were read but not served. */
  private handOver(unserved: readonly Buffer[]): void {
    const { socket } = this;
    this.left(this);
    socket.off('data', this.received);
    socket.off('end', this.clientEnded);
    socket.off('close', this.closed);
    socket.off('error', ignored);
    socket.pause();
    const holdsMore = socket.readableLength > 0;
    if (unserved.length > 0) socket.unshift(Buffer.concat(unserved));
    this.giveToNode(socket);
    // Without another listener, Node's parser would read from the system directly, and so get later
    // bytes before those that the stream still holds.
    if (holdsMore) socket.on('data', ignored);
    // Resume in the next tick, as the bytes put back are announced in this one. If resumed now, the
    // stream would emit them before Node's server can hold it back, and then read without bound.
    process.nextTick(() => socket.resume());
  }
}

/** An error closes the connection, and the `close` event is what we listen for. */
function ignored(): void {}

function isShort(tabled: TabledExpressRoute): tabled is ShortRoute {
  return tabled.route.isLong !== true;
}
