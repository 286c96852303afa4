import { createHash } from 'node:crypto';
import type { StoreOptions } from '../../storage/store.js';
import { verifyStore } from '../../storage/verify/verify-store.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { type CrashPolicy, crashPolicies, SimulatedDisk } from '../simulation/simulated-disk.js';
import { rounds, stride } from './rounds.js';
import { directory, openSimulated } from './simulated-store.js';
import { StoreModel } from './store-model.js';
import { Workload } from './workload.js';

/** The random policies are drawn three times, the others have one outcome. */
const drawn = ['prefix', 'sectors', 'garbage'] as const;
const everyPolicy: readonly CrashPolicy[] = [...crashPolicies, ...drawn, ...drawn];

/** The options of a store that is only read. */
const reading: StoreOptions = {
  now: () => 0,
  randomBytes: (length) => Buffer.alloc(length),
  after: () => () => undefined,
  fsync: 'strict',
  onFailure: (error) => {
    throw error;
  },
};

interface Moment {
  readonly disk: SimulatedDisk;
  readonly model: StoreModel;
}

/** Works for a while and keeps the disk after every change, with the promises made by then. */
async function moments({ seed, steps, options = {}, work = 'run' }: Run) {
  const random = new SeededRandom(seed);
  const disk = new SimulatedDisk(new SeededRandom(seed + 1));
  // Every other workload runs as on a pool of threads: calls end in any order.
  disk.interleaves = seed % 2 === 0;
  const workload = new Workload(disk, random, options);
  const seen: Moment[] = [];
  disk.afterChange = () => {
    seen.push({ disk: disk.copy(), model: workload.model.copy() });
  };
  await workload[work](steps);
  disk.afterChange = null;
  return seen;
}

function fingerprint(disk: SimulatedDisk): string {
  const hash = createHash('sha1');
  for (const [path, bytes] of disk.files()) hash.update(path).update(bytes);
  return hash.digest('base64');
}

interface Run {
  readonly seed: number;
  readonly steps: number;
  readonly policies: readonly CrashPolicy[];
  readonly options?: Partial<StoreOptions>;
  /** Acknowledged records may be gone; their offsets must not be reused. */
  readonly lossAllowed?: boolean;
  /** The steps; default: random ones. */
  readonly work?: 'run' | 'runCompacting' | 'runTogether';
  /** `npm test` tries every other policy after each change. */
  readonly isSampled?: boolean;
}

/** Opens what a crash left, checks it and continues to work. */
async function recover(image: SimulatedDisk, model: StoreModel, run: Run, seed: number) {
  const { store, failures } = await openSimulated(image, run.options);
  await model.check(store, run.lossAllowed);
  const random = new SeededRandom(seed);
  for (const log of store.logs()) {
    await model.append(store, log.name, [{ key: null, value: random.bytes(20) }]);
  }
  if (failures.length > 0) throw failures[0];
  return store;
}

/** A second power cut must find the same; a clean stop must be found clean. */
async function recoverTwice(image: SimulatedDisk, model: StoreModel, run: Run, seed: number) {
  await recover(image, model, run, seed);
  const again = image.crash('nothing', seed);
  const second = await openSimulated(again, run.options);
  await model.check(second.store, run.lossAllowed);
  await second.store.close();
  if (again.openPaths.length > 0) throw new Error(`left open: ${again.openPaths.join()}`);
  if (seed % 4 !== 0) return;
  const third = await openSimulated(again, run.options);
  if (!third.store.report.wasClean) throw new Error('a closed store did not open as closed');
  await model.check(third.store);
  const { damages } = await verifyStore(again, directory, { ...reading, readOnly: true });
  if (damages[0] !== undefined) throw damages[0];
}

/** Power cuts after every change of a recovery, each recovered again. */
async function crashTheRecovery(image: SimulatedDisk, model: StoreModel, run: Run, seed: number) {
  const later: Moment[] = [];
  const promised = model.copy();
  image.afterChange = () => {
    later.push({ disk: image.copy(), model: promised.copy() });
  };
  await recover(image, promised, run, seed);
  image.afterChange = null;
  for (const { disk, model: then } of later) {
    for (const policy of ['nothing', 'everything', 'sectors'] as const) {
      const left = disk.crash(policy, seed);
      if (isNew(left, then)) await recoverTwice(left, then.copy(), run, seed);
    }
  }
}

const images = new Set<string>();

function isNew(image: SimulatedDisk, model: StoreModel): boolean {
  const key = `${fingerprint(image)} ${model.key}`;
  if (images.has(key)) return false;
  images.add(key);
  return true;
}

