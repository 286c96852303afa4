/** The streams of one kind that rested at one moment, as parts of bytes. */
import type { PageCut } from './page-cut.js';
import type { RestingPage } from './resting-page.js';
import { type PartsHead, partOf } from './resting-parts.js';

/** Pages that are smaller share a part. */
const partBytes = 512 * 1024;

interface CutPage {
  readonly page: RestingPage;
  readonly cut: PageCut;
}

/** Its parts are made once, in order; a page is free of the cut as soon as its part is made. */
export class StreamsCut {
  constructor(
    private readonly head: PartsHead,
    private readonly pages: readonly CutPage[],
  ) {}

  /** All of them; streams may rest and be woken between two parts. */
  *parts(): Generator<Buffer> {
    let stored: Buffer[] = [];
    let bytes = 0;
    for (const { page, cut } of this.pages) {
      const pageBytes = cut.toBytes();
      page.release(cut);
      stored.push(pageBytes);
      bytes += pageBytes.length;
      if (bytes < partBytes) continue;
      yield partOf(this.head, stored);
      stored = [];
      bytes = 0;
    }
    if (bytes > 0) yield partOf(this.head, stored);
  }

  /** Nothing of it is kept any more. */
  end(): void {
    for (const { page, cut } of this.pages) page.release(cut);
  }
}
