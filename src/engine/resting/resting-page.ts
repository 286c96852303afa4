/**
 * Resting streams as rows of bytes: 48 bytes each beside id and state, in arrays that the garbage
 * collector does not traverse. The size of a page is bounded, so that a large page is never copied
 * as a whole, and can be stored or emptied within one tick.
 *
 *     numbers   length, firstOffset, lastOffset, wantedAt   of row 0, of row 1, ...
 *     places    hash of the id, where its bytes begin, bytes of the id
 *     bytes     id, state, id, state, ...
 *     alarms    a heap of rows: earliest `wantedAt` first, then lowest `firstOffset`
 */
import { textBytesMax, writeText } from '../../../storage/format/record-encoding.js';
import { bytesOfArray, numbersOfRow, PageCut, pageHeadLength, placesOfRow } from './page-cut.js';
import { RestingStream } from './resting-stream.js';
import { allStreams, isInPart } from './stream-part.js';

/** When a stream with an alarm is wanted: Unix milliseconds; Infinity = there is none. */
export interface Alarm {
  readonly at: number;
  readonly firstOffset: number;
}

/** The alarm of a page in which nothing is wanted. */
export const noAlarm: Alarm = { at: Number.POSITIVE_INFINITY, firstOffset: -1 };

const rowsMin = 16;
const bytesMin = 1024;
/** A page with at most this many bytes and few rows stays as it is until all rows are removed. */
const smallBytes = 32 * 1024;

/** The number of a row within its page has this many bits. */
export const rowBits = 12;
/** A page has at most this many rows. */
export const rowsMax = 2 ** rowBits;
/** A stream with more bytes has a page of its own. */
const bytesMax = 1024 * 1024;

/**
 * Rows are numbered as they are added and keep their numbers as long as the page exists: a removed
 * row leaves its place empty.
 */
export class RestingPage {
  private numbers: Float64Array;
  private places: Uint32Array;
  private alarms: Uint32Array;
  private bytes: Buffer;
  private bytesEnd = 0;
  private alarmCount = 0;
  private gone = 0;
  private cut: PageCut | null = null;
  /** Includes removed rows. Read only. */
  rows = 0;

  /** Has room for this much before it grows. */
  constructor(rows = rowsMin, bytes = bytesMin) {
    this.numbers = new Float64Array(rows * numbersOfRow);
    this.places = new Uint32Array(rows * placesOfRow);
    this.alarms = new Uint32Array(rows);
    this.bytes = Buffer.allocUnsafeSlow(bytes);
  }

  /** A page of full size, for kinds with many streams: it does not grow. */
  static ofMany(): RestingPage {
    return new RestingPage(rowsMax, bytesMax);
  }

  /** How many streams rest here. */
  get size(): number {
    return this.rows - this.gone;
  }

  /** Whether more than half is empty, so that the remaining streams should move to another page. */
  get isSparse(): boolean {
    if (this.gone <= rowsMin && this.bytesEnd <= smallBytes) return false;
    return this.gone * 2 > this.rows;
  }

  /** Whether the page is full enough to be adopted as it is. */
  get isHalfFull(): boolean {
    return this.rows * 2 >= rowsMax || this.bytesEnd * 2 >= bytesMax;
  }

  /** Whether the stream fits into the page. */
  takes({ id, bytes }: RestingStream): boolean {
    if (this.rows === 0) return true;
    return this.rows < rowsMax && this.bytesEnd + textBytesMax(id) + bytes.length <= bytesMax;
  }

  /** Whether the row is the stream with this id. */
  isRowOf(row: number, id: string, hash: number): boolean {
    return this.places[row * placesOfRow] === hash && !this.isGone(row) && this.idOf(row) === id;
  }

  /** Adds a stream and returns its row; with an alarm, `takeAlarm` returns it at its time. */
  add(stream: RestingStream, hash: number, hasAlarm: boolean): number {
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
    if (hasAlarm) this.pushAlarm(row);
    return row;
  }

  /** Removes a row; its bytes stay as long as the page exists. */
  remove(row: number): void {
    const at = row * numbersOfRow;
    this.cut?.goes(row, this.numbers[at] ?? 0);
    this.numbers[at] = 0;
    this.gone += 1;
  }

