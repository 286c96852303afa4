import { createHash } from 'node:crypto';
import { SeededRandom } from '../simulation/seeded-random.js';
import { type CrashPolicy, crashPolicies, SimulatedDisk } from '../simulation/simulated-disk.js';
import { openSimulated } from './simulated-store.js';
import type { StoreModel } from './store-model.js';
import { Workload } from './workload.js';

const rounds = Number(process.env['STEPWELL_TEST_ROUNDS'] ?? 1);

interface Moment {
  readonly disk: SimulatedDisk;
  readonly model: StoreModel;
}

/** Works for a while and remembers the disk after every change, with what was promised then. */
async function moments(seed: number, steps: number): Promise<Moment[]> {
  const random = new SeededRandom(seed);
  const disk = new SimulatedDisk(random);
  const workload = new Workload(disk, random);
  const seen: Moment[] = [];
  disk.afterChange = () => {
    seen.push({ disk: disk.copy(), model: workload.model.copy() });
  };
  await workload.run(steps);
  disk.afterChange = null;
  return seen;
}

function fingerprint(disk: SimulatedDisk): string {
  const hash = createHash('sha1');
  for (const [path, bytes] of disk.files()) hash.update(path).update(bytes);
  return hash.digest('base64');
}

/** Opens what a crash left, checks it, works on, loses power again, and checks that. */
async function recoverTwice(image: SimulatedDisk, model: StoreModel, seed: number): Promise<void> {
  const random = new SeededRandom(seed);
  const first = await openSimulated(image);
  await model.check(first.store);
  for (const log of first.store.logs()) {
    const records = [{ key: null, value: random.bytes(20) }];
    await model.append(first.store, log.name, records);
  }
  const again = image.crash('nothing', seed);
  const second = await openSimulated(again);
  await model.check(second.store);
  await second.store.close();
  if (again.openPaths.length > 0) throw new Error(`left open: ${again.openPaths.join()}`);
  const third = await openSimulated(again);
  if (!third.store.report.wasClean) throw new Error('a closed store did not open as closed');
  await model.check(third.store);
}

const images = new Set<string>();

async function crashEverywhere(seed: number, steps: number, policies: readonly CrashPolicy[]) {
  for (const [at, { disk, model }] of (await moments(seed, steps)).entries()) {
    for (const policy of policies) {
      const crashSeed = seed * 1000 + at;
      const image = disk.crash(policy, crashSeed);
      const key = `${fingerprint(image)} ${model.key}`;
      if (images.has(key)) continue;
      images.add(key);
      try {
        await recoverTwice(image, model.copy(), crashSeed);
      } catch (error) {
        const where = `seed ${seed}, ${steps} steps, change ${at}, policy ${policy}`;
        throw new Error(`${where}: ${error instanceof Error ? error.stack : error}`);
      }
    }
  }
}

describe('a crash after any change of the disk', () => {
  it('loses nothing acknowledged and invents nothing, in small workloads', async () => {
    for (let seed = 1; seed <= 60 * rounds; seed += 1) {
      await crashEverywhere(seed, 1 + (seed % 4), crashPolicies);
    }
  }, 600_000);

  it('loses nothing acknowledged and invents nothing, in long workloads', async () => {
    for (let seed = 1001; seed <= 1000 + 6 * rounds; seed += 1) {
      await crashEverywhere(seed, 40, crashPolicies);
    }
  }, 600_000);

  it('was tried on at least 20,000 distinct images', () => {
    expect(images.size).toBeGreaterThanOrEqual(20_000);
  });
});
