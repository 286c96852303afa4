/** Offset and time to file position, one entry for every 16 KiB of a segment. */

/** Bytes of log between two entries: what a lookup may have to read in vain. */
const indexIntervalBytes = 16 * 1024;

/** Position of the first batch in a segment (behind its header). */
const firstPosition = 64;

/**
 * Entry i says: the batch at `position` begins at `relativeOffset` (offset - the segment's base),
 * and every batch before it has a maxTimestamp of at most `timeBefore`. One table answers both
 * questions, since a batch that raises no maximum is never the first at or after a time.
 */
export class OffsetIndex {
  private relativeOffsets = new Uint32Array(16);
  private positions = new Uint32Array(16);
  private timesBefore = new Float64Array(16);
  private length = 0;
  private maxTimestamp = Number.NEGATIVE_INFINITY;

  /** Notes the next batch; it becomes an entry when the last one is an interval away. */
  add(relativeOffset: number, position: number, maxTimestamp: number): void {
    const last = this.length === 0 ? 0 : (this.positions[this.length - 1] ?? 0);
    if (position - last >= indexIntervalBytes) this.push(relativeOffset, position);
    this.maxTimestamp = Math.max(this.maxTimestamp, maxTimestamp);
  }

  /** Where to start reading for `relativeOffset`: a batch at or before the one that holds it. */
  positionOf(relativeOffset: number): number {
    return this.positionBefore((entry) => (this.relativeOffsets[entry] ?? 0) <= relativeOffset);
  }

  /** Where to stop reading: no batch from there on begins at or below `relativeOffset`. */
  positionBeyond(relativeOffset: number): number {
    const entry = this.entriesThat((each) => (this.relativeOffsets[each] ?? 0) <= relativeOffset);
    return entry === this.length ? Number.POSITIVE_INFINITY : (this.positions[entry] ?? 0);
  }

  /** Where to start looking for the first record with a timestamp of at least `timestamp`. */
  positionOfTime(timestamp: number): number {
    return this.positionBefore((entry) => (this.timesBefore[entry] ?? 0) < timestamp);
  }

  /** The last entry strictly before `position`: reading backwards goes by intervals. */
  positionBelow(position: number): number {
    return this.positionBefore((entry) => (this.positions[entry] ?? 0) < position);
  }

  /** Whether its entries for positions below `end` are exactly those of `made`. */
  agreesWith(made: OffsetIndex, end: number): boolean {
    const [own, expected] = [this.encode().subarray(8), made.encode().subarray(8)];
    const isBehind = this.length === made.length || (this.positions[made.length] ?? 0) >= end;
    return isBehind && own.subarray(0, expected.length).equals(expected);
  }

  /** Entries as bytes: count UINT32, padding, then the three columns. */
  encode(): Buffer {
    const count = this.length;
    const bytes = Buffer.alloc(8 + count * 16);
    bytes.writeUInt32LE(count, 0);
    for (let entry = 0; entry < count; entry += 1) {
      const start = 8 + entry * 16;
      bytes.writeUInt32LE(this.relativeOffsets[entry] ?? 0, start);
      bytes.writeUInt32LE(this.positions[entry] ?? 0, start + 4);
      bytes.writeDoubleLE(this.timesBefore[entry] ?? 0, start + 8);
    }
    return bytes;
  }

  /** The opposite of `encode`; the caller has checked a checksum over the bytes. */
  static decode(bytes: Buffer, maxTimestamp: number): OffsetIndex {
    const index = new OffsetIndex();
    for (let start = 8; start < bytes.length; start += 16) {
      index.maxTimestamp = bytes.readDoubleLE(start + 8);
      index.push(bytes.readUInt32LE(start), bytes.readUInt32LE(start + 4));
    }
    index.maxTimestamp = maxTimestamp;
    return index;
  }

  /** What it keeps in memory. */
  get byteLength(): number {
    return this.positions.length * 16;
  }

  private push(relativeOffset: number, position: number): void {
    if (this.length === this.positions.length) {
      this.relativeOffsets = doubled(this.relativeOffsets, new Uint32Array(this.length * 2));
      this.positions = doubled(this.positions, new Uint32Array(this.length * 2));
      this.timesBefore = doubled(this.timesBefore, new Float64Array(this.length * 2));
    }
    this.relativeOffsets[this.length] = relativeOffset;
    this.positions[this.length] = position;
    this.timesBefore[this.length] = this.maxTimestamp;
    this.length += 1;
  }

  /** The position of the last entry that `holds`. */
  private positionBefore(holds: (entry: number) => boolean): number {
    const count = this.entriesThat(holds);
    return count === 0 ? firstPosition : (this.positions[count - 1] ?? firstPosition);
  }

  /** How many entries hold; those that hold come first. */
  private entriesThat(hold: (entry: number) => boolean): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (hold(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function doubled<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