async function crashEverywhere(run: Run): Promise<void> {
  const { seed, steps, policies, isSampled = false } = run;
  for (const [at, { disk, model }] of (await moments(run)).entries()) {
    for (const [index, policy] of policies.entries()) {
      if (isSampled && (at + index) % stride(2) !== 0) continue;
      const crashSeed = (seed * 1000 + at) * 100 + index;
      const image = disk.crash(policy, crashSeed);
      if (!isNew(image, model)) continue;
      try {
        if (crashSeed % 97 === 0) await crashTheRecovery(image.copy(), model, run, crashSeed);
        await recoverTwice(image, model.copy(), run, crashSeed);
      } catch (error) {
        const where = `seed ${seed}, ${steps} steps, change ${at}, policy ${policy}`;
        throw new Error(`${where}: ${error instanceof Error ? error.stack : error}`);
      }
    }
  }
}

describe('a crash after any change of the disk', () => {
  it('loses nothing acknowledged and invents nothing, in small workloads', async () => {
    for (let seed = 1; seed <= 110 * rounds; seed += 1) {
      await crashEverywhere({ seed, steps: 1 + (seed % 4), policies: everyPolicy });
    }
  }, 1_800_000);

  it('loses nothing acknowledged and invents nothing, in long workloads', async () => {
    for (let seed = 1001; seed <= 1000 + Math.ceil(3 * rounds); seed += 1) {
      await crashEverywhere({ seed, steps: 30, policies: crashPolicies, isSampled: true });
    }
  }, 1_800_000);

  it('loses nothing acknowledged if groups of many logs are written ahead', async () => {
    for (let seed = 6001; seed <= 6000 + 15 * rounds; seed += 1) {
      // Small halves: each workload changes halves several times.
      const options = {
        writeAheadBytes: 1200 + (seed % 4) * 900,
        syncsApart: seed % 3 === 0 ? 1 : 0,
        freeBytesMin: 0,
      };
      const run = { seed, steps: 4 + (seed % 9), policies: crashPolicies, options };
      await crashEverywhere({ ...run, work: 'runTogether', isSampled: true });
    }
  }, 1_800_000);

  it('leaves the old segments or the new ones if it meets a compaction', async () => {
    for (let seed = 4001; seed <= 4000 + Math.ceil(2 * rounds); seed += 1) {
      const options = { segmentBytes: 400 + (seed % 5) * 300, compactionKeysMax: 1 + (seed % 4) };
      const run = {
        seed,
        steps: 2,
        policies: crashPolicies,
        options,
        work: 'runCompacting',
      } as const;
      await crashEverywhere({ ...run, isSampled: true });
    }
  }, 1_800_000);

  it('loses only moments in the lazy modes, and never reuses their offsets', async () => {
    const modes = [{ intervalMs: 100 }, 'os'] as const;
    for (let seed = 2001; seed <= 2000 + 20 * rounds; seed += 1) {
      const options = { fsync: modes[seed % 2] ?? 'os', leaseOffsets: 8 };
      const run = { seed, steps: 4, policies: crashPolicies, options, lossAllowed: true };
      await crashEverywhere(run);
    }
  }, 1_800_000);

  it('loses nothing if it is a kill -9, in any mode', async () => {
    for (const fsync of ['strict', { intervalMs: 100 }, 'os'] as const) {
      for (let seed = 3001; seed <= 3000 + 20 * rounds; seed += 1) {
        const run = { seed, steps: 4, policies: [], options: { fsync, leaseOffsets: 8 } };
        for (const { disk, model } of await moments(run)) {
          await recover(disk.restart(), model.copy(), run, seed);
        }
      }
    }
  }, 1_800_000);

  it('does not prevent a start if only a later part of one write is on disk', async () => {
    const disk = new SimulatedDisk(new SeededRandom(5001));
    const { store } = await openSimulated(disk);
    const model = new StoreModel();
    await model.createLog(store, 'journal', true);
    await model.append(store, 'journal', [{ key: null, value: Buffer.alloc(20, 1) }]);
    const seen: Moment[] = [];
    disk.afterChange = () => seen.push({ disk: disk.copy(), model: model.copy() });
    // Each is a batch of its own, and all are one write.
    const large = { key: null, value: Buffer.alloc(17_000, 2) };
    await Promise.all([1, 2, 3].map(() => model.append(store, 'journal', [large])));
    disk.afterChange = null;
    expect(seen.length).toBeGreaterThan(2);
    const run = { seed: 5001, steps: 1, policies: ['sectors'] } as const;
    for (const moment of seen) {
      for (let seed = 0; seed < 20; seed += 1) {
        const image = moment.disk.crash('sectors', seed);
        await recover(image, moment.model.copy(), run, seed);
      }
    }
  }, 600_000);

  it(`was tried on at least ${20_000 * Math.min(rounds, 1)} distinct images`, () => {
    console.log(`${images.size} distinct crash images`);
    expect(images.size).toBeGreaterThanOrEqual(20_000 * Math.min(rounds, 1));
  });
});
