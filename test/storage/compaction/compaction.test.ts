import type { CompactionOptions } from '../../../storage/compaction/compaction.js';
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import type { LogRecord, RecordInput } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { StoreOptions } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { rounds } from '../rounds.js';
import { openSimulated, settle } from '../simulated-store.js';

/** No tombstone is that old. */
const never = Number.NEGATIVE_INFINITY;
const always = Number.POSITIVE_INFINITY;

interface Expected extends RecordInput {
  readonly offset: number;
  readonly appendedAt: number;
  readonly timestamp: number;
}

const keyOf = ({ key }: Pick<RecordInput, 'key'>) =>
  (typeof key === 'string' ? Buffer.from(key) : key)?.toString('hex') ?? null;

/** The records that are left according to the rule alone. */
function compacted(
  records: readonly Expected[],
  end: number,
  tombstonesBefore: number,
): Expected[] {
  const last = new Map<string | null, number>();
  for (const record of records) if (record.offset < end) last.set(keyOf(record), record.offset);
  return records.filter((record) => {
    if (record.key === null || record.offset >= end) return true;
    if (last.get(keyOf(record)) !== record.offset) return false;
    return record.value !== null || record.appendedAt >= tombstonesBefore;
  });
}

const sealedEnd = (log: PartitionLog, until = always) =>
  log.segments.findLast(({ isSealed, nextOffset }) => isSealed && nextOffset <= until)
    ?.nextOffset ?? 0;

/** A log on a simulated disk, beside the records that it should have. */
class Compacting {
  records: Expected[] = [];

  private constructor(
    public disk: SimulatedDisk,
    private readonly options: Partial<StoreOptions>,
    public open: Awaited<ReturnType<typeof openSimulated>>,
    public log: PartitionLog,
  ) {}

  static async start(
    disk = new SimulatedDisk(new SeededRandom(1)),
    options: Partial<StoreOptions> = {},
  ): Promise<Compacting> {
    const open = await openSimulated(disk, options);
    return new Compacting(disk, options, open, await open.store.createLog('offsets'));
  }

  async append(...inputs: readonly RecordInput[]): Promise<void> {
    const { baseOffset, timestamp, durable } = this.log.append(inputs);
    for (const [index, input] of inputs.entries()) {
      const times = { appendedAt: timestamp, timestamp: input.timestamp ?? timestamp };
      this.records.push({ ...input, ...times, offset: baseOffset + index });
    }
    await durable;
  }

  /** Appends one record for each pair of key and value; '' means no key, null a tombstone. */
  async put(...pairs: readonly (readonly [key: string, value: string | null])[]): Promise<void> {
    for (const [key, value] of pairs) {
      await this.append({
        key: key === '' ? null : Buffer.from(key),
        value: value === null ? null : Buffer.from(value),
        terms: [`key-${key}`],
      });
    }
  }

  async compact(options: CompactionOptions) {
    const report = await this.log.compact(options);
    const end = sealedEnd(this.log, options.until);
    this.records = compacted(this.records, end, options.tombstonesBefore);
    return report;
  }

  async reopen(how: 'cleanly' | 'kill' | 'power cut'): Promise<void> {
    if (how === 'cleanly') await this.open.store.close();
    else this.disk = how === 'kill' ? this.disk.restart() : this.disk.crash('nothing', 1);
    const { time } = this.open.timers;
    this.open = await openSimulated(this.disk, this.options);
    this.open.timers.time = time;
    const log = this.open.store.log('offsets');
    if (log === undefined) throw new Error('the log is gone');
    this.log = log;
  }

  /** Keys and values of all records. */
  async pairs(): Promise<string[]> {
    return (await everything(this.log)).map(
      ({ key, value }) => `${key?.toString() ?? ''}=${value?.toString() ?? 'gone'}`,
    );
  }
}

