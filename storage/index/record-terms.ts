/** The index terms that stand in the records: what every index can be rebuilt from. */
import { decodeRecords } from '../format/record.js';
import type { Offset } from '../offsets/offset.js';
import { hashTerm } from './key-index.js';
import type { SegmentIndex } from './segment-index.js';

/** Adds the terms of a batch's records to the index of a segment that begins at `segmentBase`. */
export function addRecordTerms(
  index: SegmentIndex,
  body: Buffer,
  batchBase: Offset,
  segmentBase: Offset,
): void {
  for (const record of decodeRecords(body, batchBase)) {
    for (const term of record.terms) index.addTerm(hashTerm(term), record.offset - segmentBase);
  }
}
