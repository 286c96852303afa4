/** A stored body as a value of JSON, written in slices: it may be longer than what is held. */

/** Of the stored bytes, what is made into text at once. Three of them are four of base64. */
const sliceBytes = 96 * 1024;

/**
 * Bodies of messages in listings and objects. It holds the stored bytes and makes no copy of them
 * before it is written.
 */
export class StoredText {
  /** `encoding`: how the bytes are shown; `utf8` only where they are. */
  constructor(
    private readonly bytes: Buffer,
    private readonly encoding: 'utf8' | 'base64',
  ) {}

  /** Of the stored bytes. */
  get length(): number {
    return this.bytes.length;
  }

  /** How long its text is in bytes, but for what is escaped. */
  get weight(): number {
    const { length } = this.bytes;
    return this.encoding === 'utf8' ? length : Math.ceil(length / 3) * 4;
  }

  /** The whole text, where an object that shows it is made whole. */
  toJSON(): string {
    return this.bytes.toString(this.encoding);
  }

  /**
   * What stands between the quotes, from the byte `start` on, and the byte that it ends before. At
   * most `bytesMax` bytes are shown: 4 at least, and a multiple of 3.
   */
  slice(start: number, bytesMax = sliceBytes): { chunk: Buffer; end: number } {
    const { bytes, encoding } = this;
    const end = encoding === 'utf8' ? this.characterEnd(start + bytesMax) : start + bytesMax;
    const text = bytes.toString(encoding, start, end);
    const escaped = encoding === 'utf8' ? JSON.stringify(text).slice(1, -1) : text;
    return { chunk: Buffer.from(escaped), end: Math.min(end, bytes.length) };
  }

  /** `end`, or what is before it of the character that it would cut. */
  private characterEnd(end: number): number {
    let cut = end;
    while (((this.bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
    return cut;
  }
}
