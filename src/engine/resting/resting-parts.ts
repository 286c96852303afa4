/**
 * The format of pages of resting streams, as parts of bytes:
 *
 *     part    seed of the hashes u32, rows in all parts u32, then page, page, ...
 *     page    length u32, bytes (`PageCut.pieces`)
 */

const headLength = 8;
const pageHeadLength = 4;

/** What all parts of the streams of a kind have in common. */
export interface PartsHead {
  readonly seed: number;
  /** How many streams all parts hold, or held at the beginning. */
  readonly rows: number;
}

/** Encodes pages, each given as pieces in a row, as one part. */
export function partOf({ seed, rows }: PartsHead, pages: readonly (readonly Buffer[])[]): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt32LE(seed, 0);
  head.writeUInt32LE(rows, 4);
  const pieces: Buffer[] = [head];
  for (const page of pages) {
    const pageHead = Buffer.alloc(pageHeadLength);
    pageHead.writeUInt32LE(lengthOf(page), 0);
    pieces.push(pageHead, ...page);
  }
  return Buffer.concat(pieces);
}

/** The bytes of all pieces. */
export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}

/** The head of a part, equal in all parts of its kind. */
export function partsHeadOf(part: Buffer): PartsHead {
  return { seed: part.readUInt32LE(0), rows: part.readUInt32LE(4) };
}

/** The pages in a part, as slices of it. */
export function* pagesIn(part: Buffer): Generator<Buffer> {
  for (let at = headLength; at < part.length; ) {
    const start = at + pageHeadLength;
    const end = start + part.readUInt32LE(at);
    yield part.subarray(start, end);
    at = end;
  }
}
