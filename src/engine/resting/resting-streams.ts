/**
 * The resting streams of one kind as bytes: found by id, and returned when they are wanted. They
 * are in pages in the order in which they came, so that new ones are written to the same place in
 * memory. A removed stream leaves its place empty; when more than half of a page is empty, its
 * streams move to the last page.
 */

import { HashedRows, rowIn } from './hashed-rows.js';
import { PageAlarms } from './page-alarms.js';
import { noAlarm, RestingPage, rowBits, rowsMax } from './resting-page.js';
import { pagesIn, partsHeadOf } from './resting-parts.js';
import type { RestingStream } from './resting-stream.js';
import { allStreams } from './stream-part.js';
import { StreamsCut } from './streams-cut.js';

/** The bits of a row's number that are its number within its page. */
const rowMask = rowsMax - 1;

/** Part of the `ActorDirectory` of the kind; only that adds and removes streams here. */
export class RestingStreams {
  /** By page number; null = the page was dropped. */
  private readonly pages: (RestingPage | null)[] = [];
  private readonly dropped: number[] = [];
  /** The page to which streams are added; -1 = a new one. */
  private open = -1;
  private readonly table = new HashedRows((row) => this.pageOf(row).hashOf(row & rowMask));
  private readonly alarms = new PageAlarms();
  /** How many streams rest. Read only. */
  size = 0;
  /** True if nothing rests here, so that look-ups can be skipped. Read only. */
  isEmpty = true;
  /** See `holdOnly`. */
  private only: ReadonlySet<string> | null = null;

  /** `seed` (32 bits) keeps clients from choosing ids with equal hashes. */
  constructor(private seed: number) {}

  /** Throws if `holdOnly` makes it unknown whether the stream rests. */
  has(id: string): boolean {
    return this.firstOffsetOf(id) !== undefined;
  }

  /**
   * From now on `restore` keeps only streams with these ids. Asking for another id throws, because
   * that stream may be among those that were not kept.
   */
  holdOnly(ids: ReadonlySet<string>): void {
    this.only = ids;
    this.isEmpty = false;
  }

  /** Whether a stream may be kept here (see `holdOnly`). */
  mayHold(id: string): boolean {
    return this.only === null || this.only.has(id);
  }

  /** The journal offset of its first event; undefined = it does not rest. Throws like `has`. */
  firstOffsetOf(id: string): number | undefined {
    const row = this.rowOf(id, hashOf(id, this.seed));
    return row < 0 ? undefined : this.pageOf(row).firstOffsetOf(row & rowMask);
  }

  /** Adds a stream that does not rest yet; with an alarm, `takeDue` returns it when wanted. */
  add(stream: RestingStream, hasAlarm: boolean): void {
    const hash = hashOf(stream.id, this.seed);
    this.table.add(this.place(stream, hash, hasAlarm), hash);
    this.size += 1;
    this.isEmpty = false;
  }

  /** Returns what `use` makes of a resting stream; its bytes are valid only within `use`. */
  read<Result>(id: string, use: (stream: RestingStream) => Result): Result | undefined {
    const row = this.rowOf(id, hashOf(id, this.seed));
    return row < 0 ? undefined : use(this.pageOf(row).read(row & rowMask));
  }

  /** Like `read`, but removes the stream. */
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
   * Ids in no order. Streams may rest and be woken during the iteration: a stream that stays is
   * included, one that is woken may be, and one that moves to another page may come twice.
   */
  *ids(): Generator<string> {
    for (const page of [...this.pages])
      if (page !== null) for (const row of page.all()) yield page.idOf(row);
  }

  /** Every stream of the part; its bytes are valid only until something changes here. */
  *all(part = allStreams): Generator<RestingStream> {
    for (const page of [...this.pages])
      if (page !== null) for (const row of page.all(part)) yield page.read(row);
  }

  /** The earliest time at which a stream with an alarm is wanted; Infinity = there is none. */
  nextAlarm(): number {
    return this.alarms.timeOf(this.alarms.earliest());
  }

  /**
   * The id of a stream that is wanted by `now`: the earliest first, and of equal ones the one that
   * began first. The stream has no alarm any more.
   */
  takeDue(now: number): string | undefined {
    const number = this.alarms.earliest();
    const page = this.pages[number] ?? null;
    if (page === null || this.alarms.timeOf(number) > now) return undefined;
    const id = page.takeAlarm();
    this.alarms.set(number, page.nextAlarm());
    return id;
  }

  /** A cut of everything that rests now, to be stored while streams keep changing. */
  cut(): StreamsCut {
    const pages = this.pages.filter((page) => page !== null);
    return new StreamsCut(
      { seed: this.seed, rows: this.size },
      pages.map((page) => ({ page, cut: page.cutNow() })),
    );
  }

  /**
   * Adds a part cut elsewhere, with alarms; all other streams here must come from such parts, or be
   * added after the first one.
   */
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
    // A stored page has no removed rows.
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

  /** The row of a stream; -1 = it does not rest. Throws like `has`. */
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

  /** Adds a stream to the open page, and returns its row. */
  private place(stream: RestingStream, hash: number, hasAlarm: boolean): number {
    let page = this.pages[this.open] ?? null;
    if (page?.takes(stream) !== true) {
      page = page === null ? new RestingPage() : RestingPage.ofMany();
      this.open = this.numbered(page);
    }
    const row = page.add(stream, hash, hasAlarm);
    // A later alarm changes nothing: only the earliest alarm of a page is known here.
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

  /** A cut of the page, and iterations over its streams, keep using the page as it was. */
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

/** The streams of a part in the form that `restore` takes. */
export function* streamsIn(part: Buffer): Generator<RestingStream> {
  for (const stored of pagesIn(part)) {
    const page = RestingPage.fromBytes(stored);
    for (const row of page.all()) yield page.read(row);
  }
}

/** A 32-bit hash: FNV-1a over the code units, mixed so that high bits are as good as low ones. */
function hashOf(id: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
