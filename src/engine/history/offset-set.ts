/** A set of offsets of the journal, a bit for each: a sweep decides about all there are. */

const pageOffsets = 4096;

/**
 * A page of 4,096 offsets takes 512 bytes, whether it has one element or all. Nothing is removed.
 */
export class OffsetSet {
  /** Pages without an element are not there. */
  private readonly pages = new Map<number, Uint8Array>();

  has(offset: number): boolean {
    const page = this.pages.get(Math.floor(offset / pageOffsets));
    const bit = offset % pageOffsets;
    return page !== undefined && ((page[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  /** Adding twice is adding once. */
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
