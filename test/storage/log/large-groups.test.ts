import type { Disk } from '../../../storage/disk/disk.js';
import { AppendGroup } from '../../../storage/log/append-group.js';
import { BufferPool } from '../../../storage/log/group-part.js';
import { openStore } from '../../../storage/store.js';
import { verifyStore } from '../../../storage/verify/verify-store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { directory, openSimulated, readOnly } from '../simulated-store.js';

const megabyte = 1024 * 1024;
const megabytes = [3, 0.01, 3, 9, 0.01, 0.01, 2, 3, 3];
const recordOf = (size: number, index: number) => ({
  key: null,
  value: Buffer.alloc(size * megabyte, index + 1),
  terms: [],
});

/** A simulated disk, and how many bytes each of its writes had. */
class MeasuredDisk extends SimulatedDisk {
  readonly written: number[] = [];

  override writeSynced(...args: Parameters<Disk['writeSynced']>): Promise<number> {
    this.written.push(args[1].length);
    return super.writeSynced(...args);
  }
}

describe('large records that are appended together', () => {
  it('take buffers of little more than their bytes', () => {
    const group = new AppendGroup(new BufferPool());
    for (const [index, size] of megabytes.entries()) group.append([recordOf(size, index)], 1000);
    group.close();
    const buffers = group.parts.map(({ buffer }) => buffer.length);
    expect(buffers.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(1.1 * group.byteLength);
    expect(buffers.filter((bytes) => bytes > 4.1 * megabyte)).toHaveLength(1);
  });

  it('are durable with one promise, and are read as they were appended', async () => {
    const disk = new MeasuredDisk(new SeededRandom(1));
    const groups: number[] = [];
    const { store } = await openSimulated(disk, {
      segmentBytes: 64 * megabyte,
      writtenBytesMax: 4 * megabyte,
      freeBytesMin: 0,
      onCommit: (records) => {
        groups.push(records);
        return () => undefined;
      },
    });
    const log = await store.createLog('journal', { preparesNextSegment: true });
    const appended = megabytes.map((size, index) => log.append([recordOf(size, index)]));
    await Promise.all(appended.map(({ durable }) => durable));
    expect(groups).toEqual([megabytes.length]);
    expect(disk.written.filter((bytes) => bytes > megabyte)).toHaveLength(6);

    await store.close();
    const restarted = disk.restart();
    expect((await verifyStore(restarted, directory, readOnly)).damages).toEqual([]);
    const again = await openStore(restarted, directory, readOnly);
    const read = again.log('journal');
    for (const [index, size] of megabytes.entries()) {
      const [batch] = (await read?.read(index, { maxBytes: 1 })) ?? [];
      const record = batch?.records().find(({ offset }) => offset === index);
      expect(record?.value?.equals(recordOf(size, index).value)).toBe(true);
    }
    await again.close();
  });
});
