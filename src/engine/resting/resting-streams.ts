/**
 * The streams of one kind that rest: bytes, found by their ids, and given back when they are
 * wanted. They stand in pages in the order in which they came, so that one after another is written
 * to the same place in memory; what is taken out leaves its place empty, and the streams of a page
 * that is half empty move to the last one.
 */

import { HashedRows, rowIn } from './hashed-rows.js';
import { PageAlarms } from './page-alarms.js';
import { noAlarm, RestingPage, type RestingStream, rowBits, rowsMax } from './resting-page.js';
import { pagesIn, partsHeadOf } from './resting-parts.js';
import { allStreams } from './stream-part.js';
import { StreamsCut } from './streams-cut.js';

/** Of a row's number the bits that say where in its page it is. */
const rowMask = rowsMax - 1;

/** Part of the `ActorDirectory` of the kind, which alone puts streams here and takes them out. */
export class RestingStreams {
  /** By their numbers; null = it was dropped. */
  private readonly pages: (RestingPage | null)[] = [];
  private readonly dropped: number[] = [];
  /** The page that streams are added to; -1 = a new one. */
  private open = -1;
  private readonly table = new HashedRows((row) => this.pageOf(row).hashOf(row & rowMask));
  private readonly alarms = new PageAlarms();
  /** How many streams rest. Read it only. */
  size = 0;
  /** Nothing rests here, so that no stream need be looked for. Read it only. */
  isEmpty = true;
  /** See `holdOnly`. */
  private only: ReadonlySet<string> | null = null;

  /** `seed` keeps strangers from choosing ids whose hashes are the same; 32 bits. */
  constructor(private seed: number) {}

  /** Throws where `holdOnly` leaves open whether it rests. */
  has(id: string): boolean {
    return this.firstOffsetOf(id) !== undefined;
  }

  /**
   * Of what `restore` is given only the streams with these ids are put here; a question for
   * another one is an error, since what was given may have it.
   */
  holdOnly(ids: ReadonlySet<string>): void {
    this.only = ids;
    this.isEmpty = false;
  }

  /** Whether a stream may be put here (see `holdOnly`). */
  mayHold(id: string): boolean {
    return this.only === null || this.only.has(id);
  }

  /** The journal offset of its first event; undefined = it does not rest. Throws as `has`. */
  firstOffsetOf(id: string): number | undefined {
    const row = this.rowOf(id, hashOf(id, this.seed));
    return row < 0 ? undefined : this.pageOf(row).firstOffsetOf(row & rowMask);
  }

  /** A stream that does not rest yet; with an alarm it is given by `takeDue` when it is wanted. */
  add(stream: RestingStream, hasAlarm: boolean): void {
    const hash = hashOf(stream.id, this.seed);
    this.table.add(this.place(stream, hash, hasAlarm), hash);
    this.size += 1;
    this.isEmpty = false;
  }

  /** What `use` makes of a stream that rests; its bytes are only good within. */
  read<Result>(id: string, use: (stream: RestingStream) => Result): Result | undefined {
    const row = this.rowOf(id, hashOf(id, this.seed));
    return row < 0 ? undefined : use(this.pageOf(row).read(row & rowMask));
  }

  /** As `read`, and the stream rests no more. */
  take<Result>(id: string, use: (stream: RestingStream) => Result): Result | undefined {
    const hash = hashOf(id, this.seed);
    const row = this.rowOf(id, hash);
    if (row < 0) return undefined;
    const page = this.pageOf(row);
    const used = use(page.read(row & rowMask));
    page.remove(row & rowMask);
    this.table.remove(row, hash);
    this.size -= 1;
    this.isEmpty = this.size === 0 && this.only === null;
    const number = row >>> rowBits;
    if (page.size === 0) this.drop(number);
    else if (page.isSparse) this.moveAll(number, page);
    else this.alarms.set(number, page.nextAlarm());
    return used;
  }

  /**
   * In no order. Streams may rest and be woken between two of them: one that stays is among them,
   * one that goes may be, and one that moves may be twice.
   */
  *ids(): Generator<string> {
    for (const page of [...this.pages])
      if (page !== null) for (const row of page.all()) yield page.idOf(row);
  }

  /** Every stream of the part; its bytes are only good until something changes here. */
  *all(part = allStreams): Generator<RestingStream> {
    for (const page of [...this.pages])
      if (page !== null) for (const row of page.all(part)) yield page.read(row);
  }

