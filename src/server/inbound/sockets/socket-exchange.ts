/** An exchange of an express route whose bytes are written to its connection directly. */
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

/** How far the answer to a request has come; it is made when the head of the request is read. */
export class SocketAnswer implements AnswerState {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  closed = false;
  /** The connection is closed behind it. */
  isLast = false;
  private listeners: (() => void)[] = [];

  constructor(
    readonly req: SocketRequest,
    /** When the head of the request was read, by the monotonic clock. */
    readonly startedAt: number,
    /** Is called when it has gone out, or its connection is closed. */
    readonly written: () => void,
  ) {}

  on(_event: 'close', listener: () => void): void {
    this.listeners.push(listener);
  }

  /** It is closed once. */
  once(_event: 'close', listener: () => void): void {
    this.listeners.push(listener);
  }

  destroy(): this {
    this.req.socket.destroy();
    return this;
  }

  /** All of it has gone out, or its connection is closed; once. */
  close(isFinished: boolean): void {
    if (this.closed) return;
    this.closed = true;
    this.writableFinished = isFinished;
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) listener();
  }
}

/** What Node's parser lets no header value have either. */
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;
const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${serverTimeouts.keepAliveTimeout / 1000}\r\n`;

/**
 * `answer` throws where there was one before: bytes of a second would be read as the next answer.
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
    // A second one would be taken for the answer to the next request of the connection.
    if (state.headersSent) throw new Error('the request has its answer already');
    const length = Buffer.byteLength(body);
    const head = this.headOf(status, headers, length);
    state.headersSent = true;
    // Where the client has gone its connection has closed the answer.
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
    const allowance = context.inFlight.allowanceOf(request, state, true);
    const body = new PacedBody(allowance, { chunks: [bytes], isLast: true });
    body.once('end', () => {
      state.writableEnded = true;
      socket.write(emptyBody, state.written);
    });
    body.pipe(socket, { end: false });
  }

  /** As Node writes it; a header that closes the connection stands in place of its own. */
  private headOf(status: number, headers: readonly string[], length: number): string {
    const { state, caller, context } = this;
    if (latest.status !== status || latest.headers !== headers) latest = beginOf(status, headers);
    if (latest.isLast) state.isLast = true;
    const own = `${requestIdHeader}: ${caller.requestId}\r\ncontent-length: ${length}\r\n`;
    const date = `Date: ${dateAt(context.clock.now())}\r\n`;
    return `${latest.text}${own}${date}${state.isLast ? '' : keepAlive}\r\n`;
  }
}

/** How the head of an answer begins. */
interface HeadBegin {
  readonly status: number;
  readonly headers: readonly string[];
  /** The connection is closed behind it. */
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

/** Of the answer before: most answers of a route have one list of headers. */
let latest: HeadBegin = { status: 0, headers: [], isLast: false, text: '' };

let dateSecond = Number.NaN;
let date = '';

/** The field `Date` of a moment, Unix ms: it is written once a second. */
function dateAt(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1000).toUTCString();
  }
  return date;
}
