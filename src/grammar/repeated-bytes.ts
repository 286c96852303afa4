/** Recognises byte sequences that repeat, at almost no cost if they do not. */

/** Longer sequences are not kept. */
const keptBytesMax = 1024;

/** Keeps one sequence of at most 1 KiB; its user keeps what belongs to it. */
export class RepeatedBytes {
  private readonly kept = Buffer.alloc(keptBytesMax);
  private length = -1;
  /** Where the last other sequence differed: most differ there again. */
  private differsAt = 0;

  /** Whether the bytes in [start, end) equal the kept ones. */
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

  /** Keeps a copy of the bytes in [start, end), unless they are too long or empty. */
  keep(bytes: Buffer, start: number, end: number): void {
    this.differsAt = 0;
    this.length = -1;
    if (end - start > keptBytesMax || end === start) return;
    this.length = end - start;
    bytes.copy(this.kept, 0, start, end);
  }
}
