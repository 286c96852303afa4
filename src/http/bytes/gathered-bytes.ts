/** Bytes of unknown length, put together as they come. */

const noBytes = Buffer.alloc(0);

/**
 * Pieces are copied into one piece of memory and not kept: each is an object of a few hundred
 * bytes, of which the other side can make one for each byte it sends, and its connection may read
 * on into the same memory.
 */
export class GatheredBytes {
  private held = noBytes;
  private came = 0;

  /** The memory never grows beyond `bytesMax`; pieces must not come to more. */
  constructor(private readonly bytesMax: number) {}

  /** How many have come. */
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

  /** All that have come; memory that was made ahead is not in it. */
  get bytes(): Buffer {
    const { held, came } = this;
    return held.length === came ? held : Buffer.from(held.subarray(0, came));
  }
}
