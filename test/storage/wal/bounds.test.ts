import { readWalFile } from '../../../storage/wal/wal-file.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { settle } from '../simulated-store.js';
import { id, KnownLog, openAhead } from './known-log.js';

const megabyte = 1024 * 1024;

/** A log whose file is synced as soon as that is requested. */
class QuickLog extends KnownLog {
  override async sync(): Promise<void> {
    this.synced = this.written;
  }
}

/** A write-ahead log that exists, with this many bytes. */
async function made(bytes: number) {
  const disk = new SimulatedDisk(new SeededRandom(1));
  const opened = await openAhead(disk, bytes);
  await new QuickLog(10_000).append(opened.ahead, 10);
  while (!disk.files().has('/data/WAL')) await settle();
  await settle();
  return { disk, ...opened };
}

const logsOf = (count: number) => Array.from({ length: count }, (_, id) => new KnownLog(id));
const quickLogs = (count: number) => Array.from({ length: count }, (_, id) => new QuickLog(id));

describe('writing ahead', () => {
  it('covers at most 256 logs, until their files are synced', async () => {
    const { ahead } = await made(megabyte);
    const logs = logsOf(300);
    const answers: boolean[] = [];
    for (const log of logs) {
      const appended = log.append(ahead, 10).then((isAhead) => answers.push(isAhead));
      await Promise.race([appended, settle()]);
    }
    const written = logs.filter((log) => log.ahead.length > 0);
    expect(written.length).toBeGreaterThan(250);
    expect(ahead.dirty.size).toBe(256);
    // One of those may continue.
    const [latest] = written.slice(-1);
    expect(await latest?.append(ahead, 10)).toBe(true);
    for (let tries = 0; tries < 400 && ahead.dirty.size > 128; tries += 1) {
      for (const log of logs) log.letSync();
      await settle();
    }
    expect(ahead.dirty.size).toBe(128);
    for (const log of logs) log.letSync();
    await ahead.stop();
  });

  it('continues in the other half if files are synced in time', async () => {
    const { disk, folder, ahead } = await made(2000);
    const logs = quickLogs(4);
    for (let count = 0; count < 100; count += 1) {
      const written = await Promise.all(logs.map((log) => log.append(ahead, 50)));
      expect(written).toEqual([true, true, true, true]);
      await settle();
    }
    // The half before the last change of halves is not needed.
    const left = await readWalFile({ ...folder, disk: disk.crash('nothing', 1) }, id);
    expect(left?.parts.length).toBeLessThan(14);
    await ahead.stop();
  });

  it('excludes groups of more than 64 KiB, and those larger than half of the log', async () => {
    const { ahead } = await made(megabyte);
    const [log] = quickLogs(1);
    expect(await log?.append(ahead, 64 * 1024)).toBe(true);
    expect(await log?.append(ahead, 64 * 1024 + 1)).toBe(false);
    await ahead.stop();
    const small = await made(2000);
    const [other] = quickLogs(1);
    // Beside its own header, the header of the entry and of two entries without groups.
    expect(await other?.append(small.ahead, 1000 - 16 - 3 * 48)).toBe(true);
    expect(await other?.append(small.ahead, 1000 - 16 - 3 * 48 + 1)).toBe(false);
    await small.ahead.stop();
  });

  it('uses entries of 4 MiB at most', async () => {
    const { disk, ahead } = await made(32 * megabyte);
    const before = disk.calls.get('write') ?? 0;
    await Promise.all(quickLogs(101).map((log) => log.append(ahead, 60 * 1024)));
    // The first one alone, and a hundred of 60 KiB.
    expect((disk.calls.get('write') ?? 0) - before).toBe(3);
    await ahead.stop();
  });

  it('expects more groups as long as groups come together', async () => {
    const { ahead } = await made(megabyte);
    const logs = quickLogs(3);
    await Promise.all(logs.map((log) => log.append(ahead, 10)));
    await settle();
    expect(ahead.isGathering).toBe(true);
    await logs[0]?.append(ahead, 10);
    await settle();
    expect(ahead.isGathering).toBe(false);
    await ahead.stop();
  });

  it('is refused once the store has failed, and no other file is synced then', async () => {
    const { ahead, fence } = await made(megabyte);
    const logs = logsOf(200);
    for (const log of logs) await log.append(ahead, 10);
    const syncing = () => logs.filter(({ isSyncing }) => isSyncing).length;
    expect(syncing()).toBe(1);
    fence.fail('a test', new Error('EIO'));
    await expect(logs[0]?.append(ahead, 10)).rejects.toThrow('a test');
    for (const log of logs) log.letSync();
    await settle();
    expect(syncing()).toBe(0);
    await ahead.stop();
  });
});

describe('a stop', () => {
  it('waits for running work, begins nothing, and leaves nothing open', async () => {
    const { disk, timers, ahead } = await made(megabyte);
    const logs = logsOf(200);
    for (const log of logs) await log.append(ahead, 10);
    const [last] = quickLogs(1);
    const appended = last?.append(ahead, 10);
    let isStopped = false;
    const stopped = ahead.stop().then(() => {
      isStopped = true;
    });
    expect(await appended).toBe(true);
    await settle();
    expect(isStopped).toBe(false);
    expect(await last?.append(ahead, 10)).toBe(false);
    for (const log of logs) log.letSync();
    await stopped;
    expect(logs.some(({ isSyncing }) => isSyncing)).toBe(false);
    expect(disk.openPaths.filter((path) => !path.includes('MANIFEST'))).toEqual([]);
    expect(timers.waiting).toBe(0);
  });

  it('waits for the entry that is being written', async () => {
    const { disk, ahead } = await made(2000);
    disk.interleaves = true;
    const appended = new QuickLog(0).append(ahead, 10);
    await ahead.stop();
    expect(await appended).toBe(true);
  });

  it('waits for the log that is being made, and does not try again', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { timers, ahead } = await openAhead(disk, 2000);
    await new QuickLog(0).append(ahead, 10);
    await ahead.stop();
    expect(disk.openPaths.filter((path) => !path.includes('MANIFEST'))).toEqual([]);
    const full = await openAhead(disk, 2000);
    disk.freeBytes = 0;
    await new QuickLog(0).append(full.ahead, 10);
    await settle();
    expect(full.timers.waiting).toBe(1);
    await full.ahead.stop();
    expect(full.timers.waiting + timers.waiting).toBe(0);
  });
});
