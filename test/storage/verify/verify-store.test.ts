import { DiskFailure } from '../../../storage/faults/storage-errors.js';
import { logTagOf } from '../../../storage/format/record-batch.js';
import { hashTerm } from '../../../storage/index/key-index.js';
import { SegmentIndex } from '../../../storage/index/segment-index.js';
import { parseCopy } from '../../../storage/manifest/manifest-format.js';
import {
  type Verification,
  type VerifyProgress,
  verifyStore,
} from '../../../storage/verify/verify-store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { rounds } from '../rounds.js';
import { directory, openSimulated, readOnly, settle } from '../simulated-store.js';

/** Two logs, one of them with sealed segments, everything acknowledged. */
async function workedDisk(stop: 'cleanly' | 'kill', isCompacted = false) {
  const disk = new SimulatedDisk(new SeededRandom(5));
  const { store, timers } = await openSimulated(disk, { segmentBytes: 400 });
  const journal = await store.createLog('journal');
  const topic = await store.createLog('topic');
  for (let index = 0; index < 5; index += 1) {
    const record = { key: Buffer.from('k'), value: Buffer.alloc(30, index + 1) };
    await journal.append([{ ...record, terms: ['run-1', `step-${index}`] }]).durable;
  }
  await topic.append([{ key: null, value: Buffer.from('one') }]).durable;
  if (isCompacted) {
    await journal.compact({ tombstonesBefore: 0 });
    await journal.roll();
    await journal.append([{ key: Buffer.from('k'), value: Buffer.from('last') }]).durable;
    await journal.compact({ tombstonesBefore: 0 });
  }
  await settle();
  timers.advance(25);
  await settle();
  if (stop === 'cleanly') await store.close();
  return { disk: disk.crash('nothing', 1), store, journal };
}

function verify(
  disk: SimulatedDisk,
  onProgress?: (progress: VerifyProgress) => void,
): Promise<Verification> {
  return verifyStore(disk, directory, readOnly, onProgress);
}

function flipped(disk: SimulatedDisk, path: string, at: number): SimulatedDisk {
  const damaged = disk.copy();
  damaged.damage(path, (bytes) => {
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    return bytes;
  });
  return damaged;
}

const filesOf = (disk: SimulatedDisk) =>
  [...disk.files()].filter(([, bytes]) => bytes.length > 0).map(([path]) => path);

describe('a store without damage', () => {
  it.each(['cleanly', 'kill'] as const)('is found intact after it stopped: %s', async (stop) => {
    const { disk } = await workedDisk(stop);
    const before = new Map(disk.files());
    const { logs, damages } = await verify(disk);
    expect(damages).toEqual([]);
    expect(logs).toMatchObject([
      { name: 'journal', startOffset: 0, endOffset: 5, batches: 5, records: 5, isDamaged: false },
      { name: 'topic', startOffset: 0, endOffset: 1, batches: 1, records: 1, isDamaged: false },
    ]);
    const { segments = 0, indexes = 0 } = logs[0] ?? {};
    expect(segments).toBeGreaterThan(1);
    expect(indexes).toBe(stop === 'cleanly' ? segments : segments - 1);
    expect(new Map(disk.files())).toEqual(before);
  });

  it('is found intact while its server writes, up to what is durable', async () => {
    const disk = new SimulatedDisk(new SeededRandom(6));
    const { store, timers } = await openSimulated(disk, { segmentBytes: 600 });
    const log = await store.createLog('journal', { preparesNextSegment: true });
    for (let count = 1; count <= 40; count += 1) {
      void log.append([{ key: null, value: Buffer.alloc(25, count) }]);
      const { logs, damages } = await verify(disk);
      expect(damages).toEqual([]);
      expect(logs[0]?.endOffset).toBeLessThanOrEqual(log.highWatermark);
      timers.advance(10);
    }
    await settle();
    expect(log.highWatermark).toBe(40);
    await store.close();
  });

  it('is not reported for a folder without a store', async () => {
    const disk = new SimulatedDisk(new SeededRandom(7));
    await disk.makeDirectory(directory);
    await expect(verify(disk)).rejects.toThrow(DiskFailure);
  });
});

/** Every byte takes half a minute and finds no more: `VERIFY_STRIDE=1 npm run jest -- verify`. */
const stride = Number(process.env['VERIFY_STRIDE'] ?? (rounds < 1 ? 13 : 7));

