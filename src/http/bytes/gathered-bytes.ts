/** Assembles bytes of unknown length as they arrive. */

const noBytes = Buffer.alloc(0);

/**
 * Pieces are copied into one buffer and not kept: each is an object of a few hundred bytes, the
 * other side can cause one for each byte it sends, and the connection may reuse its memory for the
 * next read.
 */
export class GatheredBytes {
  private held = noBytes;
  private came = 0;

  /** The buffer never grows beyond `bytesMax`; the pieces must not exceed that in total. */
  constructor(private readonly bytesMax: number) {}

  /** The number of bytes so far. */
  get length(): number {
    return this.came;
  }

  add(piece: Buffer): void {
    const { held, came } = this;
    this.came += piece.length;
    if (came === 0) this.held = Buffer.from(piece);
    else {
      if (this.came > held.length) {
        this.held = Buffer.allocUnsafeSlow(Math.min(this.came * 2, this.bytesMax));
        held.copy(this.held, 0, 0, came);
      }
      piece.copy(this.held, came);
    }
  }

  /** All bytes so far, without memory that was allocated ahead. */
  get bytes(): Buffer {
    const { held, came } = this;
    return held.length === came ? held : Buffer.from(held.subarray(0, came));
  }
}
