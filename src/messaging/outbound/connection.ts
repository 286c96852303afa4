/** One connection to an origin: one request and its response at a time. */
import type { Socket } from 'node:net';
import type { WireRequest } from './request-head.js';
import { ResponseReader, type ResponseTaker } from './response-reader.js';
import { transportReason } from './transport-error.js';

/** What a connection calls as a request goes on. */
export interface OutboundExchange extends ResponseTaker {
  /** `drop` ends it where it is now, without a word: its place in a line, or its connection. */
  placed(drop: () => void): void;
  /** It is being sent. */
  sent(): void;
  /** The whole response has come. */
  complete(): void;
  fail(reason: string): void;
}

/** Where a connection belongs. */
export interface ConnectionOwner {
  /** It may take the next request, within `keptMs`. */
  free(connection: OutboundConnection, keptMs: number): void;
  /** It has closed, or is about to. */
  gone(connection: OutboundConnection): void;
}

/** Where the other side does not say how long it keeps a connection without a request. */
const keptMsUsually = 4000;
/** It closes when it says, so that we do so before; and not for longer than our own limit. */
const keptMsBefore = 2000;

/** A body up to this goes out as one piece with its head: to copy it costs less than two pieces. */
const joinedBytesMax = 8 * 1024;

const closedEarly = 'the destination closed the connection before its response was complete';
const tooLarge = 'the response headers are too large';

/**
 * What comes on any connection is read into the same memory, which is good until the listeners of
 * `data` return: memory for each read is more work than what most answers bring.
 */
const received = Buffer.allocUnsafeSlow(64 * 1024);

/** Called by Node for each read, as a method of its socket. */
function announce(this: Socket, length: number): boolean {
  this.emit('data', received.subarray(0, length));
  return true;
}

/** How the sockets of connections read. */
export const onread = { buffer: received, callback: announce };

/** Made by `OriginConnections` over a socket that is open; it is free until `send`. */
export class OutboundConnection {
  private readonly reader = new ResponseReader();
  private exchange: OutboundExchange | null = null;
  /** Of the owner's clock: from then on a free connection is not kept any longer. */
  keptUntil = 0;
  private readonly drop = () => this.destroy();

  constructor(
    private readonly socket: Socket,
    private readonly owner: ConnectionOwner,
    /** No connection is kept for longer without a request, in ms. */
    private readonly keptMsMax: number,
  ) {
    socket.on('data', (bytes: Buffer) => this.received(bytes));
    socket.on('end', () => this.ended());
    socket.on('error', (error) => this.failed(transportReason(error)));
    socket.on('close', () => this.failed(closedEarly));
  }

  /** Sends a request; it must be free. */
  send({ method, head, body }: WireRequest, exchange: OutboundExchange): void {
    const { socket } = this;
    this.exchange = exchange;
    this.reader.begin(method, exchange);
    exchange.placed(this.drop);
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

  /** Closes it at once, without a word to what was under way: that ends it, or knows already. */
  destroy(): void {
    this.exchange = null;
    this.reader.stop();
    this.owner.gone(this);
    this.socket.destroy();
  }

  private received(bytes: Buffer): void {
    const { reader } = this;
    // What comes without having been asked for is no answer to what is asked next.
    if (this.exchange === null) {
      this.destroy();
      return;
    }
    reader.push(bytes);
    // It was dropped while it was read: its limits were reached.
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
    // What follows on it would be a guess: the request is still being sent, or more came.
    const isSpent = keptMs <= 0 || reader.hasSurplus || socket.writableLength > 0;
    reader.rest();
    // What follows from the answer may need a connection at once.
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
