/**
 * A request whose body is taken as Node's parser reads it, without a stream between: the events of
 * a stream that has one piece cost a tenth of a small request (ADR 6).
 */
import { IncomingMessage } from 'node:http';
import { ComingBody } from '../../http/bytes/coming-body.js';

/** The class of all requests of the public server, given to Node's parser. */
export class LaneRequest extends IncomingMessage {
  private taker: ((body: Buffer) => void) | null = null;
  private body: ComingBody | null = null;
  private isStreamed = false;

  /**
   * Has `taker` called once with the whole body, of the length that the head says, in the tick that
   * reads its end; never where the client breaks off. It is held in memory, and its stream stays
   * empty. False: some of it has been read, as of a request that was held for an owner of the log,
   * and its stream has all of it.
   */
  takeBody(taker: (body: Buffer) => void): boolean {
    if (this.isStreamed) return false;
    this.taker = taker;
    this.body = new ComingBody(Number(this.headers['content-length']));
    return true;
  }

  /** What the parser calls with each piece, and with null at the end. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    const { taker, body } = this;
    if (taker === null || body === null) {
      this.isStreamed = true;
      return super.push(piece, encoding);
    }
    if (piece !== null) {
      body.add(piece);
      return true;
    }
    this.taker = null;
    this.body = null;
    if (body.bytes !== null) taker(body.bytes);
    return false;
  }
}

/** As `takeBody`, of any request; one of another port has a stream alone. */
export function tryTakeBody(request: IncomingMessage, taker: (body: Buffer) => void): boolean {
  return request instanceof LaneRequest && request.takeBody(taker);
}
