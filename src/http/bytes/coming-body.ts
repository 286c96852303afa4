/** Assembles the body of a request of known length as it arrives. */

const noBytes = Buffer.alloc(0);

/**
 * Pieces are copied into place and not kept: each is an object of a few hundred bytes, and a client
 * can cause one for each byte it sends.
 */
export class ComingBody {
  private whole: Buffer | null;
  private came = 0;

  /** `length` is in bytes. */
  constructor(private readonly length: number) {
    this.whole = length === 0 ? noBytes : null;
  }

  /** Adds the bytes of a piece that belong to the body; returns how many those are. */
  add(piece: Buffer): number {
    const { length, came } = this;
    const taken = Math.min(piece.length, length - came);
    // A body that arrives in one piece is not copied.
    if (taken === length) this.whole = piece.subarray(0, length);
    else {
      this.whole ??= Buffer.allocUnsafe(length);
      piece.copy(this.whole, came, 0, taken);
    }
    this.came += taken;
    return taken;
  }

  /** The whole body once it has arrived; null before. */
  get bytes(): Buffer | null {
    return this.came === this.length ? this.whole : null;
  }
}
