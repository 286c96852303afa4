import { DiskFull } from '../../../storage/faults/storage-errors.js';
import type { LogRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { alternately, rounds } from '../rounds.js';
import { openSimulated, settle } from '../simulated-store.js';

const always = Number.POSITIVE_INFINITY;
const settled = async () => undefined;

type Sweeping = Awaited<ReturnType<typeof start>>;

async function start(disk = new SimulatedDisk(new SeededRandom(1)), segmentBytes = 1500) {
  const options = { segmentBytes, isolatesDamage: () => true };
  const open = await openSimulated(disk, options);
  return { disk, open, log: await open.store.createLog('events') };
}

async function append(log: PartitionLog, count: number, length = 40): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    const name = `${log.endOffset}`;
    const terms = [`term-${log.endOffset % 3}`];
    await log.append([{ key: null, value: Buffer.from(name.padEnd(length)), terms }]).durable;
  }
}

async function everything(log: PartitionLog): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (let at = log.startOffset; at < log.highWatermark; ) {
    const batches = await log.read(at, { maxBytes: 300 });
    if (batches.length === 0) throw new Error(`a reader stands still at ${at}`);
    for (const batch of batches) {
      records.push(...batch.records());
      at = batch.nextOffset;
    }
  }
  return records;
}

async function offsetsOf(log: PartitionLog): Promise<number[]> {
  const records = await everything(log);
  for (const { offset, value } of records) expect(value?.toString().trim()).toBe(`${offset}`);
  return records.map(({ offset }) => offset);
}

const upTo = (end: number) => Array.from({ length: end }, (_, offset) => offset);

/** Every way of reading returns these offsets and no others. */
async function expectReadable(log: PartitionLog, offsets: readonly number[]): Promise<void> {
  expect(await offsetsOf(log)).toEqual(offsets);
  for (let at = log.startOffset; at <= log.highWatermark; at += 1) {
    const wide = { maxBytes: 1e6, maxRecords: 3 };
    const read = async (options: object) =>
      (await log.read(at, { ...wide, ...options })).flatMap((batch) => batch.records());
    expect((await read({})).map(({ offset }) => offset)).toEqual(
      offsets.filter((offset) => offset >= at).slice(0, 3),
    );
    expect((await read({ backwards: true })).map(({ offset }) => offset)).toEqual(
      offsets
        .filter((offset) => offset < at)
        .slice(-3)
        .reverse(),
    );
    expect(await log.has(at)).toBe(offsets.includes(at));
  }
  expect(await log.offsetFor(0)).toBe(offsets[0] ?? log.highWatermark);
  for (const rest of [0, 1, 2]) {
    const found: number[] = [];
    for await (const offset of log.find(`term-${rest}`)) found.push(offset);
    expect(found).toEqual(offsets.filter((offset) => offset % 3 === rest));
  }
}