  /** The earliest time at which a stream with an alarm is wanted; Infinity = there is none. */
  nextAlarm(): number {
    return this.alarms.timeOf(this.alarms.earliest());
  }

  /**
   * The id of a stream that is wanted by `now`, the earliest first, of equal ones that which began
   * first; it has no alarm any more.
   */
  takeDue(now: number): string | undefined {
    const number = this.alarms.earliest();
    const page = this.pages[number] ?? null;
    if (page === null || this.alarms.timeOf(number) > now) return undefined;
    const id = page.takeAlarm();
    this.alarms.set(number, page.nextAlarm());
    return id;
  }

  /** Everything that rests now, to be stored while this goes on. */
  cut(): StreamsCut {
    const pages = this.pages.filter((page) => page !== null);
    return new StreamsCut(
      { seed: this.seed, rows: this.size },
      pages.map((page) => ({ page, cut: page.cutNow() })),
    );
  }

  /** Takes over a part of what rested elsewhere, with alarms; only such parts may be here. */
  restore(part: Buffer): void {
    const { seed, rows } = partsHeadOf(part);
    this.seed = seed;
    if (this.only === null) this.table.expect(rows);
    for (const stored of pagesIn(part)) {
      const page = RestingPage.fromBytes(stored);
      if (this.only === null && page.isHalfFull) this.adopt(page);
      else this.addAll(page);
    }
  }

  private adopt(page: RestingPage): void {
    const number = this.numbered(page);
    // Of what was stored no row has gone.
    for (let row = 0; row < page.rows; row += 1) {
      this.table.add(number * rowsMax + row, page.hashOf(row));
    }
    this.size += page.size;
    this.isEmpty = false;
    this.alarms.set(number, page.nextAlarm());
  }

  private addAll(page: RestingPage): void {
    for (const row of page.all()) {
      if (!this.mayHold(page.idOf(row))) continue;
      const stream = page.read(row);
      this.add(stream, stream.wantedAt < Number.POSITIVE_INFINITY);
    }
  }

  /** The row of a stream; -1 = it does not rest. Throws as `has`. */
  private rowOf(id: string, hash: number): number {
    if (this.only !== null && !this.only.has(id)) {
      throw new Error(`${id} may rest where only other streams were read`);
    }
    const slots = this.table.slotsOf(hash);
    const mask = slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const row = rowIn(slots[at] ?? 0);
      if (row === -1) return -1;
      if (row >= 0 && this.pageOf(row).isRowOf(row & rowMask, id, hash)) return row;
    }
  }

  private pageOf(row: number): RestingPage {
    const page = this.pages[row >>> rowBits] ?? null;
    if (page === null) throw new Error(`row ${row} is in a page that was dropped`);
    return page;
  }

  /** Puts a stream into the open page, and answers its row. */
  private place(stream: RestingStream, hash: number, hasAlarm: boolean): number {
    let page = this.pages[this.open] ?? null;
    if (page?.takes(stream) !== true) {
      page = page === null ? new RestingPage() : RestingPage.ofMany();
      this.open = this.numbered(page);
    }
    const row = page.add(stream, hash, hasAlarm);
    // One that is wanted later changes nothing: of a page only the earliest alarm is known here.
    if (hasAlarm && stream.wantedAt <= this.alarms.timeOf(this.open)) {
      this.alarms.set(this.open, page.nextAlarm());
    }
    return this.open * rowsMax + row;
  }

  private numbered(page: RestingPage): number {
    const number = this.dropped.pop() ?? this.pages.length;
    this.pages[number] = page;
    return number;
  }

  /** A cut of the page, and who passes over its streams just now, go on with it as it was. */
  private moveAll(number: number, page: RestingPage): void {
    if (this.open === number) this.open = -1;
    const alarmed = page.alarmed();
    for (const row of page.all()) {
      const hash = page.hashOf(row);
      const to = this.place(page.read(row), hash, alarmed.has(row));
      this.table.move(number * rowsMax + row, hash, to);
    }
    this.drop(number);
  }

  private drop(number: number): void {
    if (this.open === number) this.open = -1;
    this.pages[number] = null;
    this.dropped.push(number);
    this.alarms.set(number, noAlarm);
  }
}

/** The streams of a part that `restore` takes. */
export function* streamsIn(part: Buffer): Generator<RestingStream> {
  for (const stored of pagesIn(part)) {
    const page = RestingPage.fromBytes(stored);
    for (const row of page.all()) yield page.read(row);
  }
}

/** 32 bits: FNV-1a over the code units, mixed so that high bits are as good as low ones. */
function hashOf(id: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
