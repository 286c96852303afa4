import { crc32 } from 'node:zlib';
import { slotLength, WatermarkFile } from '../../storage/manifest/watermarks.js';
import type { Store } from '../../storage/store.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { type ManualTimers, openSimulated, settle } from './simulated-store.js';

/** Appends a record, and lets its watermark be written. */
async function marked(store: Store, timers: ManualTimers): Promise<void> {
  await store.log('a')?.append([{ key: null, value: Buffer.alloc(40) }]).durable;
  timers.advance(25);
  await settle();
}

/** Renumbers the only watermark that was written to the last number that fits. */
function numberedLast(bytes: Buffer): Buffer {
  const slot = bytes.subarray(slotLength, 2 * slotLength);
  expect(slot.readUInt32LE(8)).toBe(1);
  slot.writeUInt32LE(2 ** 32 - 1, 8);
  slot.writeUInt32LE(crc32(slot.subarray(8, 48)), 4);
  return bytes;
}

it('watermarks continue after the highest number, and the newest of them counts', async () => {
  const disk = new SimulatedDisk(new SeededRandom(3));
  const before = await openSimulated(disk);
  await before.store.createLog('a');
  await marked(before.store, before.timers);
  await before.store.close();
  disk.damage('/data/WATERMARKS', numberedLast);
  const { store, timers, failures } = await openSimulated(disk);
  for (let count = 0; count < 3; count += 1) {
    await marked(store, timers);
    // All of it is known to have been on disk: nothing of it is written again.
    const after = await openSimulated(disk.restart());
    expect(after.store.report.logs).toMatchObject([{ nextOffset: 2 + count, rewrittenBytes: 0 }]);
    await after.store.close();
  }
  expect(failures).toEqual([]);
  await store.close();
});

/** Counts the bytes that are read. */
class CountingDisk extends SimulatedDisk {
  readBytes = 0;

  override async read(file: number, target: Buffer, position: number): Promise<number> {
    const read = await super.read(file, target, position);
    this.readBytes += read;
    return read;
  }
}

it.each([
  [2, 16 * 1024],
  [5000, 6 * 1024 * 1024],
])('no more is read than the watermarks of %i logs of 5000 need', async (logs, bytesMax) => {
  const disk = new CountingDisk(new SeededRandom(3));
  const watermarks = new WatermarkFile(disk, await disk.open('/WATERMARKS', 'create'));
  const mark = { segment: 0, durablePosition: 64, epoch: 1, durableOffset: 0, acknowledged: 0 };
  for (const id of [0, 4999]) await watermarks.write(id, { ...mark, logTag: id });
  const read = await watermarks.readingAll(logs, async () => [
    await watermarks.read(0, 0),
    await watermarks.read(4999, 4999),
  ]);
  expect(read).toMatchObject([{ logTag: 0 }, { logTag: 4999 }]);
  expect(disk.readBytes).toBeLessThan(bytesMax);
  // All of them come in one read.
  if (logs === 5000) expect(disk.calls.get('read')).toBe(1);
});

describe('what a start has written again', () => {
  /** A record that no watermark vouches for yet, and a start behind the crash; then another one. */
  async function startedAgain(): Promise<SimulatedDisk> {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { store } = await openSimulated(disk);
    const log = await store.createLog('a');
    await log.append([{ key: null, value: Buffer.alloc(40) }]).durable;
    const crashed = disk.crash('nothing', 1);
    const { store: started, failures } = await openSimulated(crashed);
    expect(started.report.logs).toMatchObject([{ nextOffset: 1, provenEnd: 0 }]);
    expect(failures).toEqual([]);
    return crashed.crash('nothing', 1);
  }

  it('is known to be there, though its log is not written to', async () => {
    const { store } = await openSimulated(await startedAgain());
    expect(store.report.logs).toMatchObject([{ nextOffset: 1, rewrittenBytes: 0 }]);
    await store.close();
  });

  it.each([10, 100, 180])('is no torn write where it is damaged at byte %i', async (at) => {
    const disk = await startedAgain();
    disk.damage('/data/logs/0000000000/0000000001.log', (bytes) => {
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    });
    await expect(openSimulated(disk)).rejects.toMatchObject({ code: 'damaged' });
  });
});

it.each([10, 100, 180])('a first write that is torn at byte %i is kept aside', async (at) => {
  const disk = new SimulatedDisk(new SeededRandom(3));
  const { store } = await openSimulated(disk);
  await (await store.createLog('a')).append([{ key: null, value: Buffer.alloc(40) }]).durable;
  const crashed = disk.crash('nothing', 1);
  let torn = Buffer.alloc(0);
  crashed.damage('/data/logs/0000000000/0000000000.log', (bytes) => {
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    torn = Buffer.from(bytes);
    return bytes;
  });
  const { store: started } = await openSimulated(crashed);
  expect(started.report.logs).toMatchObject([{ nextOffset: 0 }]);
  const [kept] = [...crashed.files()].filter(([path]) => path.startsWith('/data/quarantine/'));
  expect(kept?.[1]).toEqual(torn);
  await started.close();
});
