import { backupFolder } from '../../storage/backup/backup-folder.js';
import { type DamagedData, DamagedOffsets } from '../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';
import { scrub } from '../../storage/verify/scrub.js';
import { verifyStore } from '../../storage/verify/verify-store.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { isTopic, logOf, segmentPath } from './damaged-topic.js';
import { directory, openSimulated, readOnly, settle } from './simulated-store.js';

const recordCount = 20;
const valueAt = (offset: number) => Buffer.alloc(3000, offset + 1);
const isolating = { segmentBytes: 30_000, isolatesDamage: isTopic };

/** Part of the second segment, [9, 18): contains parts of the records 12 to 14. */
const badPage = { from: 12_288, to: 16_384 };

async function open(disk: SimulatedDisk) {
  const reported: DamagedData[] = [];
  const onDamage = (damage: DamagedData) => reported.push(damage);
  const opened = await openSimulated(disk, { ...isolating, onDamage });
  return { ...opened, reported, log: logOf(opened.store) };
}

/** A journal and a topic of which [0, 9) and [9, 18) are sealed; its records must be unchanged. */
async function workedDisk(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const { store, timers } = await openSimulated(disk, isolating);
  await (await store.createLog('journal')).append([{ key: null, value: valueAt(0) }]).durable;
  const log = await store.createLog('topic');
  for (let offset = 0; offset < recordCount; offset += 1) {
    const key = Buffer.from(`key ${offset % 4}`);
    await log.append([{ key, value: valueAt(offset), terms: ['run-1'] }]).durable;
  }
  await settle();
  timers.advance(25);
  await settle();
  expect(log.segments.map(({ nextOffset }) => nextOffset)).toEqual([9, 18, 20]);
  await store.close();
  return disk.restart();
}

/** Everything that can be read, and the ranges reported as unreadable. */
async function survey(log: PartitionLog, isBackwards = false): Promise<unknown> {
  const read: number[] = [];
  const lost: string[] = [];
  for (let at = 0; at < recordCount; at += 1) {
    const offset = isBackwards ? recordCount - 1 - at : at;
    const from = isBackwards ? offset + 1 : offset;
    try {
      const options = { maxRecords: 1, backwards: isBackwards };
      const [batch] = await log.read(from, options);
      const record = batch?.record(offset);
      expect(record?.value?.equals(valueAt(offset))).toBe(true);
      read.push(offset);
    } catch (error) {
      if (!(error instanceof DamagedOffsets)) throw error;
      lost.push(`${error.offsets.from} to ${error.offsets.until}`);
    }
  }
  return { read: read.length, lost: [...new Set(lost)] };
}

const around = { read: recordCount - 3, lost: ['12 to 15'] };
const why = /0001\.log bytes \d+ to \d+: the disk does not read it; .*12 to 14 cannot be read/;