describe('damage', () => {
  it('is found anywhere in any file after a clean stop', async () => {
    const { disk } = await workedDisk('cleanly');
    const unnoticed: string[] = [];
    const blamed = new Set<string>();
    for (const path of filesOf(disk)) {
      const length = disk.files().get(path)?.length ?? 0;
      for (let at = stride % 5; at < length; at += stride) {
        const { damages } = await verify(flipped(disk, path, at));
        if (damages.length === 0) unnoticed.push(`${path} ${at}`);
        if (damages.some(({ range }) => range.file === path)) blamed.add(path);
      }
    }
    expect(unnoticed).toEqual([]);
    expect([...blamed].sort()).toEqual(filesOf(disk).sort());
  });

  it('is found anywhere in any file of a compacted log', async () => {
    const { disk, journal } = await workedDisk('cleanly', true);
    expect(journal.compactedUntil).toBe(5);
    const whole = await verify(disk);
    expect([whole.damages, whole.logs[0]?.records]).toEqual([[], 2]);
    const unnoticed: string[] = [];
    for (const path of filesOf(disk)) {
      const length = disk.files().get(path)?.length ?? 0;
      for (let at = stride % 5; at < length; at += stride) {
        const { damages } = await verify(flipped(disk, path, at));
        if (damages.length === 0) unnoticed.push(`${path} ${at}`);
      }
    }
    expect(unnoticed).toEqual([]);
  });

  it('is found anywhere in any segment after a kill', async () => {
    const { disk } = await workedDisk('kill');
    const unnoticed: string[] = [];
    for (const path of filesOf(disk).filter((name) => name.endsWith('.log'))) {
      const length = disk.files().get(path)?.length ?? 0;
      for (let at = stride % 5; at < length; at += stride) {
        const { damages } = await verify(flipped(disk, path, at));
        if (damages.length === 0) unnoticed.push(`${path} ${at}`);
      }
    }
    expect(unnoticed).toEqual([]);
  });

  it('is reported with file, range and last good offset, and hides no other damage', async () => {
    const { disk } = await workedDisk('cleanly');
    const [first = '', second = ''] = filesOf(disk).filter((path) => path.endsWith('.log'));
    const twice = flipped(flipped(disk, second, 180), first, 180);
    const { logs, damages } = await verify(twice);
    expect(damages.map(({ range }) => range)).toEqual([
      { file: first, from: 64, to: expect.any(Number), lastGoodOffset: null },
      { file: second, from: 64, to: expect.any(Number), lastGoodOffset: expect.any(Number) },
    ]);
    expect(logs.map(({ name, isDamaged }) => [name, isDamaged])).toEqual([
      ['journal', true],
      ['topic', false],
    ]);
  });

  it('includes a missing file, except for an index, which is rebuilt', async () => {
    const { disk } = await workedDisk('cleanly');
    for (const path of filesOf(disk)) {
      const without = disk.copy();
      await without.remove(path);
      const { damages, logs } = await verify(without);
      if (path.endsWith('.index')) {
        expect(damages).toEqual([]);
        expect(logs.some(({ indexes, segments }) => indexes < segments)).toBe(true);
      } else expect([path, damages.length > 0]).toEqual([path, true]);
    }
  });
});

describe('an index that is intact but wrong', () => {
  const index = `${directory}/logs/0000000000/0000000000.index`;

  /** A store whose first index was made by `forge` from the terms of its records, in order. */
  async function forged(forge: (terms: [term: string, offset: number][]) => void) {
    const disk = new SimulatedDisk(new SeededRandom(8));
    const { store } = await openSimulated(disk, { segmentBytes: 64 * 1024 });
    const log = await store.createLog('journal');
    const terms: [string, number][] = [];
    for (let offset = 0; offset < 20; offset += 1) {
      await log.append([{ key: null, value: null, terms: ['run-1', `step-${offset}`] }]).durable;
      terms.push(['run-1', offset], [`step-${offset}`, offset]);
    }
    await log.roll();
    await store.close();
    const manifest = parseCopy(disk.files().get(`${directory}/MANIFEST`) ?? Buffer.alloc(0));
    const segment = manifest?.state.logs[0]?.segments[0]?.end ?? null;
    if (manifest === null || segment === null) throw new Error('no sealed segment');
    const place = { logTag: logTagOf(manifest.storeId, 0), number: 0, segment };
    disk.damage(index, (bytes) => {
      const offsets = SegmentIndex.decode(bytes, place)?.offsets;
      const made = new SegmentIndex(offsets);
      forge(terms);
      for (const [term, offset] of terms) made.addTerm(hashTerm(term), offset);
      return made.encode(place);
    });
    return (await verify(disk)).damages;
  }

  it('is distinguished from a right one', async () => {
    expect(await forged(() => undefined)).toEqual([]);
  });

  it.each<[string, (terms: [string, number][]) => void]>([
    ['lacks a record', (terms) => terms.splice(7, 1)],
    ['leads to a record that lacks the term', (terms) => terms.splice(9, 0, ['step-0', 4])],
    ['leads to one record twice', (terms) => terms.splice(8, 0, ['run-1', 4])],
    ['has a term that no record carries', (terms) => terms.push(['run-2', 19])],
  ])('is reported as damage if it %s', async (_, forge) => {
    const damages = await forged(forge);
    expect(damages.map(({ range }) => range.file)).toEqual([index]);
  });
});

describe('a verification', () => {
  it('reads each entry of an index once, however many records carry one term', async () => {
    const disk = new SimulatedDisk(new SeededRandom(9));
    const { store } = await openSimulated(disk, { segmentBytes: 16 * 1024 * 1024 });
    const log = await store.createLog('journal');
    const records = Array.from({ length: 1000 }, () => ({
      key: null,
      value: null,
      terms: ['url'],
    }));
    for (let count = 0; count < 120; count += 1) await log.append(records).durable;
    await store.close();
    // Decoding the entries of a term again for each of its records would take minutes.
    const { logs, damages } = await verify(disk);
    expect([damages, logs[0]?.records, logs[0]?.indexes]).toEqual([[], 120_000, 1]);
  });

  it('reports its progress, up to the end', async () => {
    const { disk } = await workedDisk('cleanly');
    const seen: VerifyProgress[] = [];
    const { logs } = await verify(disk, (progress) => seen.push(progress));
    const lengths = logs.map(({ bytes }) => bytes);
    const total = lengths.reduce((sum, bytes) => sum + bytes);
    expect(seen.map(({ bytesTotal }) => bytesTotal)).toEqual(seen.map(() => total));
    expect(seen.map(({ bytes }) => bytes)).toContain(lengths[0]);
    expect(seen.at(-1)?.bytes).toBe(total);
  });
});
