/** A record as a log gives it back: written to the bytes of a batch, and read from them. */
import { decodeRecords, type RecordInput, type StoredRecord } from '../../storage/format/record.js';
import { encodeRecord, recordLength } from '../../storage/format/record-encoding.js';

/** Other bytes stand before it and behind it, as in a batch. */
export function storedRecord(record: RecordInput, offset = 0): StoredRecord {
  const records = [{ key: Buffer.from('before'), value: null }, record, { ...record }];
  const body = Buffer.alloc(records.reduce((sum, each) => sum + recordLength(each), 0));
  let at = 0;
  for (const [delta, each] of records.entries()) at = encodeRecord(body, at, each, delta, 0);
  const [, stored] = decodeRecords(body, offset - 1);
  if (stored === undefined) throw new Error('nothing was written');
  return stored;
}
