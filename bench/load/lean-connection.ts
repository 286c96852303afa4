/**
 * The client that all peers are measured with: a socket that writes a request which is ready as
 * bytes, and looks for no more in the answer than its status and its end. What it costs is the same
 * for all of them, and little beside what they do.
 */
import { connect, type Socket } from 'node:net';

/** A request whose bytes are made once and written often. */
export interface LeanRequest {
  /** `http://host:port` */
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

/** The bytes of a POST. */
export function bytesOf({ origin, path, headers, body }: LeanRequest): Buffer {
  const fields = { host: new URL(origin).host, ...headers, 'content-length': body.length };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

export class LeanConnection {
  private waiting: Waiting | null = null;
  private received: Buffer = Buffer.alloc(0);

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.take(bytes));
    socket.on('error', (error) => this.settle(error));
    socket.on('close', () => this.settle(new Error('the server closed a connection')));
  }

  static open(origin: string): Promise<LeanConnection> {
    const { hostname, port } = new URL(origin);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new LeanConnection(socket));
      });
    });
  }

  /** One request at a time; rejects unless it is answered with a 2xx. */
  send(request: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      if (this.socket.destroyed) this.settle(new Error('the server has closed a connection'));
      else this.socket.write(request);
    });
  }

  close(): void {
    this.socket.removeAllListeners('close').destroy();
  }

  private take(bytes: Buffer): void {
    this.received = this.received.length === 0 ? bytes : Buffer.concat([this.received, bytes]);
    const end = this.received.indexOf(headEnd);
    if (end < 0 || !isWhole(this.received, end)) return;
    const answer = this.received;
    this.received = Buffer.alloc(0);
    // "HTTP/1.1 200": the first digit of the status is the tenth byte.
    const isTaken = answer[9] === 0x32;
    this.settle(isTaken ? null : refusal(answer, end));
  }

  private settle(error: Error | null): void {
    const { waiting } = this;
    this.waiting = null;
    if (error === null) waiting?.resolve();
    else waiting?.reject(error);
  }
}

function refusal(answer: Buffer, end: number): Error {
  const status = answer.toString('latin1', 9, 12);
  return new Error(`answered ${status}: ${answer.toString('utf8', end, end + 500).trim()}`);
}

/** Whether the body that follows a head is there to its end. */
function isWhole(answer: Buffer, end: number): boolean {
  const head = answer.toString('latin1', 0, end).toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  const bodyBytes = answer.length - end - headEnd.length;
  if (length !== undefined) return bodyBytes >= Number(length);
  const isChunked = head.includes('transfer-encoding: chunked');
  return !isChunked || answer.subarray(-lastChunk.length).equals(lastChunk);
}
