import fc from 'fast-check';
import { LogClosed, NotTheOwner, RecordsMissing } from '../../../storage/faults/storage-errors.js';
import type { RecordInput } from '../../../storage/format/record.js';
import type { CommitStream, CommittedRecords } from '../../../storage/log/commit-stream.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { seed } from '../../support/seed.js';
import { openSimulated } from '../simulated-store.js';

/** Keeps the records it gets; `refusal` is set once the log belongs to a follower. */
class Commits implements CommitStream {
  readonly kept: CommittedRecords[] = [];

  constructor(public refusal: Error | null) {}

  shares(): boolean {
    return true;
  }

  async append(_: string, records: readonly CommittedRecords[]): Promise<void> {
    for (const { baseOffset, body } of records) {
      this.kept.push({ baseOffset, body: Buffer.from(body) });
    }
  }

  async drop(): Promise<void> {}

  async trim(): Promise<void> {}
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((each) => Buffer.from(each));
const text = fc.string({ unit: 'binary', maxLength: 80 });
const terms = ['a', 'é', 'b'.repeat(100)];
const record: fc.Arbitrary<RecordInput> = fc.record({
  key: fc.option(bytes(40)),
  value: fc.option(bytes(900)),
  headers: fc.array(fc.record({ name: text, value: fc.option(bytes(40)) }), { maxLength: 3 }),
  timestamp: fc.integer({ min: 0, max: 2_000_000_000_000 }),
  terms: fc.subarray(terms),
});
const appends = fc.array(fc.array(record, { minLength: 1, maxLength: 4 }), { maxLength: 12 });

const disk = (own: number) => new SimulatedDisk(new SeededRandom(own));

/** The groups of an owner: batch by batch, or everything of one tick in one group. */
async function committed(given: readonly RecordInput[][], apart: boolean): Promise<Commits> {
  const commits = new Commits(null);
  const { store } = await openSimulated(disk(1), { commits });
  const log = await store.createLog('log');
  for (const records of given) {
    const { durable } = log.append(records);
    if (apart) await durable;
  }
  await store.close();
  return commits;
}

function openFollower(on: SimulatedDisk): Promise<{ store: Store }> {
  return openSimulated(on, { commits: new Commits(new NotTheOwner('it follows')) });
}

/** Everything in it that readers can see. */
async function contentOf(log: PartitionLog): Promise<unknown> {
  const records = [];
  for (let at = 0; at < log.highWatermark; ) {
    for (const batch of await log.read(at)) {
      for (const { offset, timestamp, key, value, headers, terms } of batch.records()) {
        records.push({ offset, timestamp, key, value, headers, terms });
      }
      at = batch.nextOffset;
    }
  }
  const found: number[][] = [];
  for (const term of terms) {
    const offsets: number[] = [];
    for await (const offset of log.find(term)) offsets.push(offset);
    found.push(offsets);
  }
  return { records, found };
}

function expected(given: readonly RecordInput[][]): unknown {
  const records = given.flat().map((each, offset) => ({ offset, ...each }));
  const found = terms.map((term) =>
    records.filter((each) => each.terms?.includes(term) === true).map(({ offset }) => offset),
  );
  return { records, found };
}

it('records committed by another machine are followed one by one, once', async () => {
  await fc.assert(
    fc.asyncProperty(appends, fc.nat(12), async (given, first) => {
      const apart = await committed(given, true);
      const together = await committed(given, false);
      const own = disk(2);
      const { store } = await openFollower(own);
      const log = await store.createLog('log');
      // In batches with other bounds: part of a batch is here already.
      await Promise.all(apart.kept.slice(0, first).map((records) => log.follow(records)));
      for (const records of together.kept) await log.follow(records);
      await Promise.all(apart.kept.map((records) => log.follow(records)));
      expect(await contentOf(log)).toEqual(expected(given));
      await store.close();

      const again = await openFollower(own.restart());
      const kept = again.store.log('log');
      if (kept === undefined) throw new Error('the log is gone');
      expect(await contentOf(kept)).toEqual(expected(given));
      await again.store.close();
    }),
    { seed, numRuns: 60 },
  );
});

it('a record appended after a takeover has the time of then, whatever was followed', async () => {
  const one = { key: null, value: Buffer.from('one') };
  for (const aheadMs of [3_540_000, 200 * 365 * 86_400_000]) {
    const commits = new Commits(new NotTheOwner('it follows'));
    const { store, timers } = await openSimulated(disk(2), { commits });
    const { kept } = await committed([[{ ...one, timestamp: timers.time + aheadMs }]], true);
    const log = await store.createLog('log');
    for (const records of kept) await log.follow(records);
    commits.refusal = null;
    const { timestamp, durable } = log.append([one]);
    await durable;
    expect(timestamp).toBe(timers.time);
    await store.close();
  }
});

it('records behind a gap are not followed', async () => {
  const one = { key: null, value: Buffer.from('one'), headers: [], terms: [] };
  const { kept } = await committed([[one], [one]], true);
  const { store } = await openFollower(disk(2));
  const log = await store.createLog('log');
  const [first, second] = kept;
  if (first === undefined || second === undefined) throw new Error('two were committed');
  expect(() => log.follow(second)).toThrow(RecordsMissing);
  await log.follow(first);
  await log.follow(second);
  expect(log.highWatermark).toBe(2);
  await store.close();
});

it('records that leave an offset out are refused, and change nothing', async () => {
  const one = { key: null, value: Buffer.from('one'), headers: [], terms: [] };
  const [records] = (await committed([[one, one]], true)).kept;
  if (records === undefined) throw new Error('one batch was committed');
  // The second record's offset delta comes after the first record.
  records.body.writeUInt32LE(5, records.body.length / 2 + 4);
  const { store } = await openFollower(disk(2));
  const log = await store.createLog('log');
  expect(() => log.follow(records)).toThrow(RangeError);
  expect(log.endOffset).toBe(0);
  await store.close();
});

it('a store that was closed takes no more of what other machines commit', async () => {
  const one = { key: null, value: Buffer.from('one'), headers: [], terms: [] };
  const { kept } = await committed([[one], [one]], true);
  const [first, second] = kept;
  if (first === undefined || second === undefined) throw new Error('two were committed');
  const own = disk(2);
  const { store } = await openFollower(own);
  const log = await store.createLog('log');
  await log.follow(first);
  await store.close();
  expect(() => log.follow(second)).toThrow(LogClosed);
  const again = await openFollower(own.restart());
  expect(again.store.log('log')?.endOffset).toBe(1);
  await again.store.close();
});
