/**
 * Histories that would take the server an hour: copies of what it has recorded of messages and
 * runs, behind the history that they are copies of.
 */
import { Journal, openJournalLog } from '../../src/engine/journal.js';
import type { RecordInput } from '../../storage/format/record.js';
import { CopiedEvents, productCodec, recordedEvents } from '../load/written-runs.js';
import { openFolder } from '../measure/stored-folder.js';

/** Records of one append. */
const recordsAtOnce = 128;

/** Adds copies to the journal of a folder until it holds `events`; answers where it ends. */
export async function copyHistory(data: string, events: number): Promise<number> {
  const recorded = await recordedEvents(data);
  const store = await openFolder(data);
  const log = await openJournalLog(store);
  const codec = productCodec();
  const journal = new Journal(log, codec);
  await journal.learnShapes();
  for (let number = 1; log.endOffset < events; number += 1) {
    const copy = new CopiedEvents(recorded, number, log.endOffset);
    let records: RecordInput[] = [];
    for (const [index, { envelope, terms }] of recorded.entries()) {
      records.push(codec.encode(copy.envelope(envelope), terms.map(copy.term)));
      if (records.length < recordsAtOnce && index < recorded.length - 1) continue;
      await log.append(records).durable;
      records = [];
    }
  }
  const end = log.endOffset;
  await store.close();
  return end;
}
