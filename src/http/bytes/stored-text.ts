/** A stored body as a JSON value, written in slices: it may be longer than what may be held. */

/** How many stored bytes are converted to text at once; three of them are four of base64. */
const sliceBytes = 96 * 1024;

/**
 * A body in a listing or an object. It refers to the stored bytes and copies none of them before
 * they are written.
 */
export class StoredText {
  /** `encoding`: how the bytes are shown; `utf8` only if they are valid UTF-8. */
  constructor(
    private readonly bytes: Buffer,
    private readonly encoding: 'utf8' | 'base64',
  ) {}

  /** The number of stored bytes. */
  get length(): number {
    return this.bytes.length;
  }

  /** The length of its text in bytes, without escapes. */
  get weight(): number {
    const { length } = this.bytes;
    return this.encoding === 'utf8' ? length : Math.ceil(length / 3) * 4;
  }

  /** The whole text, for objects that are serialized whole. */
  toJSON(): string {
    return this.bytes.toString(this.encoding);
  }

  /**
   * The text between the quotes, from the byte `start` on, with the byte at which it ends. At most
   * `bytesMax` bytes are shown: at least 4, and a multiple of 3.
   */
  slice(start: number, bytesMax = sliceBytes): { chunk: Buffer; end: number } {
    const { bytes, encoding } = this;
    const end = encoding === 'utf8' ? this.characterEnd(start + bytesMax) : start + bytesMax;
    const text = bytes.toString(encoding, start, end);
    const escaped = encoding === 'utf8' ? JSON.stringify(text).slice(1, -1) : text;
    return { chunk: Buffer.from(escaped), end: Math.min(end, bytes.length) };
  }

  /** `end`, moved back so that no character is cut. */
  private characterEnd(end: number): number {
    let cut = end;
    while (((this.bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
    return cut;
  }
}
