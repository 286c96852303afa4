/**
 * Streams that rest, as rows of bytes: 56 bytes each beside id and state, in arrays that the
 * garbage collector does not look into. A shard is small enough to be copied within one tick.
 *
 *     numbers   length, firstOffset, lastOffset, wantedAt   of row 0, of row 1, ...
 *     places    hash of the id, where its bytes begin, bytes of the id
 *     bytes     id, state, id, state, ...
 *     slots     an open hash table of rows: row + 1; 0 = free
 *     alarms    a heap of rows, the earliest `wantedAt` first, of equal ones the lower firstOffset
 */
import { textBytesMax, writeText } from '../../../storage/format/record-encoding.js';
import { bytesOfArray, numbersOfRow, placesOfRow, ShardCut, shardHeadLength } from './shard-cut.js';
import { allStreams, isInPart } from './stream-part.js';

/** A stream as it is stored: `valueIn` and the kind's `fromStored` make its state of the bytes. */
export interface StoredStream {
  readonly id: string;
  /** Events so far. */
  readonly length: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** The stored state. */
  readonly bytes: Buffer;
}

/** A stream that rests. */
export interface RestingStream extends StoredStream {
  /** When it has to be asked what it wants, Unix milliseconds; Infinity = it wants nothing. */
  readonly wantedAt: number;
}

/** When a stream with an alarm is wanted: Unix milliseconds; Infinity = there is none. */
export interface Alarm {
  readonly at: number;
  readonly firstOffset: number;
}

const noAlarm: Alarm = { at: Number.POSITIVE_INFINITY, firstOffset: -1 };

const rowsMin = 16;
const bytesMin = 1024;

/**
 * Full arrays become twice as large while they are small: making them anew for each quarter is half
 * of what a stream costs that is laid to rest (ADR 90). Then a quarter, as unused room costs.
 */
const smallBytes = 32 * 1024;
const grownTo = (length: number, bytes: number) =>
  Math.ceil(length * (bytes < smallBytes ? 2 : 1.25));

/**
 * Rows are numbered as they come and are good until something is removed: look a stream up again
 * then.
 */
export class RestingShard {
  private numbers = new Float64Array(rowsMin * numbersOfRow);
  private places = new Uint32Array(rowsMin * placesOfRow);
  private bytes = Buffer.allocUnsafeSlow(bytesMin);
  private slots = new Uint32Array(rowsMin * 2);
  private alarms = new Uint32Array(rowsMin);
  private rows = 0;
  private bytesEnd = 0;
  private alarmCount = 0;
  private gone = 0;
  private cut: ShardCut | null = null;

  /** How many streams rest here. */
  get size(): number {
    return this.rows - this.gone;
  }

