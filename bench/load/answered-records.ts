/**
 * What a reader sees of an answer of the log interface. It looks for field names and does not parse
 * the JSON: at a few hundred thousand records a second the parser would be what is measured.
 */

const partitionField = Buffer.from('"partition":');
const offsetField = Buffer.from(',"offset":');
const valueField = Buffer.from('"value":"');
const zero = 0x30;
const nine = 0x39;

/** Calls `visit` for each record, in order. Values must not look like records themselves. */
export function eachRecord(
  answer: Buffer,
  visit: (partition: number, offset: number) => void,
): void {
  let at = answer.indexOf(partitionField);
  while (at >= 0) {
    const partition = numberAt(answer, at + partitionField.length);
    const offset = numberAt(answer, partition.end + offsetField.length);
    visit(partition.value, offset.value);
    at = answer.indexOf(partitionField, offset.end);
  }
}

/** Calls `visit` with the number each value begins with; answers how many bytes it has seen. */
export function eachValueNumber(answer: Buffer, visit: (number: number) => void): number {
  let seen = 0;
  let at = answer.indexOf(valueField);
  while (at >= 0) {
    const number = numberAt(answer, at + valueField.length);
    // The rest of it comes with the next piece.
    if (number.end === answer.length) break;
    visit(number.value);
    seen = number.end;
    at = answer.indexOf(valueField, seen);
  }
  return seen;
}

function numberAt(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let end = start;
  for (; end < bytes.length; end += 1) {
    const digit = bytes[end] ?? 0;
    if (digit < zero || digit > nine) break;
    value = value * 10 + digit - zero;
  }
  return { value, end };
}

/** How far the partitions of a topic have been read, by one reader or by the members of a group. */
export class Progress {
  private readonly next: number[];
  private left: number;

  /** `ends` has the number of records in each partition. */
  constructor(private readonly ends: readonly number[]) {
    this.next = ends.map(() => 0);
    this.left = ends.reduce((sum, end) => sum + end, 0);
  }

  get isComplete(): boolean {
    return this.left === 0;
  }

  /** Where to read on in a partition. */
  nextOf(partition: number): number {
    return this.next[partition] ?? Number.NaN;
  }

  isRead(partition: number): boolean {
    return this.next[partition] === this.ends[partition];
  }

  /**
   * Answers how many records are new. Those that are given again, after a rebalance, do not count;
   * one that was left out throws.
   */
  take(answer: Buffer): number {
    const { next, left } = this;
    eachRecord(answer, (partition, offset) => {
      const expected = next[partition] ?? Number.NaN;
      if (offset === expected) {
        next[partition] = offset + 1;
        this.left -= 1;
      } else if (!(offset < expected)) {
        throw new Error(`partition ${partition} went on at ${offset}, not at ${expected}`);
      }
    });
    return left - this.left;
  }
}
