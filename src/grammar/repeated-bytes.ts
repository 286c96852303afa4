/** Recognises bytes that come again and again, and costs next to nothing where none do. */

/** Longer ones are not kept. */
const keptBytesMax = 1024;

/** It keeps one text of at most 1 KiB; what belongs to it is kept by the user beside it. */
export class RepeatedBytes {
  private readonly kept = Buffer.alloc(keptBytesMax);
  private length = -1;
  /** Where others were different last: most are different there again. */
  private differsAt = 0;

  /** Whether the bytes in [start, end) are those that are kept. */
  isAt(bytes: Buffer, start: number, end: number): boolean {
    const { kept, length, differsAt } = this;
    if (end - start !== length || bytes[start + differsAt] !== kept[differsAt]) return false;
    for (let at = 0; at < length; at += 1) {
      if (bytes[start + at] === kept[at]) continue;
      this.differsAt = at;
      return false;
    }
    return true;
  }

  /** Keeps a copy of the bytes in [start, end), unless they are too long, or there are none. */
  keep(bytes: Buffer, start: number, end: number): void {
    this.differsAt = 0;
    this.length = -1;
    if (end - start > keptBytesMax || end === start) return;
    this.length = end - start;
    bytes.copy(this.kept, 0, start, end);
  }
}
