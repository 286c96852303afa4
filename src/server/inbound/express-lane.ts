/**
 * The fast path for ordinary requests of express routes: they are read and answered here, before
 * Fastify sees them. Anything unusual about a request, including a refusal by the front door, sends
 * it through Fastify, so that refusals are made in one place only.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import type { Caller } from '../../engine/principal/principal.js';
import type { Allowance } from '../../http/bytes/allowance.js';
import { ComingBody } from '../../http/bytes/coming-body.js';
import {
  type ReadAllowance,
  roomIn,
  smallAnswerBytes,
  smallBodyBytes,
} from '../../http/bytes/in-flight.js';
import { PacedBody, type Piece, sliceBytes } from '../../http/bytes/paced-body.js';
import { requestIdHeader } from '../../http/identity/callers.js';
import { noRoomRefusal } from '../../http/no-room.js';
import type { LongExchange } from '../../http/routes/exchange.js';
import type { RouteTable, TabledExpressRoute } from '../../http/routes/route-table.js';
import { logCutAnswer } from './answer-log.js';
import {
  type ExchangeContext,
  ExpressExchange,
  emptyBody,
  isOrdinary,
} from './express-exchange.js';
import type { FrontDoor } from './front-door.js';
import { tryTakeBody } from './lane-request.js';

/** The collaborators of the lane. */
export interface LaneContext extends ExchangeContext {
  readonly routes: RouteTable;
  readonly frontDoor: FrontDoor;
  /** The largest body for a route without a limit of its own, in bytes. */
  readonly bodyLimit: number;
  readonly log: Logger;
}

/** One instance per server, in front of Fastify and behind the lane of sockets (ADR 6). */
export class ExpressLane {
  constructor(private readonly context: LaneContext) {}

  /**
   * Serves an ordinary request of an express route; returns false and leaves any other request
   * untouched.
   */
  tryServe(request: IncomingMessage, response: ServerResponse): boolean {
    const { method = '', url = '' } = request;
    const { routes, frontDoor, bodyLimit } = this.context;
    const tabled = routes.expressFor(method, url);
    if (tabled === undefined || !isOrdinary(request, tabled.route, bodyLimit)) return false;
    const caller = frontDoor.admits(request, tabled.isMessaging);
    if (caller === null) return false;
    const exchange = new LaneExchange(request, response, caller, tabled, this.context);
    const bytes = Number(request.headers['content-length']);
    if (bytes > smallBodyBytes) exchange.readCounted(bytes);
    else if (!tryTakeBody(request, (body) => exchange.serve(body))) exchange.read(bytes);
    return true;
  }
}

/**
 * Puts `tryServe` in front of the server's present request listeners, which get what it leaves.
 * Returns the function that passes a request on to them.
 */
export function putInFront(
  server: Server,
  tryServe: (...exchange: Parameters<RequestListener>) => boolean,
): RequestListener {
  // Node types the listeners as functions with any arguments.
  const others = server.listeners('request') as RequestListener[];
  const pass: RequestListener = (request, response) => {
    for (const listener of others) listener.call(server, request, response);
  };
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (!tryServe(request, response)) pass(request, response);
  });
  return pass;
}

const noHeaders: readonly string[] = [];

class LaneExchange extends ExpressExchange implements LongExchange {
  body: Buffer = emptyBody;
  /** Headers of an answer in pieces: names and values, alternating. */
  private headers: readonly string[] = noHeaders;
  private endTrailer: () => void = () => undefined;

  constructor(
    override readonly request: IncomingMessage,
    readonly response: ServerResponse,
    caller: Caller,
    tabled: TabledExpressRoute,
    private readonly lane: LaneContext,
  ) {
    super(request, caller, tabled, lane, lane.clock.monotonic());
  }

  /**
   * Reads a body of `bytes`, then serves it. Node frames it by its length: it either ends whole or,
   * if the client disconnects, not at all.
   */
  read(bytes: number): void {
    const body = new ComingBody(bytes);
    this.request.on('data', (piece: Buffer) => body.add(piece));
    this.request.on('end', () => {
      if (body.bytes !== null) this.serve(body.bytes);
    });
  }

  /** Reads a body of `bytes` once there is room for it; its client waits until then. */
  readCounted(bytes: number): void {
    this.allowance().ask(bytes, (isGranted) => {
      if (isGranted) this.read(bytes);
      else if (!this.response.closed) this.refuse(noRoomRefusal);
    });
  }

  /** Serves the request with its whole body. */
  serve(body: Buffer): void {
    this.body = body;
    try {
      this.tabled.route.serve(this);
    } catch (error) {
      this.fail(error);
    }
  }

  get room(): ReadAllowance {
    return roomIn(() => this.allowance());
  }

  header(name: string, value: string): void {
    this.headers = [...this.headers, name, value];
  }

  trailer(name: string, value: () => string): void {
    // Without chunked encoding there is no place for a trailer.
    if (this.request.httpVersionMinor === 0) return;
    this.header('transfer-encoding', 'chunked');
    this.header('trailer', name);
    this.endTrailer = () => this.response.addTrailers({ [name]: value() });
  }

  answer(status: number, headers: readonly string[], body: string | Buffer = emptyBody): void {
    const { response } = this;
    const length = Buffer.byteLength(body);
    const own = [requestIdHeader, this.caller.requestId, 'content-length', String(length)];
    response.writeHead(status, [...headers, ...own]);
    if (length <= smallAnswerBytes) response.end(body);
    else this.sendPaced(typeof body === 'string' ? Buffer.from(body) : body);
    this.answered(status);
  }

  async answerInPieces(pieces: AsyncIterator<Piece>): Promise<void> {
    const { request, response, context, lane } = this;
    const first = await context.inFlight.first(response, pieces);
    if (first.isLast) {
      this.answer(200, this.headers, Buffer.concat(first.chunks, first.length));
      return;
    }
    response.writeHead(200, [...this.headers, requestIdHeader, this.caller.requestId]);
    const body = new PacedBody(this.allowance(), first, pieces);
    body.once('end', () => this.endTrailer());
    const ended = (error?: Error) => {
      // If the client had already disconnected, newer versions of Node.js leave the body
      // undestroyed.
      body.destroy();
      if (error !== undefined) logCutAnswer(lane.log, error, request);
      this.answered(200);
    };
    void pipeline(body, response).then(() => ended(), ended);
  }

  abandon(): void {
    // The connection is closed: there is nothing to end.
  }

  /** A body of a single write needs no stream: its allowance ends with the answer. */
  private sendPaced(bytes: Buffer): void {
    const allowance = this.allowance();
    if (bytes.length > sliceBytes) {
      new PacedBody(allowance, { chunks: [bytes], isLast: true }).pipe(this.response);
      return;
    }
    allowance.settle(bytes.length);
    allowance.awaitTaken();
    this.response.end(bytes);
  }

  private allowance(): Allowance {
    return this.context.inFlight.allowanceOf(this.request, this.response, 'credential');
  }
}
