/** One connection to an origin, which carries one request and its response at a time. */
import type { Socket } from 'node:net';
import type { WireRequest } from './request-head.js';
import { ResponseReader, type ResponseTaker } from './response-reader.js';
import { transportReason } from './transport-error.js';

/** The place of a request: in the line, or on a connection. */
export interface ExchangePlace {
  /** Silently ends the exchange: it leaves the line, or its connection is closed. */
  drop(): void;
  /** Reads no more of the response than has come, until `resume`. */
  pause(): void;
  resume(): void;
}

/** The callbacks that report the progress of a request. */
export interface OutboundExchange extends ResponseTaker {
  placed(place: ExchangePlace): void;
  /** The request is being sent. */
  sent(): void;
  /** The whole response has arrived. */
  complete(): void;
  fail(reason: string): void;
}

/** The owner of a connection. */
export interface ConnectionOwner {
  /** The connection may take the next request, within `keptMs`. */
  free(connection: OutboundConnection, keptMs: number): void;
  /** The connection has closed, or is about to. */
  gone(connection: OutboundConnection): void;
}

/** How long an idle connection is kept if the other side does not say. */
const keptMsUsually = 4000;
/**
 * We close this long before the time that the other side names, so as to be first; and never keep a
 * connection longer than our own limit.
 */
const keptMsBefore = 2000;

/** Bodies up to this size are sent in one piece with the head: copying beats two writes. */
const joinedBytesMax = 8 * 1024;

const closedEarly = 'the destination closed the connection before its response was complete';
const tooLarge = 'the response headers are too large';

/**
 * All connections read into the same memory, which is valid until the listeners of `data` return:
 * allocating memory for each read costs more than handling most responses.
 */
const received = Buffer.allocUnsafeSlow(64 * 1024);

/** Node calls this for each read, as a method of the socket. */
function announce(this: Socket, length: number): boolean {
  this.emit('data', received.subarray(0, length));
  return true;
}

/** The `onread` option of all sockets of connections. */
export const onread = { buffer: received, callback: announce };

/** Created by `OriginConnections` for an open socket; the connection is free until `send`. */
export class OutboundConnection implements ExchangePlace {
  private readonly reader = new ResponseReader();
  private exchange: OutboundExchange | null = null;
  /** Time by the owner's clock after which a free connection is no longer kept. */
  keptUntil = 0;

  constructor(
    private readonly socket: Socket,
    private readonly owner: ConnectionOwner,
    /** The longest that a connection is kept without a request, in ms. */
    private readonly keptMsMax: number,
  ) {
    socket.on('data', (bytes: Buffer) => this.received(bytes));
    socket.on('end', () => this.ended());
    socket.on('error', (error) => this.failed(transportReason(error)));
    socket.on('close', () => this.failed(closedEarly));
  }

  /** Sends a request; the connection must be free. */
  send({ method, head, body }: WireRequest, exchange: OutboundExchange): void {
    const { socket } = this;
    this.exchange = exchange;
    this.reader.begin(method, exchange);
    exchange.placed(this);
    exchange.sent();
    if (body === null) socket.write(head, 'latin1');
    else if (body.length <= joinedBytesMax) socket.write(head + body.toString('latin1'), 'latin1');
    else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body);
      socket.uncork();
    }
  }

  /**
   * Closes the connection at once, without notifying the exchange, which requested this or is
   * notified by the caller.
   */
  destroy(): void {
    this.exchange = null;
    this.reader.stop();
    this.owner.gone(this);
    this.socket.destroy();
  }

  drop(): void {
    this.destroy();
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  private received(bytes: Buffer): void {
    const { reader } = this;
    // Bytes that nothing asked for must not be taken as the answer to the next request.
    if (this.exchange === null) {
      this.destroy();
      return;
    }
    reader.push(bytes);
    // The exchange was dropped while it was read, because a limit was reached.
    if (this.exchange === null) return;
    const { defect } = reader;
    if (defect === 'headers') this.failed(tooLarge);
    else if (defect !== null) this.failed(`the response is not valid HTTP: ${defect.reason}`);
    else if (reader.isComplete) this.completed();
  }

  private ended(): void {
    if (this.exchange !== null && this.reader.end()) this.completed();
    else this.failed(closedEarly);
  }

  private completed(): void {
    const { exchange, reader, socket } = this;
    this.exchange = null;
    const keptMs = this.keptMsOf(reader.head?.keptMs ?? null);
    // Do not reuse the connection if the request is still being sent or more bytes came than the
    // response: what follows could not be attributed.
    const isSpent = keptMs <= 0 || reader.hasSurplus || socket.writableLength > 0;
    reader.rest();
    // Release the connection first: what follows from the answer may need one at once.
    if (isSpent) this.destroy();
    else this.owner.free(this, keptMs);
    exchange?.complete();
  }

  private failed(reason: string): void {
    const { exchange } = this;
    this.destroy();
    exchange?.fail(reason);
  }

  private keptMsOf(said: number | null): number {
    if (said === null) return Math.min(keptMsUsually, this.keptMsMax);
    return Math.min(said - keptMsBefore, this.keptMsMax);
  }
}