describe('a sweep', () => {
  it('leaves kept records in their place, and all records not below its offset', async () => {
    const { log, open } = await start();
    await append(log, 40);
    await log.roll();
    await append(log, 3);
    const ends = log.segments.map(({ nextOffset }) => nextOffset);
    const until = (ends[2] ?? 0) + 1;
    const before = log.byteLength;
    const seen: number[] = [];
    const report = await log.sweep({
      until,
      keeps: ({ offset }) => seen.push(offset) > 0 && offset % 5 === 0,
      settled,
    });
    expect(report.until).toBe(ends[2]);
    expect(seen).toEqual(upTo(report.until));
    const stays = upTo(43).filter((offset) => offset >= report.until || offset % 5 === 0);
    await expectReadable(log, stays);
    expect(report.removedBytes).toBe(before - log.byteLength);
    expect(report.removedRecords).toBe(43 - stays.length);
    expect(report.keptRecords + report.removedRecords).toBe(report.until);
    expect([log.startOffset, log.highWatermark, log.endOffset]).toEqual([0, 43, 43]);
    await log.verify();
    expect(open.failures).toEqual([]);
  });

  it('leaves one segment of many that keep nothing, also sweep by sweep', async () => {
    const { log, disk } = await start();
    for (let round = 1; round <= 5; round += 1) {
      await append(log, 60);
      await log.roll();
      await log.sweep({ until: always, keeps: () => false, settled });
      expect(log.segments).toHaveLength(1);
      expect([log.startOffset, log.endOffset]).toEqual([0, round * 60]);
    }
    expect(await disk.list('/data/logs/0000000000')).toHaveLength(2);
    await expectReadable(log, []);
    const again = await openSimulated(disk.crash('nothing', 1));
    const reopened = again.store.log('events');
    expect([reopened?.startOffset, reopened?.endOffset]).toEqual([0, 300]);
  });

  it('does not write a segment that loses nothing and joins no other', async () => {
    const { log, disk } = await start();
    await append(log, 60);
    await log.roll();
    await log.sweep({ until: always, keeps: () => true, settled });
    const files = disk.files();
    let isSettled = false;
    const report = await log.sweep({
      until: always,
      keeps: () => true,
      settled: async () => {
        isSettled = true;
      },
    });
    const nothing = { removedRecords: 0, removedBytes: 0, archivedBytes: 0 };
    expect(report).toEqual({ until: 60, keptRecords: 60, ...nothing });
    expect(disk.files()).toEqual(files);
    expect(isSettled).toBe(false);
  });

  it('replaces nothing before the basis of its decisions is durable', async () => {
    const { log } = await start();
    await append(log, 60);
    await log.roll();
    let calls = 0;
    const refused = log.sweep({
      until: always,
      keeps: ({ offset }) => offset % 2 === 0,
      settled: async () => {
        calls += 1;
        if (calls === 2) throw new Error('not durable');
      },
    });
    await expect(refused).rejects.toThrow('not durable');
    const left = await offsetsOf(log);
    const swept = upTo(60).find((offset) => offset % 2 === 1 && left.includes(offset)) ?? 0;
    expect(swept).toBeGreaterThan(1);
    expect(left).toEqual(upTo(60).filter((offset) => offset >= swept - 1 || offset % 2 === 0));
    await log.sweep({ until: always, keeps: () => false, settled });
    await expectReadable(log, []);
  });

  it('takes turns with a trim, a compaction and another sweep', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    disk.interleaves = true;
    const { log, open } = await start(disk);
    await append(log, 60);
    await log.roll();
    const [start_] = await Promise.all([
      log.trimTo(20),
      log.sweep({ until: always, keeps: ({ offset }) => offset % 2 === 0, settled }),
      log.compact({ tombstonesBefore: 0 }),
      log.keepUp(),
      log.sweep({ until: always, keeps: ({ offset }) => offset % 3 === 0, settled }),
      append(log, 5),
    ]);
    const sealed = log.segments.findLast(({ isSealed }) => isSealed)?.nextOffset ?? 0;
    const stays = (offset: number) => offset >= sealed || offset % 6 === 0;
    await expectReadable(
      log,
      upTo(65).filter((offset) => offset >= start_ && stays(offset)),
    );
    await open.store.close();
    expect(disk.openPaths).toEqual([]);
  });

  it('does not disturb readers', async () => {
    const disk = new SimulatedDisk(new SeededRandom(4));
    disk.interleaves = true;
    const { log } = await start(disk);
    await append(log, 60);
    await log.roll();
    const kept = upTo(60).filter((offset) => offset % 4 === 0);
    let isOver = false;
    const reader = async () => {
      while (!isOver) {
        const seen = await offsetsOf(log);
        expect(kept.filter((offset) => !seen.includes(offset))).toEqual([]);
      }
    };
    const readers = [reader(), reader()];
    await log.sweep({ until: always, keeps: ({ offset }) => offset % 4 === 0, settled });
    isOver = true;
    await Promise.all(readers);
    await expectReadable(log, kept);
  });
});

/** If a record that is not kept is gone, all earlier ones that are not kept are gone, too. */
function expectSweptFromTheStart(
  found: readonly number[],
  end: number,
  isKept: (offset: number) => boolean,
): void {
  const firstLeft = found.find((offset) => !isKept(offset)) ?? end;
  expect(found).toEqual(upTo(end).filter((offset) => offset >= firstLeft || isKept(offset)));
}

