import { dirname } from 'node:path';
import { NotArchived } from '../../../storage/compaction/segment-archive.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import { writeAside } from '../../../storage/disk/whole-file.js';
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import { BatchScan } from '../../../storage/format/batch-scan.js';
import { decodeRecords } from '../../../storage/format/record.js';
import { logTagOf } from '../../../storage/format/record-batch.js';
import {
  decodeSegmentHeader,
  segmentFooterLength,
  segmentHeaderLength,
} from '../../../storage/format/segment-format.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { directory, openSimulated } from '../simulated-store.js';

const folder = '/archive';
const records = 60;

async function start(disk = new SimulatedDisk(new SeededRandom(1))) {
  await disk.makeDirectory(folder);
  await disk.syncDirectory('/');
  const { store } = await openSimulated(disk);
  return { disk, store, log: await store.createLog('events') };
}

async function fill(log: PartitionLog): Promise<void> {
  while (log.endOffset < records) {
    await log.append([{ key: null, value: Buffer.from(`${log.endOffset}`.padEnd(40)) }]).durable;
  }
  await log.roll();
}

/** Every fourth record is kept. */
const sweep = (log: PartitionLog, from = 0) =>
  log.sweep({
    until: log.highWatermark,
    keeps: ({ offset }) => offset % 4 === 0,
    settled: async () => undefined,
    archive: { folder, from },
  });

async function offsetsOf(log: PartitionLog): Promise<ReadonlySet<number>> {
  const offsets = new Set<number>();
  for (let at = log.startOffset; at < log.highWatermark; ) {
    for (const batch of await log.read(at)) {
      for (const { offset } of batch.records()) offsets.add(offset);
      at = batch.nextOffset;
    }
  }
  return offsets;
}

const copies = (disk: SimulatedDisk) =>
  [...disk.files().keys()].filter((path) => path.startsWith(folder) && path.endsWith('.log'));

/** The values of all records in complete copies, by offset; throws if a copy is not intact. */
async function archived(disk: SimulatedDisk): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const path of copies(disk)) {
    const bytes = disk.files().get(path) ?? Buffer.alloc(0);
    const header = decodeSegmentHeader(bytes.subarray(0, segmentHeaderLength));
    if (header === null) throw new Error(`${path} has no header`);
    const limit = bytes.length - segmentFooterLength;
    const file = await disk.open(path, 'read');
    const scan = new BatchScan({
      disk,
      file,
      position: segmentHeaderLength,
      limit,
      logTag: logTagOf(header.storeId, header.logId),
      chain: header.chainSeed,
      chunkBytes: 4096,
    });
    for (let batches = await scan.next(); batches.length > 0; batches = await scan.next()) {
      for (const { header: batch, body } of batches) {
        for (const { offset, value } of decodeRecords(body, batch.baseOffset)) {
          found.set(offset, `${value}`.trim());
        }
      }
    }
    if (scan.position !== limit) throw new Error(`${path}: ${scan.fault}`);
    await disk.close(file);
  }
  return found;
}

async function put(disk: SimulatedDisk, path: string, bytes: Buffer): Promise<void> {
  await disk.makeDirectory(dirname(path));
  await writeAside(disk, path, bytes);
}

