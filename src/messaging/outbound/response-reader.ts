/**
 * Reads successive responses from the bytes of a connection, in whatever pieces they arrive. What
 * it buffers is bounded: 64 KiB of heads and trailers, nothing of a body.
 */
import { LatestHead, type ResponseHead } from './response-head.js';

/** The callbacks for the parts of a response. */
export interface ResponseTaker {
  /** An interim response, which another one follows (RFC 9110, 15.2). */
  interim(status: number): void;
  answered(status: number, headers: readonly string[]): void;
  data(bytes: Buffer): void;
}

/** Why the bytes are not a valid response; `headers` = the headers are too large. */
export type Defect = { readonly reason: string } | 'headers';

const headBytesMax = 64 * 1024;
/** Limit for the line of a chunk size with its extensions. */
const sizeLineBytesMax = 4 * 1024;
const sizeLine = /^([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i;
const blankLine = Buffer.from('\r\n\r\n');
const protocol = 'HTTP/1.';
const lineFeed = 0x0a;

type Stage = 'head' | 'body' | 'toEnd' | 'size' | 'chunk' | 'chunkEnd' | 'trailers' | 'complete';

/**
 * One per connection. After a defect or a surplus the connection must be closed: further bytes
 * cannot be distinguished from the previous response.
 */
export class ResponseReader {
  /** Why the connection can no longer be used; null = it can. */
  defect: Defect | null = null;
  /** More bytes came than the response to the request. */
  hasSurplus = false;
  head: ResponseHead | null = null;
  private stage: Stage = 'complete';
  /** The part received so far of a head, a chunk size or trailers that arrives in pieces. */
  private pending: Buffer | null = null;
  private pendingBytes = 0;
  /** Bytes left of the body or of the chunk. */
  private left = 0;
  private trailerBytes = 0;
  private method = '';
  private readonly heads = new LatestHead();
  private taker: ResponseTaker | null = null;

  /** Begins reading the response to a request of this method. */
  begin(method: string, taker: ResponseTaker): void {
    this.stage = 'head';
    this.head = null;
    this.method = method;
    this.taker = taker;
  }

  /** The taker has everything it needs: nothing more is read. */
  stop(): void {
    this.taker = null;
  }

  /** Forgets a response that was read, so that an idle connection keeps nothing of it. */
  rest(): void {
    this.taker = null;
    this.head = null;
  }

  /** Whether the response was read to its end, or none is being read. */
  get isComplete(): boolean {
    return this.stage === 'complete';
  }

  /**
   * Reads further bytes. `bytes` are not kept, and what a taker receives is valid only until it
   * returns.
   */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.stage !== 'complete') {
      if (this.taker === null || this.defect !== null) return;
      at = this.step(this.taker, bytes, at);
    }
    if (at < bytes.length) this.hasSurplus = true;
  }

  /** The connection has ended; returns whether the response is complete. */
  end(): boolean {
    if (this.stage === 'toEnd') this.stage = 'complete';
    return this.isComplete;
  }

  /** Returns the offset of the first byte that this stage did not read. */
  private step(taker: ResponseTaker, bytes: Buffer, at: number): number {
    switch (this.stage) {
      case 'head':
        return this.readHead(taker, bytes, at);
      case 'body':
      case 'chunk':
        return this.readData(taker, bytes, at);
      case 'toEnd':
        taker.data(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      default:
        return this.readLine(bytes, at);
    }
  }

  private readHead(taker: ResponseTaker, bytes: Buffer, at: number): number {
    const before = this.pendingBytes;
    const whole = before === 0 ? bytes : this.gathered(bytes.subarray(at), headBytesMax);
    const from = before === 0 ? at : 0;
    if (!beginsAsHttp(whole, from)) return this.fail('expected HTTP/1.1', bytes);
    const end = whole.indexOf(blankLine, Math.max(from, before - 3));
    if (end === -1 || end - from > headBytesMax) {
      if (whole.length - from > headBytesMax) this.defect = 'headers';
      else if (before === 0) this.gathered(bytes.subarray(at), headBytesMax);
      return bytes.length;
    }
    this.release();
    const head = this.heads.read(whole.toString('latin1', from, end), this.method);
    if (typeof head === 'string') return this.fail(head, bytes);
    this.begun(taker, head);
    return at + (end - from) + blankLine.length - before;
  }

  private begun(taker: ResponseTaker, head: ResponseHead): void {
    const { status, headers, body } = head;
    if (status >= 100 && status < 200) {
      taker.interim(status);
      return;
    }
    this.head = head;
    if (body === 'toEnd') this.stage = 'toEnd';
    else if (body === 'chunked') this.stage = 'size';
    else this.stage = body === 0 ? 'complete' : 'body';
    this.left = typeof body === 'number' ? body : 0;
    this.trailerBytes = 0;
    taker.answered(status, headers);
  }

  private readData(taker: ResponseTaker, bytes: Buffer, at: number): number {
    const next = Math.min(bytes.length, at + this.left);
    this.left -= next - at;
    if (this.left === 0) this.stage = this.stage === 'chunk' ? 'chunkEnd' : 'complete';
    taker.data(bytes.subarray(at, next));
    return next;
  }

  /** Reads a chunk size, the end of a chunk or a trailer, depending on the stage. */
  private readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineFeed, at);
    const piece = bytes.subarray(at, end === -1 ? bytes.length : end + 1);
    const isTrailer = this.stage === 'trailers';
    if (isTrailer) this.trailerBytes += piece.length;
    if (this.trailerBytes > headBytesMax) this.defect = 'headers';
    // The content of a trailer is ignored: it matters only whether the line is empty.
    const bytesMax = isTrailer ? headBytesMax : sizeLineBytesMax;
    const isWhole = end !== -1 && this.pendingBytes === 0;
    const line = isWhole ? piece : this.gathered(piece, bytesMax);
    if (line.length > bytesMax) return this.fail('a line is too long', bytes);
    if (end === -1) return bytes.length;
    const text = line.toString('latin1', 0, line.length - 1);
    this.release();
    const defect = text.endsWith('\r') ? this.ended(text.slice(0, -1)) : 'missing carriage return';
    return defect === null ? end + 1 : this.fail(defect, bytes);
  }

  /** Handles a complete line according to the stage; returns why it is invalid, or null. */
  private ended(line: string): string | null {
    if (this.stage === 'trailers') {
      if (line === '') this.stage = 'complete';
      return null;
    }
    if (this.stage === 'chunkEnd') {
      this.stage = 'size';
      return line === '' ? null : 'a chunk is longer than its size';
    }
    const digits = sizeLine.exec(line)?.[1];
    if (digits === undefined) return 'invalid character in chunk size';
    this.left = Number.parseInt(digits, 16);
    this.stage = this.left === 0 ? 'trailers' : 'chunk';
    return null;
  }

  /** Collects an element that may arrive in pieces, up to slightly more than `max` bytes. */
  private gathered(piece: Buffer, max: number): Buffer {
    const length = this.pendingBytes + piece.length;
    if (this.pending === null || length > this.pending.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(length * 2, 512), max + 1));
      this.pending?.copy(larger, 0, 0, this.pendingBytes);
      this.pending = larger;
    }
    this.pendingBytes += piece.copy(this.pending, this.pendingBytes);
    return this.pending.subarray(0, this.pendingBytes);
  }

  private release(): void {
    this.pending = null;
    this.pendingBytes = 0;
  }

  private fail(reason: string, { length }: Buffer): number {
    this.defect = { reason };
    return length;
  }
}

/**
 * Whether the bytes so far begin as HTTP. This is checked early, because a peer that speaks another
 * protocol may wait for us forever.
 */
function beginsAsHttp(bytes: Buffer, from: number): boolean {
  const known = Math.min(bytes.length - from, protocol.length);
  return bytes.toString('latin1', from, from + known) === protocol.slice(0, known);
}
