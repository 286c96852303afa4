/** The body of a request of known length, put together as it comes. */

const noBytes = Buffer.alloc(0);

/**
 * Its pieces are copied into place and not kept: each is an object of a few hundred bytes, of which
 * a client can make one for each byte it sends.
 */
export class ComingBody {
  private whole: Buffer | null;
  private came = 0;

  /** `length` is in bytes. */
  constructor(private readonly length: number) {
    this.whole = length === 0 ? noBytes : null;
  }

  /** Takes the bytes of a piece that belong to the body; says how many those are. */
  add(piece: Buffer): number {
    const { length, came } = this;
    const taken = Math.min(piece.length, length - came);
    // All of it in one piece is not copied.
    if (taken === length) this.whole = piece.subarray(0, length);
    else {
      this.whole ??= Buffer.allocUnsafe(length);
      piece.copy(this.whole, came, 0, taken);
    }
    this.came += taken;
    return taken;
  }

  /** All of it, once it has come; null before. */
  get bytes(): Buffer | null {
    return this.came === this.length ? this.whole : null;
  }
}
