/** The index terms in the records, from which every index can be rebuilt. */
import { eachTerm } from '../format/encoded-records.js';
import type { Offset } from '../offsets/offset.js';
import { hashTermIn } from './key-index.js';
import type { SegmentIndex } from './segment-index.js';

/** Adds the terms of a batch's records to the index of a segment that begins at `segmentBase`. */
export function addRecordTerms(
  index: SegmentIndex,
  body: Buffer,
  batchBase: Offset,
  segmentBase: Offset,
): void {
  for (let start = 0; start < body.length; ) {
    const place = batchBase + body.readUInt32LE(start + 4) - segmentBase;
    start = eachTerm(body, start, (from, to) => {
      index.addTerm(hashTermIn(body, from, to), place);
    });
  }
}
