import { groupToMerge } from '../../../storage/compaction/segment-merge.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { Segment } from '../../../storage/segment/segment.js';
import type { Store, StoreOptions } from '../../../storage/store.js';
import { verifyStore } from '../../../storage/verify/verify-store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { alternately } from '../rounds.js';
import { directory, openSimulated, readOnly, settle } from '../simulated-store.js';

const options: Partial<StoreOptions> = { segmentBytes: 16 * 1024 };
const names = ['journal', 'topic'] as const;
const valueAt = (offset: number) => Buffer.alloc(60, offset + 1);

function logOf(store: Store, name: string): PartitionLog {
  const log = store.log(name);
  if (log === undefined) throw new Error(`no log ${name}`);
  return log;
}

async function append(log: PartitionLog): Promise<void> {
  const offset = log.endOffset;
  const record = { key: null, value: valueAt(offset), timestamp: 1000 + offset };
  await log.append([{ ...record, terms: ['all', `only-${offset}`] }]).durable;
}

/** Checks that every record of a log keeps its offset and can be found; returns their number. */
async function survey(log: PartitionLog): Promise<number> {
  for (let offset = 0; offset < log.highWatermark; offset += 1) {
    const [batch] = await log.read(offset, { maxRecords: 1 });
    const record = batch?.record(offset);
    if (record?.value?.equals(valueAt(offset)) !== true) throw new Error(`${offset} is not there`);
    if (record.timestamp !== 1000 + offset) throw new Error(`${offset} has another time`);
    if ((await log.offsetFor(1000 + offset)) !== offset) throw new Error(`no time of ${offset}`);
    const found: number[] = [];
    for await (const at of log.find(`only-${offset}`)) found.push(at);
    if (found.join() !== `${offset}`) throw new Error(`${offset} is found at ${found.join()}`);
  }
  return log.highWatermark;
}

async function damagesOf(disk: SimulatedDisk) {
  const { damages } = await verifyStore(disk, directory, readOnly);
  return damages;
}

/** A journal and a topic, in the state that this many crashes have left. */
async function crashedOften(crashes: number): Promise<SimulatedDisk> {
  let disk = new SimulatedDisk(new SeededRandom(11));
  for (let count = 0; count < crashes; count += 1) {
    const { store } = await openSimulated(disk, options);
    for (const name of names) {
      const log = await store.createLog(name, { preparesNextSegment: name === 'journal' });
      for (let records = 0; records < 3; records += 1) await append(log);
    }
    disk = disk.crash('nothing', count);
  }
  return disk;
}

/** Settles when the disk gets no more calls. */
async function untilQuiet(disk: SimulatedDisk): Promise<void> {
  const calls = () => [...disk.calls.values()].reduce((sum, count) => sum + count, 0);
  for (let before = -1; before !== calls(); ) {
    before = calls();
    for (let turn = 0; turn < 10; turn += 1) await settle();
  }
}

const lengthsOf = (log: PartitionLog) => log.segments.map(({ byteLength }) => byteLength);

describe('small segments that crashes have left', () => {
  it('are merged at the next start, in every log, and every record keeps its offset', async () => {
    const disk = await crashedOften(40);
    const { store, failures } = await openSimulated(disk, options);
    await untilQuiet(disk);
    for (const name of names) {
      const log = logOf(store, name);
      expect(await survey(log)).toBe(120);
      expect(log.segments.length).toBeLessThan(12);
      expect(Math.max(...lengthsOf(log))).toBeLessThanOrEqual(options.segmentBytes ?? 0);
      await append(log);
    }
    expect(failures).toEqual([]);
    await store.close();
    expect(await damagesOf(disk)).toEqual([]);
    const again = await openSimulated(disk, options);
    for (const name of names) expect(await survey(logOf(again.store, name))).toBe(121);
    await again.store.close();
  }, 60_000);

  it('are merged under a reader without interrupting it', async () => {
    const disk = await crashedOften(12);
    const { store } = await openSimulated(disk, options);
    const log = logOf(store, 'topic');
    const before = log.segments.length;
    for (let rounds = 0; rounds < 30; rounds += 1) expect(await survey(log)).toBe(36);
    await untilQuiet(disk);
    expect(log.segments.length).toBeLessThan(before);
    await store.close();
  }, 60_000);

  it('are still there, or merged, wherever a crash comes', async () => {
    const disk = await crashedOften(6);
    const images: SimulatedDisk[] = [];
    disk.afterChange = () => images.push(disk.copy());
    const { store } = await openSimulated(disk, options);
    await untilQuiet(disk);
    disk.afterChange = null;
    const merged = logOf(store, 'topic').segments.length;
    expect(merged).toBeLessThan(6);
    expect(images.length).toBeGreaterThan(40);
    for (const [index, image] of images.entries()) {
      for (const policy of alternately(crashPolicies, index)) {
        const left = image.crash(policy, index);
        const again = await openSimulated(left, options);
        for (const name of names) expect(await survey(logOf(again.store, name))).toBe(18);
        await untilQuiet(left);
        expect(logOf(again.store, 'topic').segments.length).toBeLessThan(6);
        await again.store.close();
        expect([again.failures, await damagesOf(left)]).toEqual([[], []]);
      }
    }
    await store.close();
  }, 300_000);
});

