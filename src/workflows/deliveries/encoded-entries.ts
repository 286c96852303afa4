/** The entries of a run in their delivered form: encoded once, and cut after any entry. */

const initialBytes = 1024;
const comma = 0x2c;
const opened = 0x5b;
const closed = 0x5d;

/** An entry as JSON (workflows.md 2.1), with its body as padded base64. */
export function entryText(messageId: string, body: Buffer | null): string {
  const encoded = body === null ? '' : body.toString('base64');
  return `{"messageId":${JSON.stringify(messageId)},"body":"${encoded}","callType":"step"}`;
}

/**
 * A JSON array under construction: `[` and the elements, without the closing bracket. Elements are
 * only ever added, so parts that were returned before stay valid.
 */
export class EncodedEntries {
  private bytes = Buffer.alloc(initialBytes);
  /** The end position of each element. */
  private readonly ends: number[] = [];

  /**
   * The list belongs to one configuration, named by its journal offset; under it the list only
   * grows.
   */
  constructor(readonly configurationOffset: number) {
    this.bytes[0] = opened;
  }

  /** Number of entries. */
  get length(): number {
    return this.ends.length;
  }

  /** Approximate bytes in memory; mostly unchanged when an entry is added. */
  get weight(): number {
    return this.bytes.length;
  }

  /** Adds an entry. */
  add(messageId: string, body: Buffer | null): void {
    const end = this.ends.at(-1) ?? 1;
    const text = entryText(messageId, body);
    // Ids chosen by clients may have more bytes than characters.
    const needed = end + 1 + Buffer.byteLength(text) + 1;
    if (needed > this.bytes.length) this.grow(needed);
    const start = this.ends.length === 0 ? end : end + 1;
    if (start > end) this.bytes[end] = comma;
    this.ends.push(start + this.bytes.write(text, start));
  }

  /** The complete JSON array of the first `count` entries. */
  upTo(count: number): Buffer {
    const end = this.ends[count - 1] ?? 1;
    const array = Buffer.allocUnsafe(end + 1);
    this.bytes.copy(array, 0, 0, end);
    array[end] = closed;
    return array;
  }

  /**
   * The text of the elements from index `from` on, with the bracket or comma before them: at most
   * `bytesMax` bytes but at least one element, and only of the first `count` elements. `next` is
   * the index of the element after the text.
   */
  part(from: number, count: number, bytesMax: number): { text: string; next: number } {
    const start = from === 0 ? 0 : (this.ends[from - 1] ?? 0);
    const known = Math.min(count, this.length);
    let next = from + 1;
    while (next < known && (this.ends[next] ?? 0) - start <= bytesMax) next += 1;
    return { text: this.bytes.toString('utf8', start, this.ends[next - 1]), next };
  }

  private grow(needed: number): void {
    const larger = Buffer.alloc(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}
