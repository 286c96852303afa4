/** The entries of a run as they are delivered: encoded once, and cut at the end of any of them. */

const initialBytes = 1024;
const comma = 0x2c;
const opened = 0x5b;
const closed = 0x5d;

/** An entry as JSON (workflows.md 2.1): its body goes in as base64 with padding. */
export function entryText(messageId: string, body: Buffer | null): string {
  const encoded = body === null ? '' : body.toString('base64');
  return `{"messageId":${JSON.stringify(messageId)},"body":"${encoded}","callType":"step"}`;
}

/**
 * A JSON array under construction: `[` and the elements, without the closing bracket. Elements are
 * only ever added, so that what was handed out before stays true.
 */
export class EncodedEntries {
  private bytes = Buffer.alloc(initialBytes);
  /** Where each element ends. */
  private readonly ends: number[] = [];

  /** A list under one configuration, named by its journal offset, only ever grows. */
  constructor(readonly configurationOffset: number) {
    this.bytes[0] = opened;
  }

  /** How many entries there are. */
  get length(): number {
    return this.ends.length;
  }

  /** About what it keeps in memory: mostly it stays the same when an entry is added. */
  get weight(): number {
    return this.bytes.length;
  }

  /** Adds an entry. */
  add(messageId: string, body: Buffer | null): void {
    const end = this.ends.at(-1) ?? 1;
    const text = entryText(messageId, body);
    // What is named by clients may take more bytes than characters.
    const needed = end + 1 + Buffer.byteLength(text) + 1;
    if (needed > this.bytes.length) this.grow(needed);
    const start = this.ends.length === 0 ? end : end + 1;
    if (start > end) this.bytes[end] = comma;
    this.ends.push(start + this.bytes.write(text, start));
  }

  /** The array of the first `count` entries. */
  upTo(count: number): Buffer {
    const end = this.ends[count - 1] ?? 1;
    const array = Buffer.allocUnsafe(end + 1);
    this.bytes.copy(array, 0, 0, end);
    array[end] = closed;
    return array;
  }

  /**
   * What stands between the ends of two elements, from `from` on: at most `bytesMax`, but one
   * element at least, and none behind the first `count`. `next` comes after it.
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
