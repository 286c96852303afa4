import { crc32 } from 'node:zlib';
import { slotLength } from '../../storage/manifest/watermarks.js';
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

/** The only watermark that was written, as the last one that its number has bits for. */
function numberedLast(bytes: Buffer): Buffer {
  const slot = bytes.subarray(slotLength, 2 * slotLength);
  expect(slot.readUInt32LE(8)).toBe(1);
  slot.writeUInt32LE(2 ** 32 - 1, 8);
  slot.writeUInt32LE(crc32(slot.subarray(8, 48)), 4);
  return bytes;
}

it('watermarks go on behind the last number, and the newest of them counts', async () => {
  const disk = new SimulatedDisk(new SeededRandom(3));
  const before = await openSimulated(disk);
  await before.store.createLog('a');
  await marked(before.store, before.timers);
  await before.store.close();
  disk.damage('/data/WATERMARKS', numberedLast);
  const { store, timers, failures } = await openSimulated(disk);
  for (let count = 0; count < 3; count += 1) {
    await marked(store, timers);
    // All of it is known to have been on the disk: nothing of it is written again.
    const after = await openSimulated(disk.restart());
    expect(after.store.report.logs).toMatchObject([{ nextOffset: 2 + count, rewrittenBytes: 0 }]);
    await after.store.close();
  }
  expect(failures).toEqual([]);
  await store.close();
});
