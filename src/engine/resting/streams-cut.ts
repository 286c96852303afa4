/** The streams of one kind that rested at one moment, as parts of bytes. */
import type { PageCut } from './page-cut.js';
import type { RestingPage } from './resting-page.js';
import { lengthOf, type PartsHead, partOf } from './resting-parts.js';

/** Smaller pages share a part. */
const partBytes = 512 * 1024;

interface CutPage {
  readonly page: RestingPage;
  readonly cut: PageCut;
}

/** Its parts are made once, in order; the cut releases each page as soon as it is in a part. */
export class StreamsCut {
  constructor(
    private readonly partsHead: PartsHead,
    private readonly pages: readonly CutPage[],
  ) {}

  /** A part without pages, for `RestingStreams.restore` before any stream is added there. */
  head(): Buffer {
    return partOf(this.partsHead, []);
  }

  /** All parts; streams may rest and be woken between two of them. */
  *parts(): Generator<Buffer> {
    let stored: (readonly Buffer[])[] = [];
    let bytes = 0;
    for (const { page, cut } of this.pages) {
      const pieces = cut.pieces();
      page.release(cut);
      stored.push(pieces);
      bytes += lengthOf(pieces);
      if (bytes < partBytes) continue;
      yield partOf(this.partsHead, stored);
      stored = [];
      bytes = 0;
    }
    if (bytes > 0) yield partOf(this.partsHead, stored);
  }

  /** Releases all pages. */
  end(): void {
    for (const { page, cut } of this.pages) page.release(cut);
  }
}
