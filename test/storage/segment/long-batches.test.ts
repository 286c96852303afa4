import type { Disk } from '../../../storage/disk/disk.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated } from '../simulated-store.js';

const kibibyte = 1024;
const recordsInBatch = 500;
const recordBytes = 2 * kibibyte;
const batchBytes = recordsInBatch * recordBytes;

/** A simulated disk that counts what is read from it. */
class CountingDisk extends SimulatedDisk {
  bytes = 0;
  /** How many reads of a whole batch are under way, at most. */
  longAtOnce = 0;
  private long = 0;

  override async read(...args: Parameters<Disk['read']>): Promise<number> {
    const [, target] = args;
    this.bytes += target.length;
    const isLong = target.length >= batchBytes;
    if (isLong) this.long += 1;
    this.longAtOnce = Math.max(this.longAtOnce, this.long);
    try {
      // Others get their turn meanwhile.
      if (isLong) await new Promise((next) => setImmediate(next));
      return await super.read(...args);
    } finally {
      if (isLong) this.long -= 1;
    }
  }
}

async function filled(batches: number): Promise<{ disk: CountingDisk; log: PartitionLog }> {
  const disk = new CountingDisk(new SeededRandom(1));
  const { store } = await openSimulated(disk, { segmentBytes: 64 * kibibyte ** 2 });
  const log = await store.createLog('topic');
  for (let batch = 0; batch < batches; batch += 1) {
    const records = Array.from({ length: recordsInBatch }, (_, index) => {
      return { key: null, value: Buffer.alloc(recordBytes, (batch + index) % 250), terms: [] };
    });
    await log.append(records).durable;
  }
  disk.bytes = 0;
  return { disk, log };
}

async function valueAt(log: PartitionLog, offset: number): Promise<number | undefined> {
  const [batch] = await log.read(offset, { maxRecords: 1, maxBytes: kibibyte, once: true });
  return batch?.records()[0]?.value?.[0];
}

it('a long batch is read once by a reader of one record after the other', async () => {
  const { disk, log } = await filled(2);
  for (let offset = 0; offset < 2 * recordsInBatch; offset += 10) {
    const inBatch = offset % recordsInBatch;
    const batch = Math.floor(offset / recordsInBatch);
    expect(await valueAt(log, offset)).toBe((batch + inBatch) % 250);
  }
  // Each of the 100 reads begins with a small one, which shows how long the batch is.
  expect(disk.bytes).toBeLessThan(2.1 * batchBytes + 100 * 40 * kibibyte);
});

it('many readers share one read of a long batch, and few read different ones at once', async () => {
  const { disk, log } = await filled(6);
  const offsets = Array.from({ length: 60 }, (_, index) => (index % 6) * recordsInBatch + index);
  const values = await Promise.all(offsets.map((offset) => valueAt(log, offset)));
  expect(values).toEqual(offsets.map((offset, index) => ((index % 6) + (offset % 500)) % 250));
  expect(disk.bytes).toBeLessThan(6.2 * batchBytes + 60 * 40 * kibibyte);
  expect(disk.longAtOnce).toBe(2);
});

it('a long batch that cannot be read is read again by the next reader', async () => {
  const { disk, log } = await filled(1);
  let faults = 2;
  const read = disk.read.bind(disk);
  disk.read = async (...args) => {
    if (args[1].length < batchBytes || faults === 0) return read(...args);
    faults -= 1;
    throw Object.assign(new Error('cannot be read'), { code: 'EMFILE' });
  };
  for (let tries = 0; tries < 2; tries += 1) {
    await expect(valueAt(log, 1)).rejects.toThrow('cannot be read');
  }
  expect(await valueAt(log, 1)).toBe(1);
});