async function everything(log: PartitionLog, options: object = {}): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (let at = log.startOffset; at < log.highWatermark; ) {
    const batches = await log.read(at, options);
    if (batches.length === 0) throw new Error(`a reader stands still at ${at}`);
    for (const batch of batches) {
      records.push(...batch.records());
      if (batch.nextOffset <= at) throw new Error(`a batch that ends before ${at}`);
      at = batch.nextOffset;
    }
  }
  return records;
}

const shown = ({ offset, timestamp, key, value, terms, headers }: Expected | LogRecord) => ({
  offset,
  timestamp,
  key,
  value,
  terms: terms ?? [],
  headers: headers ?? [],
});

describe('a compaction', () => {
  it('leaves only the last record of each key, unchanged and at its offset', async () => {
    const compacting = await Compacting.start();
    const { log } = compacting;
    await compacting.put(['a', '1'], ['b', '1'], ['a', '2'], ['', 'x'], ['c', '1'], ['b', '2']);
    await compacting.append({
      key: Buffer.from('c'),
      value: Buffer.from('2'),
      timestamp: 77,
      headers: [{ name: 'h', value: null }],
      terms: ['t'],
    });
    await log.roll();
    const before = log.byteLength;
    const report = await compacting.compact({ tombstonesBefore: never });
    expect(await compacting.pairs()).toEqual(['a=2', '=x', 'b=2', 'c=2']);
    expect((await everything(log)).map(shown)).toEqual(compacting.records.map(shown));
    expect(report).toEqual({
      until: 7,
      removedRecords: 3,
      removedBytes: before - log.byteLength,
      oldestTombstone: null,
    });
    expect(report.removedBytes).toBeGreaterThan(0);
    expect([log.startOffset, log.endOffset, log.compactedUntil]).toEqual([0, 7, 7]);
  });

  it('does not read the growing segment, and does once it is sealed', async () => {
    const compacting = await Compacting.start();
    await compacting.put(['a', '1'], ['b', '1']);
    await compacting.log.roll();
    await compacting.put(['a', '2']);
    await compacting.compact({ tombstonesBefore: never });
    expect(await compacting.pairs()).toEqual(['a=1', 'b=1', 'a=2']);
    await compacting.log.roll();
    await compacting.put(['b', '2']);
    await compacting.compact({ tombstonesBefore: never });
    expect(await compacting.pairs()).toEqual(['b=1', 'a=2', 'b=2']);
  });

  it('reads only whole segments below the given offset', async () => {
    const compacting = await Compacting.start();
    await compacting.put(['a', '1'], ['a', '2']);
    await compacting.log.roll();
    await compacting.put(['a', '3'], ['a', '4']);
    await compacting.log.roll();
    await compacting.compact({ until: 1, tombstonesBefore: never });
    expect(await compacting.pairs()).toEqual(['a=1', 'a=2', 'a=3', 'a=4']);
    await compacting.compact({ until: 3, tombstonesBefore: never });
    expect(await compacting.pairs()).toEqual(['a=2', 'a=3', 'a=4']);
    await compacting.compact({ tombstonesBefore: never });
    expect(await compacting.pairs()).toEqual(['a=4']);
  });

  it('keeps a tombstone until its time, and removing it brings nothing back', async () => {
    const compacting = await Compacting.start();
    const { timers } = compacting.open;
    await compacting.put(['a', '1'], ['b', '1']);
    await compacting.log.roll();
    const deletedAt = timers.time;
    await compacting.put(['a', null]);
    timers.advance(1000);
    await compacting.put(['b', null], ['c', '1']);
    await compacting.log.roll();
    const first = await compacting.compact({ tombstonesBefore: deletedAt });
    expect(await compacting.pairs()).toEqual(['a=gone', 'b=gone', 'c=1']);
    expect(first.oldestTombstone).toBe(deletedAt);
    const second = await compacting.compact({ tombstonesBefore: deletedAt + 1 });
    expect(await compacting.pairs()).toEqual(['b=gone', 'c=1']);
    expect(second).toMatchObject({ removedRecords: 1, oldestTombstone: deletedAt + 1000 });
    await compacting.reopen('kill');
    await compacting.compact({ tombstonesBefore: always });
    expect(await compacting.pairs()).toEqual(['c=1']);
  });

  it('changes nothing when it is repeated', async () => {
    const compacting = await Compacting.start();
    await compacting.put(['a', '1'], ['a', '2'], ['b', null]);
    await compacting.log.roll();
    const options = { tombstonesBefore: never };
    const { oldestTombstone } = await compacting.compact(options);
    for (const restarted of [false, true]) {
      if (restarted) await compacting.reopen('power cut');
      const files = compacting.disk.files();
      expect(await compacting.compact(options)).toEqual({
        until: 3,
        removedRecords: 0,
        removedBytes: 0,
        oldestTombstone,
      });
      expect(compacting.disk.files()).toEqual(files);
    }
  });

  it('joins small neighbours in one segment, but none that would be too large', async () => {
    const compacting = await Compacting.start();
    for (let index = 0; index < 30; index += 1) {
      await compacting.put([`key ${index % 25}`, 'v'.repeat(60)]);
      await compacting.log.roll();
    }
    expect(compacting.log.segments).toHaveLength(30);
    await compacting.compact({ tombstonesBefore: never });
    const { segments } = compacting.log;
    expect(segments.length).toBeLessThan(8);
    expect(Math.max(...segments.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(1500);
    expect(segments.map(({ baseOffset }) => baseOffset)).toEqual([
      0,
      ...segments.slice(0, -1).map(({ nextOffset }) => nextOffset),
    ]);
    expect(segments.at(-1)).toMatchObject({ nextOffset: 30, isSealed: true });
  });

  it('has the same result however few keys it can hold in memory', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const compactionKeysMax = [1, 2, 7][seed % 3] ?? 1;
      const disk = new SimulatedDisk(new SeededRandom(1));
      const compacting = await Compacting.start(disk, { compactionKeysMax });
      const random = new SeededRandom(seed);
      for (let index = 0; index < 40; index += 1) {
        await compacting.put([`key ${random.below(9)}`, random.chance(0.2) ? null : `${index}`]);
      }
      await compacting.log.roll();
      await compacting.compact({ tombstonesBefore: always });
      expect((await everything(compacting.log)).map(shown)).toEqual(compacting.records.map(shown));
      expect(compacting.log.compactedUntil).toBe(40);
    }
  });

  it('can leave nothing of a log but its end', async () => {
    const compacting = await Compacting.start();
    await compacting.put(['a', '1'], ['a', null]);
    await compacting.log.roll();
    await compacting.compact({ tombstonesBefore: always });
    for (const how of ['kill', 'cleanly'] as const) {
      expect(await compacting.pairs()).toEqual([]);
      expect(compacting.log.endOffset).toBe(2);
      expect(await compacting.log.offsetFor(0)).toBe(2);
      await compacting.reopen(how);
    }
    await compacting.put(['b', '1']);
    expect((await everything(compacting.log)).map(({ offset }) => offset)).toEqual([2]);
  });
});

