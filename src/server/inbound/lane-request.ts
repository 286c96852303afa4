/**
 * A request whose body is taken as Node's parser reads it, without a stream between: the events of
 * a stream that has one piece cost a tenth of a small request (ADR 6).
 */
import { IncomingMessage } from 'node:http';
import { joined } from './express-exchange.js';

/** The class of all requests of the public server, given to Node's parser. */
export class LaneRequest extends IncomingMessage {
  private taker: ((body: Buffer) => void) | null = null;
  private pieces: Buffer[] = [];
  private isStreamed = false;

  /**
   * Has `taker` called once with the whole body, in the tick that reads its end; never where the
   * client breaks off. It is held in memory, and its stream stays empty. False: some of it has been
   * read, as of a request that was held for an owner of the log, and its stream has all of it.
   */
  takeBody(taker: (body: Buffer) => void): boolean {
    if (this.isStreamed) return false;
    this.taker = taker;
    return true;
  }

  /** What the parser calls with each piece, and with null at the end. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    const { taker, pieces } = this;
    if (taker === null) {
      this.isStreamed = true;
      return super.push(piece, encoding);
    }
    if (piece !== null) {
      pieces.push(piece);
      return true;
    }
    this.taker = null;
    this.pieces = [];
    taker(joined(pieces));
    return false;
  }
}

/** As `takeBody`, of any request; one of another port has a stream alone. */
export function takesBody(request: IncomingMessage, taker: (body: Buffer) => void): boolean {
  return request instanceof LaneRequest && request.takeBody(taker);
}
