import {
  DamagedData,
  DamagedOffsets,
  DiskFailure,
  LogClosed,
} from '../../storage/faults/storage-errors.js';
import type { Store } from '../../storage/store.js';
import { verifyStore } from '../../storage/verify/verify-store.js';
import type { SimulatedDisk } from '../simulation/simulated-disk.js';
import {
  append,
  flipped,
  isTopic,
  logOf,
  openIsolating,
  placesIn,
  readAll,
  recordCount,
  segmentPath,
  survey,
  surveyTwice,
  workedDisk,
} from './damaged-topic.js';
import { rounds, stride } from './rounds.js';
import { directory, openSimulated, readOnly, settle } from './simulated-store.js';

/** One bit of each byte, or of every other one; all of them in a longer run. */
const bitStep = rounds > 1 ? 1 : rounds < 1 ? 13 : 7;

describe.each(['cleanly', 'kill'] as const)('a topic that was stopped: %s', (stop) => {
  it('loses at most the batch of one flipped bit, and reports it', async () => {
    const disk = await workedDisk(stop);
    const [one = 0, two = 0, three = 0, end = 0] = placesIn(disk, 1);
    const length = disk.files().get(segmentPath(1))?.length ?? 0;
    expect([one, end + 128]).toEqual([64, length]);
    for (let bit = 0; bit < length * 8; bit += bitStep) {
      const damaged = await surveyTwice(flipped(disk, segmentPath(1), bit)).catch(
        (error: unknown) => {
          throw new Error(`bit ${bit}: ${error}`);
        },
      );
      const at = bit >> 3;
      // Neither the header nor the footer of a segment is needed to read it.
      const hit = at < one || at >= end ? [] : at < two ? [3] : at < three ? [4] : [5];
      const lost = hit.map((from) => `${from} to ${from + 1}`);
      if (damaged.join() !== lost.join()) expect({ bit, damaged }).toEqual({ bit, damaged: lost });
    }
  }, 600_000);

  it('loses only what was behind the cut of a file, and reports it', async () => {
    const disk = await workedDisk(stop);
    const places = placesIn(disk, 1);
    const length = disk.files().get(segmentPath(1))?.length ?? 0;
    for (let cut = 0; cut < length; cut += stride(3)) {
      const damaged = disk.copy();
      damaged.damage(segmentPath(1), (bytes) => bytes.subarray(0, cut));
      const whole = places.slice(1).filter((end) => end <= cut).length;
      const lost = whole === 3 ? [] : [`${3 + whole} to 6`];
      expect({ cut, damaged: await surveyTwice(damaged) }).toEqual({ cut, damaged: lost });
    }
  }, 600_000);

  it('loses only the offsets of a missing file, and reports it', async () => {
    const disk = await workedDisk(stop);
    for (const [number, lost] of [
      [0, '0 to 3'],
      [1, '3 to 6'],
      [2, '6 to 9'],
    ] as const) {
      const without = disk.copy();
      await without.remove(segmentPath(number));
      expect(await surveyTwice(without)).toEqual([lost]);
    }
    await disk.remove(segmentPath(0));
    await disk.remove(segmentPath(1));
    expect(await surveyTwice(disk)).toEqual(['0 to 6']);
  });

  it('returns no batch that is intact but of another history of the same log', async () => {
    const disk = await workedDisk(stop);
    const other = (await workedDisk(stop, 100)).files().get(segmentPath(1));
    const [, second = 0, third = 0] = placesIn(disk, 1);
    disk.damage(segmentPath(1), (bytes) => {
      other?.copy(bytes, second, second, third);
      return bytes;
    });
    expect(await surveyTwice(disk)).toEqual(['4 to 5']);
  });

  it('returns no record of another segment under the name of one', async () => {
    const disk = await workedDisk(stop);
    const later = disk.files().get(segmentPath(2));
    disk.damage(segmentPath(1), (bytes) => later ?? bytes);
    expect(await surveyTwice(disk)).toEqual(['3 to 6']);
  });
});

