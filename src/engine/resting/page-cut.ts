/**
 * A page of streams as it was at one moment, as bytes. Rows are only ever added, so existing rows
 * stay where they are; rows that are removed meanwhile are noted.
 *
 *     page    rows u32, length of the bytes u32, numbers, places, bytes (see `resting-page.ts`)
 */

/** The arrays of a page. */
export interface PageRows {
  readonly numbers: Float64Array;
  readonly places: Uint32Array;
  readonly bytes: Buffer;
  /** The number of rows, including removed ones. */
  readonly rows: number;
  readonly bytesEnd: number;
}

/** Numbers of 8 bytes per row: length, first and last offset, and when the stream is wanted. */
export const numbersOfRow = 4;
/** Numbers of 4 bytes per row: hash, where its bytes begin, and how many of them are the id. */
export const placesOfRow = 3;

/** Bytes before the rows. */
export const pageHeadLength = 8;

/**
 * Shares the arrays of its page. The page reports each row that is removed until the cut is
 * released; a page has one cut at a time.
 */
export class PageCut {
  /** Stream lengths of the rows removed since the cut. */
  private readonly goneSince = new Map<number, number>();

  constructor(private readonly page: PageRows) {}

  /** A row, which holds a stream of `length` events, is about to be removed. */
  goes(row: number, length: number): void {
    if (row < this.page.rows) this.goneSince.set(row, length);
  }

  /**
   * The page as it was at the cut, in the form that `RestingPage.fromBytes` reads: pieces in a row,
   * of which some are the page's own memory, valid until something changes there.
   */
  pieces(): readonly Buffer[] {
    const { numbers, places, bytes, rows, bytesEnd } = this.withoutGone();
    const head = Buffer.alloc(pageHeadLength);
    head.writeUInt32LE(rows, 0);
    head.writeUInt32LE(bytesEnd, 4);
    return [
      head,
      bytesOfArray(numbers, rows * numbersOfRow),
      bytesOfArray(places, rows * placesOfRow),
      bytes.subarray(0, bytesEnd),
    ];
  }

  private withoutGone(): PageRows {
    const { page } = this;
    const rows: number[] = [];
    for (let row = 0; row < page.rows; row += 1) if (this.lengthOf(row) > 0) rows.push(row);
    return rows.length === page.rows && this.goneSince.size === 0 ? page : this.only(rows);
  }

  private only(rows: readonly number[]): PageRows {
    const { page } = this;
    const numbers = new Float64Array(rows.length * numbersOfRow);
    const places = new Uint32Array(rows.length * placesOfRow);
    const bytes = Buffer.allocUnsafeSlow(page.bytesEnd);
    let bytesEnd = 0;
    for (const [to, row] of rows.entries()) {
      const start = page.places[row * placesOfRow + 1] ?? 0;
      const isLast = row + 1 === page.rows;
      const end = isLast ? page.bytesEnd : (page.places[(row + 1) * placesOfRow + 1] ?? 0);
      numbers.set(
        page.numbers.subarray(row * numbersOfRow, (row + 1) * numbersOfRow),
        to * numbersOfRow,
      );
      numbers[to * numbersOfRow] = this.lengthOf(row);
      places.set(
        page.places.subarray(row * placesOfRow, (row + 1) * placesOfRow),
        to * placesOfRow,
      );
      places[to * placesOfRow + 1] = bytesEnd;
      page.bytes.copy(bytes, bytesEnd, start, end);
      bytesEnd += end - start;
    }
    return { numbers, places, bytes, rows: rows.length, bytesEnd };
  }

  private lengthOf(row: number): number {
    return this.goneSince.get(row) ?? this.page.numbers[row * numbersOfRow] ?? 0;
  }
}

/** The memory of an array's first `items`. */
export function bytesOfArray(array: Float64Array | Uint32Array, items = array.length): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, items * array.BYTES_PER_ELEMENT);
}
