/**
 * Reads one response after the other from the bytes of a connection, in whatever pieces they come.
 * What it keeps is bounded: of heads and trailers 64 KiB, of a body nothing.
 */
import { LatestHead, type ResponseHead } from './response-head.js';

/** What a reader calls as a response comes. */
export interface ResponseTaker {
  /** A response that is followed by another one (RFC 9110, 15.2). */
  interim(status: number): void;
  answered(status: number, headers: readonly string[]): void;
  data(bytes: Buffer): void;
}

/** Why what came is no response; `headers` = they are too large. */
export type Defect = { readonly reason: string } | 'headers';

const headBytesMax = 64 * 1024;
/** A size with its extensions. */
const sizeLineBytesMax = 4 * 1024;
const sizeLine = /^([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i;
const blankLine = Buffer.from('\r\n\r\n');
const protocol = 'HTTP/1.';
const lineFeed = 0x0a;

type Stage = 'head' | 'body' | 'toEnd' | 'size' | 'chunk' | 'chunkEnd' | 'trailers' | 'complete';

/**
 * One for each connection. A defect or a surplus means that the connection must be closed: what
 * comes next on it cannot be distinguished from the response before.
 */
export class ResponseReader {
  /** Why the connection is of no use any more; null = it may be read on. */
  defect: Defect | null = null;
  /** More came than the response that was asked for. */
  hasSurplus = false;
  head: ResponseHead | null = null;
  private stage: Stage = 'complete';
  /** Of a head, a size or trailers what has come of it, where it came in pieces. */
  private pending: Buffer | null = null;
  private pendingBytes = 0;
  /** Of the body or the chunk. */
  private left = 0;
  private trailerBytes = 0;
  private method = '';
  private readonly heads = new LatestHead();
  private taker: ResponseTaker | null = null;

  /** From now on a response to a request of this method is read. */
  begin(method: string, taker: ResponseTaker): void {
    this.stage = 'head';
    this.head = null;
    this.method = method;
    this.taker = taker;
  }

  /** The taker has what it wants: nothing more is read. */
  stop(): void {
    this.taker = null;
  }

  /** The response is read: a connection that waits for its next request keeps nothing of it. */
  rest(): void {
    this.taker = null;
    this.head = null;
  }

  /** Whether the response was read to its end, or none is being read. */
  get isComplete(): boolean {
    return this.stage === 'complete';
  }

  /** Reads on; `bytes` are not kept, and what a taker is given is only good until it returns. */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.stage !== 'complete') {
      if (this.taker === null || this.defect !== null) return;
      at = this.step(this.taker, bytes, at);
    }
    if (at < bytes.length) this.hasSurplus = true;
  }

  /** No more bytes come; whether the response is whole now. */
  end(): boolean {
    if (this.stage === 'toEnd') this.stage = 'complete';
    return this.isComplete;
  }

  /** Where the bytes go on that this stage has not read. */
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
    this.letGo();
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

  /** A size, the end of a chunk or a trailer: what a line may be depends on the stage. */
  private readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineFeed, at);
    const piece = bytes.subarray(at, end === -1 ? bytes.length : end + 1);
    const isTrailer = this.stage === 'trailers';
    if (isTrailer) this.trailerBytes += piece.length;
    if (this.trailerBytes > headBytesMax) this.defect = 'headers';
    // The text of a trailer means nothing: only whether the line is empty is of interest.
    const bytesMax = isTrailer ? headBytesMax : sizeLineBytesMax;
    const isWhole = end !== -1 && this.pendingBytes === 0;
    const line = isWhole ? piece : this.gathered(piece, bytesMax);
    if (line.length > bytesMax) return this.fail('a line is too long', bytes);
    if (end === -1) return bytes.length;
    const text = line.toString('latin1', 0, line.length - 1);
    this.letGo();
    const defect = text.endsWith('\r') ? this.ended(text.slice(0, -1)) : 'missing carriage return';
    return defect === null ? end + 1 : this.fail(defect, bytes);
  }

  /** What a whole line means in its stage; why it cannot stand there, or null. */
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

  /** What has come so far of something that may come in pieces, up to a little more than `max`. */
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

  private letGo(): void {
    this.pending = null;
    this.pendingBytes = 0;
  }

  private fail(reason: string, { length }: Buffer): number {
    this.defect = { reason };
    return length;
  }
}

/** As far as bytes have come: one that speaks another protocol may wait for us for ever. */
function beginsAsHttp(bytes: Buffer, from: number): boolean {
  const known = Math.min(bytes.length - from, protocol.length);
  return bytes.toString('latin1', from, from + known) === protocol.slice(0, known);
}