describe('a page of a topic that the disk cannot read', () => {
  it('costs the records in it, and is reported, while the store is open', async () => {
    const disk = await workedDisk();
    const { store, log, reported, failures } = await open(disk);
    disk.spoil(segmentPath(1), badPage);
    expect(await survey(log)).toEqual(around);
    expect(await survey(log, true)).toEqual(around);
    expect(reported.map(({ message }) => message)).toEqual([expect.stringMatching(why)]);
    expect(failures).toEqual([]);
    await store.close();
  });

  it('costs nothing any more once the disk can read it again', async () => {
    const disk = await workedDisk();
    const { store, log } = await open(disk);
    await disk.remove(segmentPath(1).replace('.log', '.index'));
    disk.spoil(segmentPath(1), badPage);
    expect(await survey(log)).toEqual(around);
    await expect(log.find('run-1', { from: 9 }).next()).rejects.toThrow(DamagedOffsets);
    disk.spoil(segmentPath(1), null);
    expect(await survey(log)).toEqual({ read: recordCount, lost: [] });
    expect(log.damages).toEqual([]);
    expect(await log.find('run-1', { from: 9 }).next()).toEqual({ done: false, value: 9 });
    await store.close();
  });

  it('does not keep a compaction from the segments around it', async () => {
    const disk = await workedDisk();
    disk.spoil(segmentPath(1), badPage);
    const { store, log, failures } = await open(disk);
    const { removedRecords } = await log.compact({ tombstonesBefore: 0 });
    expect(removedRecords).toBe(5);
    expect([log.damages, failures]).toEqual([[{ from: 12, until: 15 }], []]);
    expect((await log.read(15, { maxRecords: 1 })).length).toBe(1);
    await store.close();
  });

  it('does not end a scrub: it is reported, and the rest is read', async () => {
    const disk = await workedDisk();
    disk.spoil(segmentPath(1), badPage);
    const found: (string | null)[] = [];
    for await (const { damage } of scrub(disk, directory, { ...readOnly, ...isolating }, 0)) {
      found.push(damage?.message ?? null);
    }
    const named = expect.stringMatching(/0001\.log bytes .*: the disk does not read it/);
    expect(found).toEqual([null, named]);
  });

  it('is reported by a verification, which continues', async () => {
    const disk = await workedDisk();
    disk.spoil(segmentPath(1), badPage);
    const { logs, damages } = await verifyStore(disk, directory, { ...readOnly, ...isolating });
    expect(damages.map(({ message }) => message)).toEqual([
      expect.stringMatching(/0001\.log bytes \d+ to \d+: the disk does not read it/),
    ]);
    expect(logs.map(({ name, lost }) => ({ name, lost }))).toEqual([
      { name: 'journal', lost: [] },
      { name: 'topic', lost: [{ from: 12, until: 15 }] },
    ]);
  });

  it.each([true, false])(
    'is missing from a backup, which holds the rest (linked: %s)',
    async (sharesFiles) => {
      const disk = await workedDisk();
      disk.spoil(segmentPath(1), badPage);
      const options = { ...readOnly, ...isolating };
      const { lost } = await backupFolder(disk, directory, '/copy', options, { sharesFiles });
      expect(lost).toEqual([{ log: 'topic', from: 12, until: 15 }]);
    },
  );

  it('costs a start nothing if it is the end of a segment', async () => {
    const disk = await workedDisk();
    const length = disk.files().get(segmentPath(1))?.length ?? 0;
    disk.spoil(segmentPath(1), { from: length - 128, to: length });
    const { store, log, reported } = await open(disk);
    expect(await survey(log)).toEqual({ read: recordCount, lost: [] });
    expect(reported.map(({ message }) => message)).toEqual([
      expect.stringContaining('the disk does not read it'),
    ]);
    await store.close();
  });
});

it('a read that fails once is an error once, and not damage', async () => {
  const disk = await workedDisk();
  const { store, log, reported } = await open(disk);
  disk.failures = [{ operation: 'read', nth: 1, under: segmentPath(1), code: 'EIO' }];
  await expect(log.read(12, { maxRecords: 1 })).rejects.toThrow('EIO');
  expect(await survey(log)).toEqual({ read: recordCount, lost: [] });
  expect([log.damages, reported]).toEqual([[], []]);
  await store.close();
});

describe.each(['MANIFEST', 'MANIFEST.copy', 'WATERMARKS'])(
  'a %s that the disk does not read',
  (name) => {
    const path = `${directory}/${name}`;

    it('keeps no start from going on', async () => {
      const disk = await workedDisk();
      disk.spoil(path, { from: 0, to: 4096 });
      const { store, log, failures } = await open(disk);
      expect(await survey(log)).toEqual({ read: recordCount, lost: [] });
      expect(failures).toEqual([]);
      await store.close();
    });

    it('is named by a verification, which goes on', async () => {
      const disk = await workedDisk();
      disk.spoil(path, { from: 0, to: 4096 });
      const { logs, damages } = await verifyStore(disk, directory, { ...readOnly, ...isolating });
      expect(new Set(damages.map(({ range }) => range.file))).toEqual(new Set([path]));
      expect(logs.map(({ records }) => records)).toEqual([1, recordCount]);
    });
  },
);

it('a manifest that the disk does not open, alone, is no folder for a new store', async () => {
  const disk = await workedDisk();
  await disk.remove(`${directory}/MANIFEST.copy`);
  disk.failures = [
    { operation: 'open', nth: 1, lasting: true, under: `${directory}/MANIFEST`, code: 'EIO' },
  ];
  await expect(open(disk)).rejects.toMatchObject({ code: 'damaged' });
});
