import { backupFolder } from '../../storage/backup/backup-folder.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';
import { verifyStore } from '../../storage/verify/verify-store.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { append, logOf } from './damaged-topic.js';
import { directory, openSimulated, readOnly, settle } from './simulated-store.js';

const never = Number.NEGATIVE_INFINITY;
const options = { segmentBytes: 530, reserveBytes: 4096, freeBytesMin: 0 };
const logDirectory = `${directory}/logs/0000000001`;

/** At its quota, a copy-on-write file system refuses to remove files with content, or all files. */
class QuotaDisk extends SimulatedDisk {
  refuses: 'nothing' | 'what holds bytes' | 'everything' = 'nothing';

  override async remove(path: string): Promise<void> {
    const holdsBytes = (this.files().get(path)?.length ?? 0) > 0;
    if (this.refuses === 'everything' || (this.refuses === 'what holds bytes' && holdsBytes)) {
      throw Object.assign(new Error(`EDQUOT: ${path}`), { code: 'EDQUOT' });
    }
    await super.remove(path);
  }
}

async function worked(disk: SimulatedDisk) {
  const opened = await openSimulated(disk, options);
  await append(await opened.store.createLog('journal'), 0);
  const log = await opened.store.createLog('topic');
  for (let offset = 0; offset < 30; offset += 1) await append(log, offset);
  await log.roll();
  opened.timers.advance(1000);
  await settle();
  return { ...opened, log };
}

async function offsetsOf(log: PartitionLog): Promise<number[]> {
  const offsets: number[] = [];
  for await (const offset of log.find('run-1')) offsets.push(offset);
  return offsets;
}

describe('a file that cannot be removed for lack of room', () => {
  it('is emptied first, and then removed, whatever removes it', async () => {
    const disk = new QuotaDisk(new SeededRandom(1));
    const { store, log, failures } = await worked(disk);
    disk.refuses = 'what holds bytes';
    expect(await log.trimTo(9)).toBe(9);
    await log.compact({ tombstonesBefore: never });
    const kept = await offsetsOf(log);
    expect(kept).toEqual([26, 27, 28, 29]);
    const listed = log.segments.length;
    const names = await disk.list(logDirectory);
    // One more was made ahead of time.
    expect(names.filter((name) => name.endsWith('.log'))).toHaveLength(listed + 1);
    expect(names.filter((name) => name.endsWith('.index'))).toHaveLength(listed);
    await store.dropLog('topic');
    expect(await disk.list(`${directory}/logs`)).toEqual(['0000000000']);
    expect(failures).toEqual([]);
    await store.close();
  });

  it('is left to the next start if that does not help', async () => {
    const disk = new QuotaDisk(new SeededRandom(1));
    const { store, log, failures } = await worked(disk);
    disk.refuses = 'everything';
    expect(await log.trimTo(9)).toBe(9);
    await log.compact({ tombstonesBefore: never });
    expect(failures).toEqual([]);
    const crashed = disk.crash('nothing', 1);
    disk.refuses = 'nothing';
    await store.close();
    for (const left of [disk, crashed]) {
      const again = await openSimulated(left, options);
      const topic = logOf(again.store);
      expect(await offsetsOf(topic)).toEqual([26, 27, 28, 29]);
      const logs = (await left.list(logDirectory)).filter((name) => name.endsWith('.log'));
      expect(logs.length).toBeLessThanOrEqual(topic.segments.length + 1);
      await again.store.close();
      expect((await verifyStore(left, directory, readOnly)).damages).toEqual([]);
    }
  });

  it('does not prevent a start', async () => {
    const disk = new QuotaDisk(new SeededRandom(1));
    const { store, log } = await worked(disk);
    disk.refuses = 'everything';
    await log.trimTo(9);
    await store.close();
    disk.refuses = 'what holds bytes';
    disk.freeBytes = 100;
    const again = await openSimulated(disk, options);
    expect([...disk.files().keys()]).not.toContain(`${directory}/RESERVE`);
    expect((await offsetsOf(logOf(again.store)))[0]).toBe(9);
    await again.store.close();
  });
});

describe('a file that a copy of the folder shares', () => {
  const damagesIn = async (disk: SimulatedDisk, folder: string) =>
    (await verifyStore(disk, folder, readOnly)).damages.map(({ message }) => message);

  it('keeps its bytes where it cannot be removed from the folder', async () => {
    const disk = new QuotaDisk(new SeededRandom(1));
    const { store, log, failures } = await worked(disk);
    await backupFolder(disk, directory, '/copy', readOnly);
    disk.refuses = 'what holds bytes';
    expect(await log.trimTo(9)).toBe(9);
    await log.compact({ tombstonesBefore: never });
    expect(await store.dropLog('topic')).toBe(true);
    expect(failures).toEqual([]);
    await store.close();
    expect(await damagesIn(disk, '/copy')).toEqual([]);
    disk.refuses = 'nothing';
    await (await openSimulated(disk, options)).store.close();
    expect(await disk.list(`${directory}/logs`)).toEqual(['0000000000']);
    expect(await damagesIn(disk, '/copy')).toEqual([]);
  });

  it('keeps its bytes where a copy has failed that cannot be removed', async () => {
    const disk = new QuotaDisk(new SeededRandom(1));
    const { store } = await worked(disk);
    disk.refuses = 'what holds bytes';
    const under = '/copy.partial/tmp';
    disk.failures = [{ operation: 'write', code: 'EDQUOT', nth: 1, under }];
    await expect(backupFolder(disk, directory, '/copy', readOnly)).rejects.toMatchObject({
      code: 'disk_full',
    });
    expect(await disk.list('/')).toEqual(['copy.partial', 'data']);
    expect(await damagesIn(disk, directory)).toEqual([]);
    disk.refuses = 'nothing';
    await backupFolder(disk, directory, '/copy', readOnly);
    expect(await disk.list('/')).toEqual(['copy', 'data']);
    await store.close();
  });
});

it('a compaction without room for the name of its segment leaves no index behind', async () => {
  const disk = new SimulatedDisk(new SeededRandom(1));
  const { store, log, failures } = await worked(disk);
  const before = await disk.list(logDirectory);
  const under = `${directory}/tmp/segment`;
  disk.failures = [{ operation: 'rename', code: 'ENOSPC', nth: 1, under }];
  await expect(log.compact({ tombstonesBefore: never })).rejects.toMatchObject({
    code: 'disk_full',
  });
  expect(await disk.list(logDirectory)).toEqual(before);
  expect(failures).toEqual([]);
  await store.close();
});

it('a copy without room for its watermarks is refused for that', async () => {
  const disk = new SimulatedDisk(new SeededRandom(1));
  const { store } = await worked(disk);
  const under = '/copy.partial/WATERMARKS';
  disk.failures = [{ operation: 'write', code: 'ENOSPC', nth: 1, under }];
  await expect(backupFolder(disk, directory, '/copy', readOnly)).rejects.toMatchObject({
    code: 'disk_full',
  });
  expect(await disk.list('/')).toEqual(['data']);
  await store.close();
});