/** Every way of reading, compared with the records that should be there. */
async function expectReadable({ log, records }: Compacting, random: SeededRandom): Promise<void> {
  const { startOffset: start, highWatermark: end } = log;
  const there = records.filter(({ offset }) => offset >= start);
  const offsets = there.map(({ offset }) => offset);
  expect((await everything(log, { maxBytes: 300 })).map(shown)).toEqual(there.map(shown));
  const read = async (from: number, options: object) =>
    (await log.read(from, options)).flatMap((batch) => batch.records()).map((r) => r.offset);
  for (let from = start; from <= end; from += 1) {
    const [low, high] = [Math.max(start, from - 5), Math.min(end, from + 5)];
    const inside = (one: number, other: number) => offsets.filter((o) => o >= one && o < other);
    const count = 1 + random.below(4);
    const wide = { maxBytes: 1e6 };
    expect(await read(from, { ...wide, maxRecords: count })).toEqual(
      inside(from, end).slice(0, count),
    );
    expect(await read(from, { ...wide, until: high })).toEqual(inside(from, high));
    expect(await read(from, { ...wide, backwards: true, maxRecords: count })).toEqual(
      inside(start, from).slice(-count).reverse(),
    );
    expect(await read(from, { ...wide, backwards: true, until: low })).toEqual(
      inside(low, from).reverse(),
    );
    const one = await read(from, { maxBytes: 1 });
    expect(one.slice(0, 1)).toEqual(inside(from, end).slice(0, 1));
  }
  for (const time of [0, ...there.map(({ timestamp }) => timestamp), always]) {
    const first = there.find(({ timestamp }) => timestamp >= time)?.offset ?? end;
    expect(await log.offsetFor(time)).toBe(first);
  }
  for (const key of ['', 'a', 'b', 'c', 'd', 'absent']) {
    for (const order of ['oldest', 'newest'] as const) {
      const found: number[] = [];
      for await (const offset of log.find(`key-${key}`, { order })) found.push(offset);
      const own = there.filter(({ terms }) => terms?.includes(`key-${key}`)).map((r) => r.offset);
      expect(found).toEqual(order === 'oldest' ? own : own.reverse());
    }
  }
}