describe('a log that does not isolate damage', () => {
  it('refuses to open if a sealed segment does not end as it was sealed', async () => {
    const disk = await workedDisk('cleanly');
    const end = placesIn(disk, 1).at(-1) ?? 0;
    await openSimulated(flipped(disk, segmentPath(1), end * 8 + 300)).then(
      () => expect('opened').toBe('refused'),
      (error: unknown) => expect(error).toBeInstanceOf(DamagedData),
    );
  });
});

describe('damage in a topic', () => {
  const inSecond = (disk: SimulatedDisk) => (placesIn(disk, 1)[1] ?? 0) * 8 + 900;

  it('that comes while it is open is reported from then on, and never read', async () => {
    const disk = await workedDisk('cleanly');
    const { store, log, reported, failures } = await openIsolating(disk);
    expect([await survey(log), reported]).toEqual([[], []]);
    const bit = inSecond(disk);
    disk.damage(segmentPath(1), (bytes) => {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ 1;
      return bytes;
    });
    const reads = [3, 4, 4, 5].map((offset) => log.read(offset, { maxRecords: 1 }));
    const [three, four, fourAgain, five] = await Promise.allSettled(reads);
    expect([three?.status, five?.status]).toEqual(['fulfilled', 'fulfilled']);
    for (const refused of [four, fourAgain]) {
      expect(refused).toMatchObject({
        status: 'rejected',
        reason: { logName: 'topic', offsets: { from: 4, until: 5 }, range: { lastGoodOffset: 3 } },
      });
    }
    expect(reported.map(({ message }) => message)).toEqual([
      expect.stringMatching(/0001\.log bytes \d+ to \d+: .*topic offsets 4 to 4 cannot be read/),
    ]);
    await append(log, recordCount);
    expect([await survey(log), failures]).toEqual([['4 to 5'], []]);
    await store.close();
  });

  it('in the growing segment is reported, too, while the store is open', async () => {
    const disk = await workedDisk('cleanly');
    const { store, log } = await openIsolating(disk);
    disk.damage(segmentPath(3), (bytes) => {
      bytes[64 + 100] = (bytes[64 + 100] ?? 0) ^ 1;
      return bytes;
    });
    await append(log, recordCount);
    expect(await survey(log)).toEqual(['9 to 10']);
    await store.close();
  });

  it('stops a read before it, and rejects one that begins there', async () => {
    const disk = await workedDisk('cleanly');
    const { store, log } = await openIsolating(flipped(disk, segmentPath(1), inSecond(disk)));
    const offsetsOf = async (from: number, until?: number) => {
      const batches = await log.read(from, until === undefined ? {} : { until });
      return batches.flatMap((batch) => batch.records()).map(({ offset }) => offset);
    };
    expect(await offsetsOf(1)).toEqual([1, 2, 3]);
    expect(await offsetsOf(1, 4)).toEqual([1, 2, 3]);
    expect(await offsetsOf(5, 7)).toEqual([5, 6]);
    await expect(offsetsOf(4)).rejects.toThrow(DamagedOffsets);
    await store.close();
  });

  it('leaves a question unanswered for a time that it may hold', async () => {
    const disk = await workedDisk('cleanly');
    const { store, log, timers } = await openIsolating(
      flipped(disk, segmentPath(1), inSecond(disk)),
    );
    expect(await log.offsetFor(0)).toBe(0);
    log.hideBelow(4);
    await expect(log.offsetFor(0)).rejects.toThrow(DamagedOffsets);
    log.hideBelow(5);
    expect([await log.offsetFor(0), log.damages]).toEqual([5, []]);
    expect(await log.offsetFor(timers.time + 1)).toBe(recordCount);
    await store.close();
  });

  it('does not hide a term if the index is lost as well', async () => {
    const disk = await workedDisk('cleanly');
    const damaged = flipped(disk, segmentPath(1), inSecond(disk));
    const found = async (store: Store) => {
      const offsets: number[] = [];
      for await (const offset of logOf(store).candidates([['run-1']])) offsets.push(offset);
      return offsets.length;
    };
    const { store } = await openIsolating(damaged);
    expect(await found(store)).toBe(recordCount);
    await store.close();
    await damaged.remove(segmentPath(1).replace('.log', '.index'));
    const again = await openIsolating(damaged);
    await expect(found(again.store)).rejects.toThrow(DamagedOffsets);
    expect(await survey(again.log)).toEqual(['4 to 5']);
    await again.store.close();
  });

  it('heals when it is trimmed away, even if the file is gone', async () => {
    for (const damage of ['flip', 'removal'] as const) {
      const worked = await workedDisk('cleanly');
      const disk = damage === 'flip' ? flipped(worked, segmentPath(1), inSecond(worked)) : worked;
      if (damage === 'removal') await disk.remove(segmentPath(1));
      const { store, log, failures } = await openIsolating(disk);
      expect((await survey(log)).length).toBe(1);
      expect(await log.trimTo(6)).toBe(6);
      expect([await survey(log), log.damages, failures]).toEqual([[], [], []]);
      await store.close();
      const again = await openIsolating(disk);
      expect([await survey(again.log), again.reported]).toEqual([[], []]);
      await again.store.close();
    }
  });

  it('costs a start no read if there is none', async () => {
    const disk = await workedDisk('cleanly');
    const readsOf = async (isolatesDamage: (name: string) => boolean) => {
      const own = disk.copy();
      const { store } = await openSimulated(own, { segmentBytes: 530, isolatesDamage });
      const reads = own.calls.get('read') ?? 0;
      await store.close();
      return reads;
    };
    expect(await readsOf(isTopic)).toBe(await readsOf(() => false));
    expect(await readsOf(isTopic)).toBeGreaterThan(0);
  });

  it('does not include the remaining files of a dropped log', async () => {
    const { store, log, reported } = await openIsolating(await workedDisk('cleanly'));
    const reads = Array.from({ length: 10 }, () => log.read(0).catch((error: unknown) => error));
    const dropped = store.dropLog('topic');
    for (let turn = 0; turn < 20; turn += 1) {
      reads.push(log.read(turn % recordCount).catch((error: unknown) => error));
      await settle();
    }
    await dropped;
    reads.push(log.read(0).catch((error: unknown) => error));
    const outcomes = await Promise.all(reads);
    expect(outcomes.some((outcome) => outcome instanceof LogClosed)).toBe(true);
    for (const fault of [DamagedData, DiskFailure]) {
      expect(outcomes.some((outcome) => outcome instanceof fault)).toBe(false);
    }
    expect(reported).toEqual([]);
    await store.close();
  });

  it('is found completely by a verification, which changes nothing', async () => {
    const disk = await workedDisk('cleanly');
    const footer = (placesIn(disk, 2).at(-1) ?? 0) * 8 + 300;
    const damaged = flipped(flipped(disk, segmentPath(1), inSecond(disk)), segmentPath(2), footer);
    await damaged.remove(segmentPath(0));
    const { logs, damages } = await verifyStore(damaged, directory, readOnly);
    expect(logs.map(({ name, isDamaged }) => [name, isDamaged])).toEqual([
      ['journal', false],
      ['topic', true],
    ]);
    expect(damages.map(({ range }) => range.file)).toEqual([0, 1, 2].map(segmentPath));
  });
});

