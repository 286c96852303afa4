import { SharedReads } from '../../../src/topics/topics/shared-reads.js';
import { OffsetOutOfRange } from '../../../storage/faults/storage-errors.js';
import type { RecordBatch } from '../../../storage/format/record-batch.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import { openTopicStore, storeFolder, topicLogs } from '../../support/topic-store.js';

let store: Store;
let log: PartitionLog;
const reads = new SharedReads();
const until = Number.POSITIVE_INFINITY;

beforeEach(async () => {
  store = await openTopicStore(await storeFolder(), () => 1_767_000_000_000);
  [log] = (await topicLogs(store, 1)) as [PartitionLog];
});

afterEach(() => store.close());

async function append(count: number): Promise<void> {
  await log.append(Array(count).fill({ key: null, value: Buffer.from('x') })).durable;
}

const offsetsOf = (batches: readonly RecordBatch[]) =>
  batches.flatMap((batch) => batch.records().map(({ offset }) => offset));

describe('reads of a topic', () => {
  it('are shared by all who want the same at the same time', async () => {
    await append(5);
    const effect = { from: 0, until, records: 3 };
    const [one, other] = await Promise.all([reads.read(log, effect), reads.read(log, effect)]);
    expect(offsetsOf(one)).toEqual([0, 1, 2]);
    expect(other).toBe(one);
    expect(await reads.read(log, effect)).not.toBe(one);
  });

  it('are separate for readers who want different records', async () => {
    await append(5);
    const found = await Promise.all([
      reads.read(log, { from: 0, until, records: 3 }),
      reads.read(log, { from: 1, until, records: 3 }),
      reads.read(log, { from: 1, until, records: 1 }),
      reads.read(log, { from: 1, until: 4, records: 9 }),
      reads.read(log, { from: 5, until, records: 9 }),
    ]);
    expect(found.map(offsetsOf)).toEqual([[0, 1, 2], [1, 2, 3], [1], [1, 2, 3], []]);
  });

  it('give readers who come later the records that have come since', async () => {
    const effect = { from: 0, until, records: 9 };
    await append(1);
    const during: Promise<RecordBatch[]>[] = [];
    // At the moment at which there is more, the previous read may be in progress or finished.
    log.whenBeyond(1, () => during.push(reads.read(log, effect)));
    const durable = append(1);
    expect(offsetsOf(await reads.read(log, effect))).toEqual([0]);
    while (during.length === 0) await reads.read(log, effect);
    await durable;
    expect(offsetsOf((await during[0]) ?? [])).toEqual([0, 1]);
  });

  it('reject for all who wait, and are tried again by the next reader', async () => {
    await append(1);
    const effect = { from: 7, until, records: 1 };
    const both = [reads.read(log, effect), reads.read(log, effect)];
    for (const read of both) await expect(read).rejects.toBeInstanceOf(OffsetOutOfRange);
    await append(7);
    expect(offsetsOf(await reads.read(log, effect))).toEqual([7]);
  });
});
