/** An exchange of an express route that writes directly to its connection. */
import { STATUS_CODES } from 'node:http';
import type { Caller } from '../../../engine/principal/principal.js';
import { smallAnswerBytes } from '../../../http/bytes/in-flight.js';
import { PacedBody } from '../../../http/bytes/paced-body.js';
import { requestIdHeader } from '../../../http/identity/callers.js';
import type { AnswerState } from '../../../http/request-head.js';
import type { Exchange } from '../../../http/routes/exchange.js';
import type { TabledExpressRoute } from '../../../http/routes/route-table.js';
import { type ExchangeContext, ExpressExchange, emptyBody } from '../express-exchange.js';
import { serverTimeouts } from '../inbound-limits.js';
import type { SocketRequest } from './socket-request.js';

/** The progress of an answer; created when the head of its request is read. */
export class SocketAnswer implements AnswerState {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  closed = false;
  /** Whether the connection is closed after this answer. */
  isLast = false;
  private listeners: (() => void)[] = [];

  constructor(
    readonly req: SocketRequest,
    /** When the head of the request was read, by the monotonic clock. */
    readonly startedAt: number,
    /** Called when the answer is written, or its connection is closed. */
    readonly written: () => void,
  ) {}

  on(_event: 'close', listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The same as `on`, since an answer closes only once. */
  once(_event: 'close', listener: () => void): void {
    this.listeners.push(listener);
  }

  destroy(): this {
    this.req.socket.destroy();
    return this;
  }

  /**
   * Marks the answer as closed: all of it was sent, or its connection is closed. Has an effect
   * once.
   */
  close(isFinished: boolean): void {
    if (this.closed) return;
    this.closed = true;
    this.writableFinished = isFinished;
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) listener();
  }
}

/** Characters that Node's parser refuses in a header value, too. */
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;
const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${serverTimeouts.keepAliveTimeout / 1000}\r\n`;

/**
 * `answer` throws if the request was already answered: the client would read the bytes of a second
 * answer as the answer to its next request.
 */
export class SocketExchange extends ExpressExchange implements Exchange {
  constructor(
    private readonly state: SocketAnswer,
    readonly body: Buffer,
    caller: Caller,
    tabled: TabledExpressRoute,
    context: ExchangeContext,
  ) {
    super(state.req, caller, tabled, context, state.startedAt);
  }

  answer(status: number, headers: readonly string[], body: string | Buffer = emptyBody): void {
    const { state } = this;
    // The client would take a second answer for that to its next request on the connection.
    if (state.headersSent) throw new Error('the request has its answer already');
    const length = Buffer.byteLength(body);
    const head = this.headOf(status, headers, length);
    state.headersSent = true;
    // If the client has disconnected, its connection has closed the answer.
    if (!state.closed) this.send(head, body, length);
    this.answered(status);
  }

  private send(head: string, body: string | Buffer, length: number): void {
    const { state } = this;
    const { socket } = state.req;
    if (length > smallAnswerBytes) {
      socket.write(head, 'latin1');
      this.sendPaced(typeof body === 'string' ? Buffer.from(body) : body);
      return;
    }
    state.writableEnded = true;
    if (typeof body === 'string' && body.length === length) {
      socket.write(head + body, 'latin1', state.written);
    } else {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      socket.write(Buffer.concat([Buffer.from(head, 'latin1'), bytes]), state.written);
    }
  }

  private sendPaced(bytes: Buffer): void {
    const { state, request, context } = this;
    const { socket } = state.req;
    const allowance = context.inFlight.allowanceOf(request, state, 'credential');
    const body = new PacedBody(allowance, { chunks: [bytes], isLast: true });
    body.once('end', () => {
      state.writableEnded = true;
      socket.write(emptyBody, state.written);
    });
    body.pipe(socket, { end: false });
  }

  /** The head, as Node writes it; a header that closes the connection replaces `keep-alive`. */
  private headOf(status: number, headers: readonly string[], length: number): string {
    const { state, caller, context } = this;
    if (latest.status !== status || latest.headers !== headers) latest = beginOf(status, headers);
    if (latest.isLast) state.isLast = true;
    const own = `${requestIdHeader}: ${caller.requestId}\r\ncontent-length: ${length}\r\n`;
    const date = `Date: ${dateAt(context.clock.now())}\r\n`;
    return `${latest.text}${own}${date}${state.isLast ? '' : keepAlive}\r\n`;
  }
}

/** The start of the head of an answer. */
interface HeadBegin {
  readonly status: number;
  readonly headers: readonly string[];
  /** Whether the connection is closed after this answer. */
  readonly isLast: boolean;
  readonly text: string;
}

function beginOf(status: number, headers: readonly string[]): HeadBegin {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  let isLast = false;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (unsendable.test(value)) throw new Error(`${name} has a value that no header can have`);
    if (name === 'connection') isLast = true;
    text += `${name}: ${value}\r\n`;
  }
  return { status, headers, isLast, text };
}

/** The start of the previous head: most answers of a route share one list of headers. */
let latest: HeadBegin = { status: 0, headers: [], isLast: false, text: '' };

let dateSecond = Number.NaN;
let date = '';

/** The `Date` field for a time in Unix ms; formatted once a second. */
function dateAt(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1000).toUTCString();
  }
  return date;
}
