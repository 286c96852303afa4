import { NoArchive } from '../../../storage/compaction/archived-segments.js';
import { DamagedData } from '../../../storage/faults/storage-errors.js';
import type { ArchivedLog } from '../../../storage/log/archived-log.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated } from '../simulated-store.js';

const folder = '/archive';
const records = 120;
/** Every sweep leaves these, and everything after the end of the last sweep. */
const kept = 4;
const sweptUntil = records - 5;
const startTime = 1_700_000_000_000;

/** A log that was swept twice. */
async function swept() {
  const disk = new SimulatedDisk(new SeededRandom(7));
  await disk.makeDirectory(folder);
  await disk.syncDirectory('/');
  const { store } = await openSimulated(disk);
  const log = await store.createLog('events');
  const fill = async (until: number) => {
    while (log.endOffset < until) {
      const at = log.endOffset;
      const value = Buffer.from(`${at}`.padEnd(40));
      const terms = [`tens ${Math.floor(at / 10)}`];
      await log.append([{ key: null, value, terms, timestamp: startTime + at * 1000 }]).durable;
    }
    await log.roll();
  };
  const sweep = (from: number) =>
    log.sweep({
      until: log.highWatermark,
      keeps: ({ offset }) => offset % kept === 0,
      settled: async () => undefined,
      archive: { folder, from },
    });
  await fill(records / 2);
  await sweep(0);
  await fill(sweptUntil);
  await sweep(records / 2);
  await fill(records);
  return { disk, store, log };
}

/** Offsets as they are read, forwards or backwards. */
async function read(log: ArchivedLog, from: number, until: number, backwards: boolean) {
  const found: number[] = [];
  for (let at = backwards ? until : from; backwards ? at > from : at < until; ) {
    const options = backwards ? { backwards, until: from } : { until };
    const batches = await log.read(at, { ...options, maxBytes: 200 });
    const last = batches.at(-1);
    if (last === undefined) break;
    for (const batch of batches) {
      const own = batch.records().map(({ offset, value }) => {
        expect(`${value}`.trim()).toBe(`${offset}`);
        return offset;
      });
      found.push(...(backwards ? own.reverse() : own));
    }
    at = backwards ? last.baseOffset : last.nextOffset;
  }
  return found;
}

const offsets = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => from + index);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a log together with its archive', () => {
  it('has every record that was ever in it, in both directions', async () => {
    const { store, log } = await swept();
    const whole = await store.withArchive(log, folder);
    expect(whole.completeUntil).toBe(sweptUntil);
    expect([whole.startOffset, whole.highWatermark]).toEqual([0, records]);
    const random = new SeededRandom(3);
    for (let round = 0; round < 40; round += 1) {
      const from = round === 0 ? 0 : random.below(records);
      const until = round === 0 ? records : from + random.below(records - from + 1);
      expect(await read(whole, from, until, false)).toEqual(offsets(from, until));
      expect(await read(whole, from, until, true)).toEqual(offsets(from, until).reverse());
    }
  });

  it('finds swept records by term and by time', async () => {
    const { store, log } = await swept();
    const whole = await store.withArchive(log, folder);
    for (const ten of [0, 3, 6, 11]) {
      const expected = offsets(ten * 10, ten * 10 + 10);
      expect(await all(whole.find(`tens ${ten}`))).toEqual(expected);
      const newest = { order: 'newest', from: ten * 10 + 2 } as const;
      const backwards = await all(whole.find(`tens ${ten}`, newest));
      expect(backwards).toEqual(expected.slice(2).reverse());
    }
    for (const at of [0, 1, 59, 60, 61, 114, 119]) {
      expect(await whole.offsetFor(startTime + at * 1000 - 500)).toBe(at);
    }
    expect(await whole.offsetFor(startTime + records * 1000)).toBe(records);
  });

  it('has the rest of the log if copies were taken away', async () => {
    const { disk, store, log } = await swept();
    const copies = [...disk.files().keys()].filter((path) => path.startsWith(folder)).sort();
    const [, second] = copies;
    const [, from, until] = /-(\d+)-(\d+)\.log$/.exec(second ?? '')?.map(Number) ?? [];
    if (second === undefined || from === undefined || until === undefined) throw new Error('none');
    await disk.remove(second);
    const whole = await store.withArchive(log, folder);
    expect(whole.completeUntil).toBe(from);
    const left = offsets(from, until).filter((offset) => offset % kept === 0);
    const expected = [...offsets(0, from), ...left, ...offsets(until, records)];
    expect(await read(whole, 0, records, false)).toEqual(expected);
    expect(await read(whole, 0, records, true)).toEqual(expected.reverse());
  });

  it('is refused if the archive is missing, or a file of it is not complete', async () => {
    const { disk, store, log } = await swept();
    await expect(store.withArchive(log, '/elsewhere')).rejects.toThrow(NoArchive);
    const [path] = [...disk.files().keys()].filter((each) => each.startsWith(folder)).sort();
    const file = await disk.open(path ?? '', 'write');
    const size = await disk.size(file);
    await disk.write(file, Buffer.from([1]), size - 60);
    await disk.close(file);
    await expect(store.withArchive(log, folder)).rejects.toThrow(DamagedData);
  });
});
