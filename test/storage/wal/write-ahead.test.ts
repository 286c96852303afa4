import { readWalFile, type WalFolder } from '../../../storage/wal/wal-file.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { rounds } from '../rounds.js';
import { settle } from '../simulated-store.js';
import { id, KnownLog, openAhead } from './known-log.js';

/** Throws if a part is neither in the file of its log, nor in what a power cut leaves. */
async function requireAll(disk: SimulatedDisk, folder: WalFolder, logs: readonly KnownLog[]) {
  const left = await readWalFile({ ...folder, disk: disk.crash('nothing', 1) }, id);
  if (left?.fault != null) throw new Error(left.fault);
  const found = new Set(left?.parts.map(({ logId, position }) => `${logId}@${position}`));
  for (const { id, ahead, synced } of logs) {
    const lost = ahead.find(({ position, bytes }) => {
      return position + bytes.length > synced && !found.has(`${id}@${position}`);
    });
    if (lost !== undefined) throw new Error(`log ${id}: ${lost.position} is nowhere`);
  }
}

/** Throws if a power cut in the middle of a write looks like damage. */
async function requireReadable(images: readonly SimulatedDisk[], folder: WalFolder) {
  for (const [at, image] of images.entries()) {
    for (const policy of ['sectors', 'garbage'] as const) {
      const left = await readWalFile({ ...folder, disk: image.crash(policy, at) }, id);
      if (left?.fault != null) throw new Error(`${policy}, change ${at}: ${left.fault}`);
    }
  }
}

/** Random appends to a few logs whose files are synced at random times. */
async function work(seed: number) {
  const draw = new SeededRandom(seed);
  const disk = new SimulatedDisk(new SeededRandom(seed + 1));
  const { folder, ahead } = await openAhead(disk, 800 + draw.below(1600));
  const images: SimulatedDisk[] = [];
  disk.afterChange = () => images.push(disk.copy());
  const logs = Array.from({ length: 2 + draw.below(4) }, (_, id) => new KnownLog(id));
  for (let step = 0; step < 40; step += 1) {
    const appending = logs
      .filter(() => draw.chance(0.6))
      .map((log) => log.append(ahead, 1 + draw.below(draw.pick([60, 300]))));
    await settle();
    if (draw.chance(0.5)) draw.pick(logs).letSync();
    await settle();
    await requireAll(disk, folder, logs);
    // A log that waits for the sync of its own file waits for that alone.
    for (let tries = 0; tries < 50 && logs.some(({ isSyncing }) => isSyncing); tries += 1) {
      if (draw.chance(0.7)) break;
      draw.pick(logs).letSync();
      await settle();
      await requireAll(disk, folder, logs);
    }
    const all = Promise.all(appending).then(() => true);
    while (!(await Promise.race([all, settle().then(() => false)]))) {
      draw.pick(logs).letSync();
      await settle();
      await requireAll(disk, folder, logs);
    }
  }
  disk.afterChange = null;
  await requireReadable(images, folder);
  const stopped = ahead.stop().then(() => true);
  while (!(await Promise.race([stopped, settle().then(() => false)]))) draw.pick(logs).letSync();
  return logs.reduce((sum, { ahead: parts }) => sum + parts.length, 0);
}

/** A log whose file cannot be synced. */
class BrokenLog extends KnownLog {
  override sync(): Promise<void> {
    return Promise.reject(new Error('EIO'));
  }
}

describe('groups that are written ahead', () => {
  it('stay in the log for ever if the file of their segment cannot be synced', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { folder, ahead } = await openAhead(disk, 1200);
    const [broken, other] = [new BrokenLog(0), new KnownLog(1)];
    // The first of all makes the log.
    await broken.append(ahead, 10).catch(() => undefined);
    await settle();
    await broken.append(ahead, 10);
    for (let count = 0; count < 20; count += 1) {
      const appended = other.append(ahead, 100);
      await settle();
      other.letSync();
      await appended;
      await requireAll(disk, folder, [broken, other]);
    }
  });

  it('stay in the log until the file of their segment is synced', async () => {
    let parts = 0;
    for (let seed = 1; seed <= 100 * rounds; seed += 1) {
      try {
        parts += await work(seed);
      } catch (error) {
        throw new Error(`seed ${seed}: ${error}`);
      }
    }
    expect(parts).toBeGreaterThan(1000 * rounds);
  }, 120_000);
});
