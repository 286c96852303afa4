/**
 * Finds rows by 32-bit hashes: open hash tables of numbers, 8 bytes per row. There are 256 tables,
 * so that growing one holds the event loop only briefly, however many rows there are.
 */

/** The high bits of a hash select the table. */
const tableBits = 8;

const slotsMin = 16;
const noSlots = new Uint32Array(0);
const free = 0;
/** A slot whose row was removed; rows stored behind it can still be found. */
const gone = 0xffffffff;

interface Table {
  /** Each is a row number + 1. */
  slots: Uint32Array;
  rows: number;
  /** Slots that are not free. */
  used: number;
}

/** Part of `RestingStreams`. */
export class HashedRows {
  private readonly tables: (Table | null)[] = Array(2 ** tableBits).fill(null);
  /** Rows expected in each table. */
  private rowsExpected = 0;

  /** `hashOf` returns the hash of a row that is here. */
  constructor(private readonly hashOf: (row: number) => number) {}

  /**
   * The slots to search for rows with this hash, from `hash & (slots.length - 1)` on; `rowIn`
   * decodes a slot. At least one slot is free, unless there are no slots.
   */
  slotsOf(hash: number): Uint32Array {
    return this.tables[hash >>> (32 - tableBits)]?.slots ?? noSlots;
  }

  /** Call it before any rows are added: tables are then made large enough for all at once. */
  expect(rows: number): void {
    this.rowsExpected = Math.ceil(rows / 2 ** tableBits);
  }

  /** Adds a row that is not here yet. */
  add(row: number, hash: number): void {
    const table = this.tableOf(hash);
    if ((table.used + 1) * 3 > table.slots.length * 2) this.grow(table);
    table.used += put(table.slots, row, hash) ? 1 : 0;
    table.rows += 1;
  }

  remove(row: number, hash: number): void {
    const table = this.tableOf(hash);
    table.slots[placeOf(table.slots, row, hash)] = gone;
    table.rows -= 1;
    if (table.rows > 0 || table.slots.length === slotsMin) return;
    table.slots = noSlots;
    table.used = 0;
    this.rowsExpected = 0;
  }

  /** Changes the number of a row. */
  move(row: number, hash: number, to: number): void {
    const { slots } = this.tableOf(hash);
    slots[placeOf(slots, row, hash)] = to + 1;
  }

  private tableOf(hash: number): Table {
    const number = hash >>> (32 - tableBits);
    const known = this.tables[number] ?? null;
    if (known !== null) return known;
    const table = { slots: noSlots, rows: 0, used: 0 };
    this.tables[number] = table;
    return table;
  }

  private grow(table: Table): void {
    const { slots: before, rows } = table;
    const room = before.length === 0 ? Math.max(this.rowsExpected, 1) : rows + 1;
    const slots = new Uint32Array(Math.max(slotsMin, 2 ** Math.ceil(Math.log2(room * 2))));
    for (const slot of before) {
      const row = rowIn(slot);
      if (row >= 0) put(slots, row, this.hashOf(row));
    }
    table.slots = slots;
    table.used = rows;
  }
}

/** The row in a slot; -1 = the slot is free and ends the search; -2 = its row was removed. */
export function rowIn(slot: number): number {
  return slot === gone ? -2 : slot - 1;
}

/** Returns whether the row took a slot that was free. */
function put(slots: Uint32Array, row: number, hash: number): boolean {
  const mask = slots.length - 1;
  let at = hash & mask;
  while (slots[at] !== free && slots[at] !== gone) at = (at + 1) & mask;
  const isFree = slots[at] === free;
  slots[at] = row + 1;
  return isFree;
}

function placeOf(slots: Uint32Array, row: number, hash: number): number {
  const mask = slots.length - 1;
  let at = hash & mask;
  while (slots[at] !== row + 1) {
    if (slots[at] === free) throw new Error(`row ${row} is in no slot of its hash`);
    at = (at + 1) & mask;
  }
  return at;
}