  /** The row of a stream; -1 = it does not rest here. */
  find(id: string, hash: number): number {
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = (this.slots[slot] ?? 0) - 1;
      if (row < 0) return -1;
      const isSame = this.places[row * placesOfRow] === hash && !this.isGone(row);
      if (isSame && this.idOf(row) === id) return row;
    }
  }

  /** A stream that does not rest here yet; with an alarm it is given by `due` at its time. */
  add(stream: RestingStream, hash: number, hasAlarm: boolean): void {
    const { id, bytes, length, firstOffset, lastOffset, wantedAt } = stream;
    this.reserve(textBytesMax(id) + bytes.length);
    const idBytes = writeText(this.bytes, this.bytesEnd, id);
    const row = this.rows;
    this.rows += 1;
    const { numbers, places } = this;
    const at = row * numbersOfRow;
    numbers[at] = length;
    numbers[at + 1] = firstOffset;
    numbers[at + 2] = lastOffset;
    numbers[at + 3] = wantedAt;
    const place = row * placesOfRow;
    places[place] = hash;
    places[place + 1] = this.bytesEnd;
    places[place + 2] = idBytes;
    this.bytes.set(bytes, this.bytesEnd + idBytes);
    this.bytesEnd += idBytes + bytes.length;
    this.link(row, hash);
    if (hasAlarm) this.pushAlarm(row);
  }

  /** Removes a row; its bytes go when half of all rows have gone. */
  remove(row: number): void {
    const at = row * numbersOfRow;
    this.cut?.goes(row, this.numbers[at] ?? 0);
    this.numbers[at] = 0;
    this.gone += 1;
    if (this.gone > rowsMin && this.gone * 2 > this.rows) this.compact();
  }

  /** The journal offset of the first event of the stream in this row. */
  firstOffsetOf(row: number): number {
    return this.numbers[row * numbersOfRow + 1] ?? -1;
  }

  /** The stream of a row, with bytes that are only good until something changes here. */
  read(row: number): RestingStream {
    const at = row * numbersOfRow;
    return {
      id: this.idOf(row),
      length: this.numbers[at] ?? 0,
      firstOffset: this.numbers[at + 1] ?? -1,
      lastOffset: this.numbers[at + 2] ?? -1,
      wantedAt: this.wantedAt(row),
      bytes: this.bytes.subarray(this.stateStart(row), this.endOf(row)),
    };
  }

  /** Every row with a stream of the part. What is added meanwhile may be among them. */
  *all(part = allStreams): Generator<number> {
    for (let row = 0; row < this.rows; row += 1)
      if (!this.isGone(row) && isInPart(this.firstOffsetOf(row), part)) yield row;
  }

  idOf(row: number): string {
    return this.bytes.toString('utf8', this.startOf(row), this.stateStart(row));
  }

  /** The earliest alarm. Of equal ones that of the stream that began first. */
  nextAlarm(): Alarm {
    while (this.alarmCount > 0 && this.isGone(this.alarms[0] ?? 0)) this.popAlarm();
    if (this.alarmCount === 0) return noAlarm;
    const row = this.alarms[0] ?? 0;
    return { at: this.wantedAt(row), firstOffset: this.firstOffsetOf(row) };
  }

  /** The id of the stream that `nextAlarm` is of; it has no alarm any more. */
  takeAlarm(): string {
    const id = this.idOf(this.alarms[0] ?? 0);
    this.popAlarm();
    return id;
  }

  /** All streams that rest here now, to be stored later; in place of an earlier cut. */
  cutNow(): ShardCut {
    const { numbers, places, bytes, rows, bytesEnd } = this;
    this.cut = new ShardCut({ numbers, places, bytes, rows, bytesEnd });
    return this.cut;
  }

  /** A cut is stored, or not wanted any more. */
  release(cut: ShardCut): void {
    if (this.cut === cut) this.cut = null;
  }

  /** The shard of a cut's bytes; every stream that wants something has an alarm. */
  static fromBytes(stored: Buffer): RestingShard {
    const shard = new RestingShard();
    const rows = stored.readUInt32LE(0);
    const bytesLength = stored.readUInt32LE(4);
    const placesStart = shardHeadLength + rows * numbersOfRow * 8;
    const bytesStart = placesStart + rows * placesOfRow * 4;
    const capacity = Math.max(rowsMin, rows);
    shard.numbers = new Float64Array(capacity * numbersOfRow);
    shard.places = new Uint32Array(capacity * placesOfRow);
    bytesOfArray(shard.numbers).set(stored.subarray(shardHeadLength, placesStart));
    bytesOfArray(shard.places).set(stored.subarray(placesStart, bytesStart));
    shard.bytes = Buffer.allocUnsafeSlow(Math.max(bytesMin, bytesLength));
    stored.copy(shard.bytes, 0, bytesStart, bytesStart + bytesLength);
    shard.bytesEnd = bytesLength;
    shard.rows = rows;
    shard.alarms = new Uint32Array(capacity);
    shard.relink();
    for (let row = 0; row < rows; row += 1) {
      // Mostly in order, so that each stays where it is put.
      if (shard.wantedAt(row) < Number.POSITIVE_INFINITY) shard.pushAlarm(row);
    }
    return shard;
  }

  /** Only the streams that are here; those that have an alarm keep it. A cut keeps the others. */
  private compact(): void {
    const alarmed = new Set(this.alarms.subarray(0, this.alarmCount));
    const compacted = new RestingShard();
    for (const row of this.all()) {
      const hash = this.places[row * placesOfRow] ?? 0;
      compacted.add(this.read(row), hash, alarmed.has(row));
    }
    Object.assign(this, compacted);
  }

  private compare(one: number, other: number): number {
    const [first, second] = [this.wantedAt(one), this.wantedAt(other)];
    if (first === second) return this.firstOffsetOf(one) - this.firstOffsetOf(other);
    return first < second ? -1 : 1;
  }

  private isGone(row: number): boolean {
    return this.numbers[row * numbersOfRow] === 0;
  }

  private wantedAt(row: number): number {
    return this.numbers[row * numbersOfRow + 3] ?? Number.POSITIVE_INFINITY;
  }

  private startOf(row: number): number {
    return this.places[row * placesOfRow + 1] ?? 0;
  }

  private stateStart(row: number): number {
    return this.startOf(row) + (this.places[row * placesOfRow + 2] ?? 0);
  }

  private endOf(row: number): number {
    return row + 1 === this.rows ? this.bytesEnd : this.startOf(row + 1);
  }

  private reserve(bytes: number): void {
    if (this.bytesEnd + bytes > this.bytes.length) {
      const { length } = this.bytes;
      const larger = Buffer.allocUnsafeSlow(
        Math.max(grownTo(length, length), this.bytesEnd + bytes),
      );
      this.bytes.copy(larger, 0, 0, this.bytesEnd);
      this.bytes = larger;
    }
    if (this.rows < this.alarms.length) return;
    const capacity = grownTo(this.rows, this.numbers.byteLength);
    this.numbers = grown(this.numbers, new Float64Array(capacity * numbersOfRow));
    this.places = grown(this.places, new Uint32Array(capacity * placesOfRow));
    this.alarms = grown(this.alarms, new Uint32Array(capacity));
    if (capacity * 1.5 > this.slots.length) this.relink();
  }

  private link(row: number, hash: number): void {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = row + 1;
  }

  /** A new hash table, with room for as many rows as there may be without growing. */
  private relink(): void {
    const slots = 2 ** Math.ceil(Math.log2(this.alarms.length * 1.5));
    this.slots = new Uint32Array(slots);
    for (let row = 0; row < this.rows; row += 1) {
      this.link(row, this.places[row * placesOfRow] ?? 0);
    }
  }

  private pushAlarm(row: number): void {
    const { alarms } = this;
    let at = this.alarmCount;
    this.alarmCount += 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = alarms[parent] ?? 0;
      if (this.compare(above, row) <= 0) break;
      alarms[at] = above;
      at = parent;
    }
    alarms[at] = row;
  }

  private popAlarm(): void {
    const { alarms } = this;
    this.alarmCount -= 1;
    const count = this.alarmCount;
    const last = alarms[count] ?? 0;
    let at = 0;
    for (let child = 1; child < count; child = at * 2 + 1) {
      const right = child + 1;
      const isRight = right < count && this.compare(alarms[right] ?? 0, alarms[child] ?? 0) < 0;
      const least = isRight ? right : child;
      if (this.compare(alarms[least] ?? 0, last) >= 0) break;
      alarms[at] = alarms[least] ?? 0;
      at = least;
    }
    alarms[at] = last;
  }
}

function grown<Numbers extends Float64Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
