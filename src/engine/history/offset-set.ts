/** A set of journal offsets with one bit each: a sweep decides about all offsets there are. */

const pageOffsets = 4096;

/** A page of 4,096 offsets takes 512 bytes, with one element or all. Offsets cannot be removed. */
export class OffsetSet {
  /** Only pages that have an element are allocated. */
  private readonly pages = new Map<number, Uint8Array>();

  has(offset: number): boolean {
    const page = this.pages.get(Math.floor(offset / pageOffsets));
    const bit = offset % pageOffsets;
    return page !== undefined && ((page[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  /** Adds an offset; adding it twice changes nothing. */
  add(offset: number): void {
    const number = Math.floor(offset / pageOffsets);
    let page = this.pages.get(number);
    if (page === undefined) {
      page = new Uint8Array(pageOffsets / 8);
      this.pages.set(number, page);
    }
    const bit = offset % pageOffsets;
    page[bit >> 3] = (page[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
}