  /** The hash with which a row was added. */
  hashOf(row: number): number {
    return this.places[row * placesOfRow] ?? 0;
  }

  /** The journal offset of the first event of the stream in this row. */
  firstOffsetOf(row: number): number {
    return this.numbers[row * numbersOfRow + 1] ?? -1;
  }

  /** The stream of a row; its bytes are valid only until something changes here. */
  read(row: number): RestingStream {
    const at = row * numbersOfRow;
    return new RestingStream(
      this.idOf(row),
      this.numbers[at] ?? 0,
      this.numbers[at + 1] ?? -1,
      this.numbers[at + 2] ?? -1,
      this.bytes.subarray(this.stateStart(row), this.endOf(row)),
      this.wantedAt(row),
    );
  }

  /** Every row whose stream belongs to the part; may include rows added meanwhile. */
  *all(part = allStreams): Generator<number> {
    for (let row = 0; row < this.rows; row += 1)
      if (!this.isGone(row) && isInPart(this.firstOffsetOf(row), part)) yield row;
  }

  idOf(row: number): string {
    return this.bytes.toString('utf8', this.startOf(row), this.stateStart(row));
  }

  /** The earliest alarm; if several are equal, that of the stream that began first. */
  nextAlarm(): Alarm {
    while (this.alarmCount > 0 && this.isGone(this.alarms[0] ?? 0)) this.popAlarm();
    if (this.alarmCount === 0) return noAlarm;
    const row = this.alarms[0] ?? 0;
    return { at: this.wantedAt(row), firstOffset: this.firstOffsetOf(row) };
  }

  /** The id of the stream whose alarm `nextAlarm` returned; it has no alarm any more. */
  takeAlarm(): string {
    const id = this.idOf(this.alarms[0] ?? 0);
    this.popAlarm();
    return id;
  }

  /** The rows that have an alarm; may include removed rows. */
  alarmed(): ReadonlySet<number> {
    return new Set(this.alarms.subarray(0, this.alarmCount));
  }

  /** A cut of all streams that rest here now, to be stored later; replaces an earlier cut. */
  cutNow(): PageCut {
    const { numbers, places, bytes, rows, bytesEnd } = this;
    this.cut = new PageCut({ numbers, places, bytes, rows, bytesEnd });
    return this.cut;
  }

  /** Drops a cut that is stored or no longer needed. */
  release(cut: PageCut): void {
    if (this.cut === cut) this.cut = null;
  }

  /** Restores a page from a cut's bytes; every stream that wants something gets an alarm. */
  static fromBytes(stored: Buffer): RestingPage {
    const rows = stored.readUInt32LE(0);
    const bytesLength = stored.readUInt32LE(4);
    const placesStart = pageHeadLength + rows * numbersOfRow * 8;
    const bytesStart = placesStart + rows * placesOfRow * 4;
    const page = new RestingPage(Math.max(rowsMin, rows), Math.max(bytesMin, bytesLength));
    bytesOfArray(page.numbers).set(stored.subarray(pageHeadLength, placesStart));
    bytesOfArray(page.places).set(stored.subarray(placesStart, bytesStart));
    stored.copy(page.bytes, 0, bytesStart, bytesStart + bytesLength);
    page.bytesEnd = bytesLength;
    page.rows = rows;
    for (let row = 0; row < rows; row += 1) {
      // Rows are mostly in order of time, so that each stays where it is put.
      if (page.wantedAt(row) < Number.POSITIVE_INFINITY) page.pushAlarm(row);
    }
    return page;
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

  /** Full arrays double in size; those of a full-size page never grow. */
  private reserve(bytes: number): void {
    const needed = this.bytesEnd + bytes;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, needed));
      this.bytes.copy(larger, 0, 0, this.bytesEnd);
      this.bytes = larger;
    }
    if (this.rows < this.alarms.length) return;
    const capacity = this.rows * 2;
    this.numbers = grown(this.numbers, new Float64Array(capacity * numbersOfRow));
    this.places = grown(this.places, new Uint32Array(capacity * placesOfRow));
    this.alarms = grown(this.alarms, new Uint32Array(capacity));
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