describe('a sweep that cannot continue', () => {
  const isKept = (offset: number) => offset % 7 === 0 || (offset > 20 && offset < 30);
  const keeps = ({ offset }: LogRecord) => isKept(offset);
  const filled = async (disk: SimulatedDisk): Promise<Sweeping> => {
    const sweeping = await start(disk, 900);
    await append(sweeping.log, 60);
    await sweeping.log.roll();
    return sweeping;
  };

  it('has swept everything below some offset, wherever a crash ends it', async () => {
    for (let seed = 1; seed <= Math.ceil(2 * rounds); seed += 1) {
      const disk = new SimulatedDisk(new SeededRandom(seed));
      disk.interleaves = seed % 2 === 1;
      const { log } = await filled(disk);
      const images: SimulatedDisk[] = [];
      disk.afterChange = () => images.push(disk.copy());
      await log.sweep({ until: always, keeps, settled });
      disk.afterChange = null;
      expect(images.length).toBeGreaterThan(40);
      for (const [at, image] of images.entries()) {
        for (const policy of alternately(crashPolicies, at)) {
          const crashed = image.crash(policy, at);
          const { store } = await openSimulated(crashed, { segmentBytes: 900 });
          const again = store.log('events') as PartitionLog;
          expectSweptFromTheStart(await offsetsOf(again), 60, isKept);
          expect([again.startOffset, again.endOffset]).toEqual([0, 60]);
          if (policy !== 'sectors') continue;
          await settle();
          await again.sweep({ until: always, keeps, settled });
          expect(await offsetsOf(again)).toEqual(upTo(60).filter(isKept));
          await store.close();
          expect(crashed.openPaths).toEqual([]);
        }
      }
    }
  }, 600_000);

  it('for lack of room is reported, leaves nothing behind and can be repeated', async () => {
    let refused = 0;
    for (let nth = 1; ; nth += 1) {
      const disk = new SimulatedDisk(new SeededRandom(1));
      const { log, open } = await filled(disk);
      disk.failures = [
        { operation: 'write', code: 'ENOSPC', nth, under: '/data/tmp/', partially: true },
      ];
      const error = await log.sweep({ until: always, keeps, settled }).then(
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
      expectSweptFromTheStart(await offsetsOf(log), 60, isKept);
      await log.sweep({ until: always, keeps, settled });
      await expectReadable(log, upTo(60).filter(isKept));
      await open.store.close();
      if (error === null) break;
    }
    expect(refused).toBeGreaterThan(3);
  });

  it('ends before damage, whether it knew of it or finds it', async () => {
    for (const isKnown of [true, false]) {
      const disk = new SimulatedDisk(new SeededRandom(1));
      const { log } = await filled(disk);
      const [, , third] = log.segments;
      if (third === undefined) throw new Error('too few segments');
      disk.damage('/data/logs/0000000000/0000000002.log', (bytes) => {
        bytes[200] = (bytes[200] ?? 0) ^ 1;
        return bytes;
      });
      if (isKnown) await log.read(third.baseOffset).catch(() => undefined);
      const seen: number[] = [];
      const decided = (record: LogRecord) => seen.push(record.offset) > 0 && keeps(record);
      const first = await log.sweep({ until: always, keeps: decided, settled });
      expect(first.until).toBeLessThanOrEqual(third.baseOffset);
      expect(new Set(seen).size).toBe(seen.length);
      const second = await log.sweep({ until: always, keeps, settled });
      expect(second.until).toBe(third.baseOffset);
      expect(log.damages).toHaveLength(1);
      const behind = (await log.read(third.nextOffset, { maxBytes: 1e6 })).flatMap((batch) =>
        batch.records(),
      );
      expect(behind.map(({ offset }) => offset)).toEqual(upTo(60).slice(third.nextOffset));
    }
  });

  it('is refused, or stopped, by the end of its log', async () => {
    const disk = new SimulatedDisk(new SeededRandom(2));
    disk.interleaves = true;
    const { log, open } = await filled(disk);
    const sweep = log.sweep({ until: always, keeps, settled });
    for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
    const closed = open.store.close();
    await expect(sweep).rejects.toMatchObject({ code: 'closed' });
    await closed;
    const late = log.sweep({ until: always, keeps, settled });
    await expect(late).rejects.toMatchObject({ code: 'closed' });
    expect(disk.openPaths).toEqual([]);
  });
});

describe('a swept log', () => {
  it('reads like any other, whatever was done to it and however it was stopped', async () => {
    for (let seed = 1; seed <= 40 * rounds; seed += 1) {
      const random = new SeededRandom(seed);
      let disk = new SimulatedDisk(new SeededRandom(seed + 1));
      disk.interleaves = seed % 2 === 0;
      const segmentBytes = 500 + random.below(1500);
      let { log, open } = await start(disk, segmentBytes);
      let there: number[] = [];
      try {
        for (let step = 0; step < 14; step += 1) {
          const kind = random.below(10);
          if (kind < 4) {
            const from = log.endOffset;
            await append(log, 1 + random.below(8), 1 + random.below(120));
            there.push(...upTo(log.endOffset).slice(from));
          } else if (kind < 5) await log.roll();
          else if (kind < 6) await log.trimTo(random.below(log.endOffset + 1));
          else if (kind < 9) {
            const stays = new Set(there.filter(() => random.chance(0.3)));
            const until = random.chance(0.3) ? random.below(log.endOffset + 1) : always;
            const keeps = ({ offset }: LogRecord) => stays.has(offset);
            const report = await log.sweep({ until, keeps, settled });
            there = there.filter((offset) => offset >= report.until || stays.has(offset));
          } else {
            const isClean = random.chance(0.3);
            if (isClean) await open.store.close();
            else disk = random.chance(0.5) ? disk.restart() : disk.crash('nothing', seed);
            open = await openSimulated(disk, { segmentBytes });
            log = open.store.log('events') as PartitionLog;
          }
          there = there.filter((offset) => offset >= log.startOffset);
        }
        await expectReadable(log, there);
        await log.verify();
      } catch (error) {
        throw new Error(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
      }
    }
  }, 600_000);
});