describe('the choice of neighbours to merge', () => {
  const day = 24 * 60 * 60 * 1000;

  /** Sealed segments with these numbers of bytes. */
  function segmentsOf(lengths: readonly number[], timeOf = (_place: number) => 0): Segment[] {
    return lengths.map((end, place) => {
      const times = { maxTimestamp: timeOf(place), lastAppendTime: timeOf(place) };
      const counts = { batchCount: 1, recordCount: 1, lastChecksum: 0 };
      const offsets = { baseOffset: place, nextOffset: place + 1 };
      const segment = Segment.ended(0, place, { ...offsets, ...counts, ...times, end });
      segment.isSealed = true;
      return segment;
    });
  }

  const merged = (segments: readonly Segment[]) =>
    groupToMerge(segments, 1000).map(({ number }) => number);

  it.each<[string, readonly Segment[], readonly number[]]>([
    ['few', segmentsOf([10, 10, 10]), []],
    ['four', segmentsOf([10, 10, 10, 10]), [0, 1, 2, 3]],
    ['full ones', segmentsOf([900, 900, 900, 900, 900]), []],
    ['as many as fit', segmentsOf([300, 200, 300, 200, 300]), [0, 1, 2, 3]],
    ['behind a full one', segmentsOf([1000, 10, 10, 10, 10]), [1, 2, 3, 4]],
    ['beside one that is larger than all of them', segmentsOf([800, 10, 10, 10]), []],
    ['hours apart', segmentsOf([9, 9, 9, 9], (at) => (at * day) / 8), [0, 1, 2, 3]],
    ['days apart', segmentsOf([9, 9, 9, 9], (at) => at * day * 2), []],
  ])('is right for %s', (_, segments, expected) => {
    expect(merged(segments)).toEqual(expected);
  });

  it('leaves apart segments further apart than one segment can count', () => {
    const sparse = (offsets: number) => {
      return segmentsOf([10, 10, 10, 10]).map((segment, place) => {
        const nextOffset = place === 3 ? offsets : place + 1;
        const moved = Segment.ended(0, place, { ...segment.toEnd(), nextOffset });
        moved.isSealed = true;
        return moved;
      });
    };
    expect(merged(sparse(2 ** 32 - 1))).toEqual([0, 1, 2, 3]);
    expect(merged(sparse(2 ** 32))).toEqual([]);
  });

  it('leaves out damaged and unsealed segments', () => {
    const segments = segmentsOf(Array.from({ length: 9 }, () => 10));
    const [, , , , damaged] = segments;
    const last = segments.at(-1);
    if (damaged === undefined || last === undefined) throw new Error('no segments');
    damaged.damages = [{ start: 64, end: 100, from: 4, until: 5, reason: 'a flipped bit' }];
    expect(merged(segments)).toEqual([0, 1, 2, 3]);
    expect(merged(segments.slice(3))).toEqual([5, 6, 7, 8]);
    last.isSealed = false;
    expect(merged(segments.slice(4))).toEqual([]);
  });

  it('copies each record a few times and keeps few segments, however many crashes come', () => {
    let lengths: number[] = [];
    let copied = 0;
    const [crashes, bytes, segmentBytes] = [1000, 100, 100_000];
    for (let crash = 0; crash < crashes; crash += 1) {
      lengths.push(bytes);
      for (;;) {
        const group = groupToMerge(segmentsOf(lengths), segmentBytes).map(({ number }) => number);
        const [first] = group;
        if (first === undefined) break;
        const sum = group.reduce((total, number) => total + (lengths[number] ?? 0), 0);
        copied += sum;
        lengths = lengths.toSpliced(first, group.length, sum);
      }
    }
    expect(lengths.reduce((total, length) => total + length)).toBe(crashes * bytes);
    expect(lengths.length).toBeLessThan(30);
    expect(copied / (crashes * bytes)).toBeLessThan(8);
  });
});
