import fc from 'fast-check';
import {
  type AnswerBudget,
  FairRead,
  type ReadPosition,
} from '../../../src/topics/records/fair-read.js';
import type { PayloadEncoding } from '../../../src/topics/records/record-text.js';
import { SharedReads } from '../../../src/topics/topics/shared-reads.js';
import type { RecordInput } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import { openTopicStore, storeFolder, topicLogs } from '../../support/topic-store.js';

let store: Store;
let logs: PartitionLog[] = [];

afterEach(() => store.close());

const plenty = { records: 500, bytes: 1024 * 1024 };

function record(length: number, timestamp = 0): RecordInput {
  return { key: null, value: Buffer.alloc(length, 'x'), timestamp };
}

/**
 * Creates a topic whose partitions hold records of these lengths, several of them in one append.
 */
async function topicOf(...partitions: readonly (readonly number[])[]): Promise<void> {
  store = await openTopicStore(await storeFolder(), () => 1_767_000_000_000);
  logs = await topicLogs(store, partitions.length);
  for (const [partition, lengths] of partitions.entries()) {
    for (let from = 0; from < lengths.length; from += 3) {
      const inputs = lengths.slice(from, from + 3).map((length) => record(length));
      await logs[partition]?.append(inputs).durable;
    }
  }
}

const cursors = (...offsets: readonly number[]): ReadPosition[] =>
  offsets.map((offset, partition) => ({
    topic: 't',
    partition,
    offset,
    log: logs[partition] as PartitionLog,
  }));

/** Whether an allowance is available at once. */
let isRoomy = true;

/** Bytes of an answer besides its records: brackets, and commas between the records of parts. */
const separators = 100;

async function read(
  positions: readonly ReadPosition[],
  budget: AnswerBudget,
  encoding: PayloadEncoding = 'text',
  until: number | null = null,
) {
  const reads = new SharedReads();
  let readCount = 0;
  const topics: Pick<SharedReads, 'read'> = {
    read: (...request) => {
      readCount += 1;
      return reads.read(...request);
    },
  };
  const fair = new FairRead(topics, positions, encoding, budget);
  const texts: string[] = [];
  const room = {
    takeNow: () => isRoomy,
    wait: () => Promise.resolve(),
  };
  for await (const part of fair.parts(until, room)) {
    texts.push(...part.texts.filter(({ count }) => count > 0).map(String));
  }
  const text = `[${texts.join(',')}]`;
  const records = JSON.parse(text) as { partition: number; offset: number; value: string }[];
  return { text, readCount, places: records.map(({ partition, offset }) => [partition, offset]) };
}

describe('a read of several positions', () => {
  it('answers in the requested order, and within a position by offset', async () => {
    await topicOf([1, 1], [], [1]);
    const { places } = await read(cursors(1, 0, 0).reverse(), plenty);
    expect(places).toEqual([
      [2, 0],
      [0, 1],
    ]);
    expect((await read(cursors(2, 0), plenty)).text).toBe('[]');
  });

  it('shares its records: a busy position gets what idle ones leave, and no more', async () => {
    await topicOf(Array(10).fill(1), [1], [1, 1, 1]);
    const { places } = await read(cursors(0, 0, 0), { ...plenty, records: 9 });
    const counts = [0, 1, 2].map((each) => places.filter(([partition]) => partition === each));
    expect(counts.map(({ length }) => length)).toEqual([5, 1, 3]);
  });

  it('shares its bytes likewise', async () => {
    await topicOf(Array(10).fill(1000), [1000], Array(10).fill(1000));
    const { places, text } = await read(cursors(0, 0, 0), { ...plenty, bytes: 8 * 1100 });
    const counts = [0, 1, 2].map((each) => places.filter(([partition]) => partition === each));
    expect(counts.map(({ length }) => length)).toEqual([4, 1, 3]);
    expect(text.length).toBeLessThan(8 * 1100);
  });

  it('returns one record even if it alone exceeds the largest answer', async () => {
    await topicOf([5000, 1], [5000]);
    const { places } = await read(cursors(0, 0), { ...plenty, bytes: 100 });
    expect(places).toEqual([[0, 0]]);
    expect((await read(cursors(1, 0), { ...plenty, bytes: 400 })).places).toEqual([[0, 1]]);
  });

  it('returns a large record of a later position if the others leave room for it', async () => {
    await topicOf([10], [3000], [10]);
    const { places } = await read(cursors(0, 0, 0), { ...plenty, bytes: 4000 });
    expect(places).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
    ]);
  });

  it('returns no more records than requested, even without shares', async () => {
    await topicOf([300, 600, 3000], [620, 1], [620], [620]);
    const { places } = await read(cursors(0, 0, 0, 0), { records: 3, bytes: 2800 });
    expect(places).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
  });

  it('does not read again what it has no room for', async () => {
    await topicOf(Array(9).fill(200), Array(9).fill(200));
    const alone = await read(cursors(0), { ...plenty, bytes: 5 * 300 });
    expect(alone.places).toHaveLength(5);
    expect(alone.readCount).toBe(1);
    const shared = await read(cursors(0, 0), { ...plenty, bytes: 10 * 300 });
    expect(shared.places).toHaveLength(10);
    expect(shared.readCount).toBe(2);
  });

  it('ends before the first record at the given end time', async () => {
    await topicOf([], []);
    const times = [10, 30, 20, 40];
    for (const log of logs) await log.append(times.map((time) => record(1, time))).durable;
    expect((await read(cursors(0, 1), plenty, 'text', 40)).places).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
      [1, 1],
      [1, 2],
    ]);
    expect((await read(cursors(0, 0), plenty, 'text', 30)).places).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect((await read(cursors(0, 4), plenty, 'text', 10)).places).toEqual([]);
  });

  it.each([true, false])(
    'continues where the previous answer ended (room: %s)',
    async (isFree) => {
      isRoomy = isFree;
      const lengths = fc.array(fc.oneof(fc.nat(50), fc.nat(3000), fc.constant(70_000)), {
        maxLength: 12,
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(lengths, { minLength: 1, maxLength: 4 }),
          fc.integer({ min: 1, max: 12 }),
          fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 60_000, max: 400_000 })),
          async (partitions, records, bytes) => {
            await topicOf(...partitions);
            const next = partitions.map(() => 0);
            const ends = partitions.map(({ length }) => length);
            const missing = () => next.some((each, partition) => each < (ends[partition] ?? 0));
            while (missing()) {
              const { places, text } = await read(cursors(...next), { records, bytes });
              expect(places.length).toBeGreaterThan(0);
              expect(places.length).toBeLessThanOrEqual(records);
              if (places.length > 1) expect(text.length).toBeLessThanOrEqual(bytes + separators);
              for (const [partition = 0, offset] of places) {
                expect(offset).toBe(next[partition]);
                next[partition] = (next[partition] ?? 0) + 1;
              }
            }
            await store.close();
          },
        ),
        { numRuns: 50 },
      );
      await topicOf([]);
    },
    60_000,
  );
});