describe('a compacted log', () => {
  it('reads like any other, whatever was done to it and however it was stopped', async () => {
    for (let seed = 1; seed <= 60 * rounds; seed += 1) {
      const random = new SeededRandom(seed);
      const disk = new SimulatedDisk(new SeededRandom(seed + 1));
      disk.interleaves = seed % 2 === 0;
      const compacting = await Compacting.start(disk, {
        segmentBytes: 500 + random.below(1500),
        compactionKeysMax: random.pick([1, 3, 1000]),
      });
      try {
        for (let step = 0; step < 12; step += 1) {
          const kind = random.below(10);
          const key = () => random.pick(['', 'a', 'b', 'c', 'd']);
          if (kind < 5) {
            const inputs = Array.from({ length: 1 + random.below(5) }, (): RecordInput => {
              const name = key();
              return {
                key: name === '' ? null : Buffer.from(name),
                value: random.chance(0.3) ? null : Buffer.alloc(random.below(120), step),
                terms: [`key-${name}`],
                ...(random.chance(0.3) ? { timestamp: random.below(1e6) } : {}),
              };
            });
            await compacting.append(...inputs);
            compacting.open.timers.advance(random.below(50));
          } else if (kind < 6) await compacting.log.roll();
          else if (kind < 7)
            await compacting.log.trimTo(random.below(compacting.log.endOffset + 1));
          else if (kind < 9) {
            const before = random.pick([never, compacting.open.timers.time - 20, always]);
            const until = random.chance(0.3) ? random.below(compacting.log.endOffset + 1) : always;
            await compacting.compact({ until, tombstonesBefore: before });
          } else await compacting.reopen(random.pick(['cleanly', 'kill', 'power cut'] as const));
        }
        await expectReadable(compacting, random);
        await compacting.log.verify();
        await compacting.reopen('power cut');
        await expectReadable(compacting, random);
      } catch (error) {
        throw new Error(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
      }
    }
  }, 600_000);

  it('is read without interruption while it is compacted', async () => {
    for (let seed = 1; seed <= 10 * rounds; seed += 1) {
      const disk = new SimulatedDisk(new SeededRandom(seed));
      disk.interleaves = true;
      const compacting = await Compacting.start(disk);
      for (let index = 0; index < 40; index += 1) {
        await compacting.put([`${index % 6}`, `${index}`.padEnd(60)]);
      }
      await compacting.log.roll();
      const { log } = compacting;
      const last = compacted(compacting.records, 40, never).map(({ offset }) => offset);
      let isOver = false;
      const reader = async () => {
        for (let turn = 0; !isOver; turn += 1) {
          const seen = (await everything(log, { maxBytes: 300 })).map(({ offset }) => offset);
          expect(last.filter((offset) => !seen.includes(offset))).toEqual([]);
          const found: number[] = [];
          const order = turn % 2 === 0 ? 'newest' : 'oldest';
          for await (const offset of log.find('key-3', { order })) found.push(offset);
          expect(found).toContain(39);
          expect(await log.offsetFor(0)).toBeLessThanOrEqual(34);
        }
      };
      const readers = [reader(), reader()];
      const compaction = compacting.compact({ tombstonesBefore: never });
      await compaction;
      isOver = true;
      await Promise.all(readers);
      expect((await everything(log)).map(({ offset }) => offset)).toEqual(last);
      await compacting.open.store.close();
      expect(disk.openPaths).toEqual([]);
    }
  });
});

describe('a compaction that cannot continue', () => {
  const filled = async (disk: SimulatedDisk) => {
    const compacting = await Compacting.start(disk);
    for (let index = 0; index < 90; index += 1) {
      // Every segment loses half of its records.
      const key = index % 2 === 0 ? `even-${index % 4}` : `odd-${index}`;
      await compacting.put([key, `${index}`.padEnd(50)]);
    }
    await compacting.log.roll();
    return compacting;
  };

  it('for lack of room is reported, leaves nothing behind and harms no log', async () => {
    let refused = 0;
    const succeeded = new Set<string>();
    for (let nth = 1; ; nth += 1) {
      const disk = new SimulatedDisk(new SeededRandom(1));
      const compacting = await filled(disk);
      const { log, open } = compacting;
      // The manifest may use the reserve: only the new file meets the full disk.
      const operation = nth % 2 === 0 ? 'write' : 'sync';
      const call = Math.ceil(nth / 2);
      disk.failures = [
        { operation, code: 'ENOSPC', nth: call, under: '/data/tmp/', partially: true },
      ];
      const error = await log.compact({ tombstonesBefore: never }).then(
        () => null,
        (caught: unknown) => caught,
      );
      disk.failures = [];
      if (error !== null) {
        refused += 1;
        expect(error).toBeInstanceOf(DiskFull);
        expect(await disk.list('/data/tmp')).toEqual([]);
      }
      expect(open.failures).toEqual([]);
      await compacting.put(['after', '1']);
      await compacting.log.roll();
      await compacting.compact({ tombstonesBefore: never });
      expect((await everything(log)).map(shown)).toEqual(compacting.records.map(shown));
      await open.store.close();
      succeeded.add(error === null ? operation : '');
      if (succeeded.has('write') && succeeded.has('sync')) break;
    }
    expect(refused).toBeGreaterThan(5);
  });

  it('ends with the log, which loses nothing', async () => {
    for (const end of ['close', 'drop'] as const) {
      const disk = new SimulatedDisk(new SeededRandom(2));
      disk.interleaves = true;
      const { log, open } = await filled(disk);
      const compaction = log.compact({ tombstonesBefore: never });
      for (let turn = 0; turn < 40; turn += 1) await new Promise((next) => setImmediate(next));
      const ended = end === 'close' ? open.store.close() : open.store.dropLog('offsets');
      await expect(compaction).rejects.toMatchObject({ code: 'closed' });
      await ended;
      if (end === 'drop') await open.store.close();
      expect(disk.openPaths).toEqual([]);
      const again = await openSimulated(disk);
      expect(await disk.list('/data/tmp')).toEqual([]);
      const kept = again.store.log('offsets');
      if (end === 'drop') expect(kept).toBeUndefined();
      else {
        const offsets = (await everything(kept as PartitionLog)).map(({ offset }) => offset);
        expect(offsets.slice(-4)).toEqual([86, 87, 88, 89]);
      }
      await settle();
      await again.store.close();
    }
  });
});
