/** What Stepwell has written: the records of its journal, weighed. */
import { openJournalLog } from '../../src/engine/journal.js';
import { recordLength } from '../../storage/format/record-encoding.js';
import { openFolder } from './stored-folder.js';

const readBytes = 1024 * 1024;

/** Bytes of all durable records, headers of batches aside. The server may be running. */
export async function journalWeight(directory: string): Promise<number> {
  const store = await openFolder(directory, true);
  const log = await openJournalLog(store);
  let bytes = 0;
  for (let offset = log.startOffset; offset < log.highWatermark; ) {
    for (const batch of await log.read(offset, { maxBytes: readBytes })) {
      for (const record of batch.records()) bytes += recordLength(record);
      offset = batch.nextOffset;
    }
  }
  await store.close();
  return bytes;
}
