import { DamagedData } from '../../storage/faults/storage-errors.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { rounds, stride } from './rounds.js';
import { openSimulated, settle } from './simulated-store.js';
import { StoreModel } from './store-model.js';

/** Every fifth or seventh bit is tried, so that each byte has one; all in a longer run. */
const bitStep = rounds > 1 ? 1 : rounds < 1 ? 7 : 5;

const stops = ['cleanly', 'kill', 'cleanly, compacted'] as const;

interface Worked {
  readonly disk: SimulatedDisk;
  readonly model: StoreModel;
  /** What is there. */
  readonly offsets: readonly number[];
}

/** A log with sealed segments and a growing one, everything in it acknowledged. */
async function workedDisk(stop: (typeof stops)[number], fill = 0): Promise<Worked> {
  const disk = new SimulatedDisk(new SeededRandom(5));
  const model = new StoreModel();
  const { store, timers } = await openSimulated(disk, { segmentBytes: 400 });
  await model.createLog(store, 'journal', true);
  for (let index = 0; index < 4; index += 1) {
    const value = Buffer.alloc(20, fill + index + 1);
    const key = Buffer.from(`key-${index % 2}`);
    await model.append(store, 'journal', [{ key, value, terms: ['run-1'] }]);
  }
  await settle();
  timers.advance(25);
  await settle();
  if (stop === 'cleanly, compacted') {
    await store.log('journal')?.roll();
    await model.compact(store, 'journal', 0);
    await model.append(store, 'journal', [{ key: null, value: null, terms: ['run-1'] }]);
    await store.close();
    // A manifest of one edit: there are fewer bits to flip.
    await (await openSimulated(disk, { segmentBytes: 400 })).store.close();
  } else if (stop === 'cleanly') await store.close();
  const offsets = stop === 'cleanly, compacted' ? [2, 3, 4] : [0, 1, 2, 3];
  return { disk: disk.crash('nothing', 1), model, offsets };
}

/** The reaction of a store to a damaged file: it refuses to open or read, or nothing is missing. */
async function verdict({ disk, model, offsets }: Worked): Promise<'refused' | 'whole'> {
  try {
    const { store } = await openSimulated(disk);
    await model.check(store);
    const journal = store.log('journal');
    const found: number[] = [];
    if (journal !== undefined) for await (const offset of journal.find('run-1')) found.push(offset);
    if (found.join() !== offsets.join()) throw new Error(`the key index found ${found.join()}`);
    if ((await journal?.offsetFor(0)) !== offsets[0]) throw new Error('the time index is wrong');
    return 'whole';
  } catch (error) {
    if (error instanceof DamagedData) return 'refused';
    throw error;
  }
}

function everyFile(disk: SimulatedDisk): string[] {
  return [...disk.files()].filter(([, bytes]) => bytes.length > 0).map(([path]) => path);
}

describe.each(stops)('a store that was stopped: %s', (stop) => {
  it('never loses a record silently to one flipped bit, in any file', async () => {
    const worked = await workedDisk(stop);
    const { disk, model } = worked;
    const verdicts = { refused: 0, whole: 0 };
    const refusing = new Set<string>();
    for (const path of everyFile(disk)) {
      // A clean start trusts the clean marker and does not read the watermarks.
      if (stop !== 'kill' && path.endsWith('WATERMARKS')) continue;
      // Its bits are those of the manifest, which are flipped once.
      if (stop === 'cleanly, compacted' && path.endsWith('MANIFEST.copy')) continue;
      const length = disk.files().get(path)?.length ?? 0;
      expect(length).toBeLessThanOrEqual(2048);
      for (let bit = 0; bit < length * 8; bit += bitStep) {
        const damaged = disk.copy();
        damaged.damage(path, (bytes) => {
          const at = bit >> 3;
          bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
          return bytes;
        });
        const found = await verdict({ ...worked, disk: damaged, model: model.copy() }).catch(
          (error: unknown) => {
            throw new Error(`${path}, bit ${bit}: ${error}`);
          },
        );
        verdicts[found] += 1;
        if (found === 'refused') refusing.add(path);
      }
    }
    console.log(`${stop}: ${verdicts.refused + verdicts.whole} flipped bits`);
    expect([...refusing].filter((path) => path.endsWith('.log')).length).toBeGreaterThan(1);
  }, 600_000);

  it('never loses a record silently to a file cut at any length', async () => {
    const worked = await workedDisk(stop);
    const { disk, model } = worked;
    const verdicts = { refused: 0, whole: 0 };
    for (const path of everyFile(disk)) {
      const length = disk.files().get(path)?.length ?? 0;
      for (let cut = 0; cut < length; cut += stride(5)) {
        const damaged = disk.copy();
        damaged.damage(path, (bytes) => bytes.subarray(0, cut));
        const found = await verdict({ ...worked, disk: damaged, model: model.copy() }).catch(
          (error: unknown) => {
            throw new Error(`${path}, cut to ${cut}: ${error}`);
          },
        );
        verdicts[found] += 1;
      }
    }
    expect(verdicts.refused).toBeGreaterThan(0);
  }, 600_000);

  it('never loses a record silently to a missing file', async () => {
    const worked = await workedDisk(stop);
    const { disk, model } = worked;
    for (const path of everyFile(disk)) {
      const without = disk.copy();
      await without.remove(path);
      const found = await verdict({ ...worked, disk: without, model: model.copy() });
      expect(`${path} ${found}`).toBe(`${path} ${path.endsWith('.log') ? 'refused' : 'whole'}`);
    }
  });

  it('is neither begun again nor cleaned up if its manifest is lost or stale', async () => {
    const worked = await workedDisk(stop);
    const young = new SimulatedDisk(new SeededRandom(5));
    await openSimulated(young, { segmentBytes: 400 });
    for (const kind of ['gone', 'stale'] as const) {
      const disk = worked.disk.copy();
      for (const path of ['/data/MANIFEST', '/data/MANIFEST.copy']) {
        if (kind === 'gone') await disk.remove(path);
        else disk.damage(path, () => Buffer.from(young.files().get(path) ?? []));
      }
      const logs = () => [...disk.files()].filter(([path]) => path.startsWith('/data/logs/'));
      const before = logs();
      expect([kind, await verdict({ ...worked, disk })]).toEqual([kind, 'refused']);
      expect(logs()).toEqual(before);
    }
  });

  it('refuses a batch that is intact but of another history of the same log', async () => {
    const worked = await workedDisk(stop);
    const { disk } = worked;
    const { disk: other } = await workedDisk(stop, 100);
    const [path = ''] = everyFile(disk).filter((name) => name.endsWith('.log'));
    const foreign = other.files().get(path);
    const second = foreign?.indexOf('SWRB', 65) ?? 0;
    expect(second).toBeGreaterThan(64);
    disk.damage(path, (bytes) => {
      foreign?.copy(bytes, 64, 64, second);
      return bytes;
    });
    expect(await verdict(worked)).toBe('refused');
  });

  it('refuses the file of another segment under its name', async () => {
    const worked = await workedDisk(stop);
    const { disk } = worked;
    const [first = '', second = ''] = everyFile(disk).filter((name) => name.endsWith('.log'));
    const later = disk.files().get(second);
    disk.damage(first, (bytes) => later ?? bytes);
    expect(await verdict(worked)).toBe('refused');
  });
});