describe('compaction', () => {
  const inSecond = (disk: SimulatedDisk) => (placesIn(disk, 1)[1] ?? 0) * 8 + 900;

  it.each(['found by a reader', 'found by the compaction'])(
    'leaves a damaged segment as it is, and works on the others: damage %s',
    async (how) => {
      const worked = await workedDisk('cleanly');
      const disk = flipped(worked, segmentPath(1), inSecond(worked));
      const before = disk.files().get(segmentPath(1));
      const { store, log, reported, failures } = await openIsolating(disk);
      if (how === 'found by a reader') expect(await survey(log)).toEqual(['4 to 5']);
      const report = await log.compact({ tombstonesBefore: 0 });
      // Only record 5 supersedes 1, and it is not trusted while its segment is damaged.
      const left = { offsets: [1, 3, 5, 6, 7, 8, 9], damaged: ['4 to 5'] };
      expect(report).toMatchObject({ removedRecords: 2, until: 9 });
      expect([await readAll(log), reported.length, failures]).toEqual([left, 1, []]);
      expect(disk.files().get(segmentPath(1))).toEqual(before);
      await append(log, recordCount);
      await store.close();
      const again = await openIsolating(disk);
      left.offsets.push(recordCount);
      expect(await readAll(again.log)).toEqual(left);
      await again.store.close();
    },
  );

  it('that a crash ends at any moment has lost nothing, and touched no damage', async () => {
    const worked = await workedDisk('cleanly');
    const disk = flipped(worked, segmentPath(1), inSecond(worked));
    const { store, log } = await openIsolating(disk);
    const moments: SimulatedDisk[] = [];
    disk.afterChange = () => moments.push(disk.copy());
    await log.compact({ tombstonesBefore: 0 });
    disk.afterChange = null;
    await store.close();
    expect(moments.length).toBeGreaterThan(10);
    for (const [seed, moment] of moments.entries()) {
      for (const policy of ['nothing', 'everything', 'sectors', 'garbage'] as const) {
        const left = moment.crash(policy, seed);
        const again = await openIsolating(left);
        const { offsets, damaged } = await readAll(again.log);
        const missing = [0, 1, 2, 3, 5, 6, 7, 8, 9].filter((offset) => !offsets.includes(offset));
        expect([seed, policy, damaged]).toEqual([seed, policy, ['4 to 5']]);
        expect([[], [0, 2]]).toContainEqual(missing);
        await again.store.close();
      }
    }
  });

  it('keeps a tombstone as long as a damaged segment may hold what it hides', async () => {
    const found = async (disk: SimulatedDisk) => {
      const { store, log, timers } = await openIsolating(disk);
      const tombstone = { key: Buffer.from('key-3'), value: null };
      await log.append([tombstone]).durable;
      await log.roll();
      timers.advance(1000);
      const report = await log.compact({ tombstonesBefore: timers.time });
      expect(report.oldestTombstone).toBe(null);
      const all = await readAll(log);
      await store.close();
      return all;
    };
    const disk = await workedDisk('cleanly');
    expect(await found(disk.copy())).toEqual({ offsets: [6, 8, 9], damaged: [] });
    const damaged = flipped(disk, segmentPath(1), inSecond(disk));
    expect(await found(damaged)).toEqual({ offsets: [3, 5, 6, 8, 9, 10], damaged: ['4 to 5'] });
  });

  it('removes later what damage kept, and no tombstone before what it hides', async () => {
    const worked = await workedDisk('cleanly');
    const disk = flipped(worked, segmentPath(1), inSecond(worked));
    const damaged = await openIsolating(disk);
    await damaged.log.append([{ key: Buffer.from('key-0'), value: null }]).durable;
    await damaged.log.roll();
    const report = await damaged.log.compact({ tombstonesBefore: 0 });
    expect([report.until, damaged.log.compactedUntil]).toEqual([11, 11]);
    const left = { offsets: [3, 5, 6, 7, 9, 10], damaged: ['4 to 5'] };
    expect(await readAll(damaged.log)).toEqual(left);
    await damaged.store.close();
    // The disk reads the place again: a controller was replaced, or the file was put back.
    const { store, log, timers } = await openIsolating(
      flipped(disk, segmentPath(1), inSecond(worked)),
    );
    timers.advance(1000);
    await log.compact({ tombstonesBefore: timers.time });
    expect(await readAll(log)).toEqual({ offsets: [6, 7, 9], damaged: [] });
    await store.close();
  });
});