describe('an archive', () => {
  it('has every record that a sweep has removed, as it was appended', async () => {
    const { disk, log } = await start();
    await fill(log);
    const { archivedBytes, removedRecords } = await sweep(log);
    expect(removedRecords).toBe(45);
    const found = await archived(disk);
    expect([...found]).toEqual(Array.from({ length: records }, (_, at) => [at, `${at}`]));
    const sizes = copies(disk).map((path) => disk.files().get(path)?.length ?? 0);
    expect(archivedBytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
  });

  it('gets no segment below its start, and only reads a segment that it has', async () => {
    const { disk, log } = await start();
    await fill(log);
    const middle = log.segments[2]?.nextOffset ?? 0;
    await sweep(log, middle);
    const found = [...(await archived(disk)).keys()];
    expect(Math.min(...found)).toBe(middle);

    const again = await start();
    await fill(again.log);
    const first = await again.log.sweep({
      until: again.log.highWatermark,
      keeps: () => true,
      settled: async () => undefined,
      archive: { folder, from: 0 },
    });
    expect(first.archivedBytes).toBeGreaterThan(0);
    expect((await sweep(again.log)).archivedBytes).toBeLessThan(first.archivedBytes);
  });

  it('has every record that a sweep has removed, wherever the power is cut', async () => {
    const original = await start();
    await fill(original.log);
    const images: SimulatedDisk[] = [];
    original.disk.afterChange = () => images.push(original.disk.copy());
    await sweep(original.log);
    original.disk.afterChange = null;
    expect(images.length).toBeGreaterThan(50);
    for (const [index, image] of images.entries()) {
      const policy = crashPolicies[index % crashPolicies.length] ?? 'nothing';
      const crashed = image.crash(policy, index);
      const found = await archived(crashed);
      const { store } = await openSimulated(crashed);
      const log = store.log('events');
      if (log === undefined) throw new Error('the log is lost');
      const left = await offsetsOf(log);
      for (let offset = 0; offset < records; offset += 1) {
        if (!left.has(offset)) expect(found.get(offset)).toBe(`${offset}`);
      }
      await sweep(log);
      expect((await archived(crashed)).size).toBe(records);
      await store.close();
    }
  }, 60_000);

  it('keeps a complete copy made by another store of its id, and no other copy', async () => {
    const other = await start();
    // Its segments end where those here end, but are other files.
    await other.log.append([{ key: null, value: Buffer.from('0'.padEnd(40, '.')) }]).durable;
    await fill(other.log);
    await sweep(other.log);
    const { disk, log } = await start();
    await fill(log);
    const [path = '', damaged = ''] = copies(other.disk);
    const bytes = (name: string) => other.disk.files().get(name) ?? Buffer.alloc(0);
    for (const name of [path, damaged]) await put(disk, name, bytes(name));
    disk.damage(damaged, (found) => {
      found[200] = (found[200] ?? 0) ^ 1;
      return found;
    });
    const aside = new Set<string>();
    disk.afterChange = () => {
      for (const name of disk.files().keys()) if (name.endsWith('.partial')) aside.add(name);
    };
    await log.sweep({
      until: log.highWatermark,
      keeps: ({ offset }) => offset % 4 === 0,
      settled: async () => undefined,
      archive: { folder, from: 0, writer: 'node' },
    });
    disk.afterChange = null;
    expect(disk.files().get(path)).toEqual(bytes(path));
    expect((await archived(disk)).size).toBe(records);
    expect(aside.size).toBeGreaterThan(1);
    for (const name of aside) expect(name).toMatch(/\.log\.node\.partial$/);
  });

  it('leaves all records in the log if a copy differs from its segment', async () => {
    const { disk, log } = await start();
    await fill(log);
    const { segments } = log;
    disk.damage(new StoreDirectory(directory).segment(log.id, 0), (bytes) => {
      bytes[200] = (bytes[200] ?? 0) ^ 1;
      return bytes;
    });
    await expect(sweep(log)).rejects.toThrow(NotArchived);
    await expect(sweep(log)).rejects.toThrow(/is not what the segment was sealed as/);
    expect(copies(disk)).toEqual([]);
    expect(log.segments).toEqual(segments);
  });

  it('leaves all records in the log, which continues, if the folder is gone', async () => {
    const { disk, store, log } = await start();
    await fill(log);
    await disk.removeDirectory(folder);
    await expect(sweep(log)).rejects.toThrow(NotArchived);
    await expect(sweep(log)).rejects.not.toThrow(DiskFull);
    expect((await offsetsOf(log)).size).toBe(records);
    await log.append([{ key: null, value: Buffer.from('60') }]).durable;
    await store.close();
  });
});
