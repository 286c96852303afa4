/**
 * Logs that are deleted and created again with the same name, on a node that re-reads part of the
 * shared log.
 */
import { LogClosed } from '../../../storage/faults/storage-errors.js';
import type { Store } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openFollower, openWriter } from '../../support/cluster/followed-engine.js';
import { until } from '../../support/cluster/test-cluster.js';
import { seed } from '../../support/seed.js';

const name = 'topic/t/0';

const newDisk = () => new SimulatedDisk(new SeededRandom(seed));

/** Creates the log once per number, with as many records, and deletes each but the last. */
async function livesOf(lives: readonly number[]) {
  const { store, batches, disk } = await openWriter(newDisk());
  for (const [life, records] of lives.entries()) {
    if (life > 0) await store.dropLog(name);
    const log = await store.createLog(name);
    for (let record = 0; record < records; record += 1) {
      const value = Buffer.from(`${life}-${record}`);
      await log.append([{ key: null, value }]).durable;
    }
  }
  return { batches, disk, values: await valuesOf(store) };
}

async function valuesOf(store: Store): Promise<string[]> {
  const log = store.log(name);
  if (log === undefined) return [];
  const batches = await log.read(log.startOffset);
  return batches.flatMap((batch) => batch.records().map(({ value }) => `${value}`));
}

it.each([
  ['a shorter one', [4, 2]],
  ['a longer one', [2, 5]],
  ['two later ones', [3, 4, 1]],
  ['none that has records', [3, 0]],
])('a deleted log is followed by %s wherever the power fails', async (_, lives) => {
  const { batches, values } = await livesOf(lives);
  const running = await openFollower(newDisk());
  // The folder has all entries up to here, and has noted that.
  await running.take(batches.slice(0, 1));
  const images: SimulatedDisk[] = [];
  running.disk.afterChange = () => images.push(running.disk.copy());
  for (const batch of batches.slice(1)) await running.take([batch]);
  running.disk.afterChange = null;
  expect(await valuesOf(running.store)).toEqual(values);
  expect(images.length).toBeGreaterThan(10);
  for (const [index, image] of [...images, running.disk].entries()) {
    const policy = crashPolicies[index % crashPolicies.length] ?? 'nothing';
    const again = await openFollower(image.crash(policy, index));
    await again.take(batches.slice(1));
    expect(await valuesOf(again.store)).toEqual(values);
    const restarted = await openFollower(again.disk.restart());
    expect(await valuesOf(restarted.store)).toEqual(values);
  }
});

it('a former owner of the shared log continues from before the deletion of a log', async () => {
  const { batches, disk, values } = await livesOf([6, 2, 1]);
  const again = await openFollower(disk.restart());
  await again.take(batches.slice(4));
  expect(await valuesOf(again.store)).toEqual(values);
});

it('an owner that gives up leaves the deletion of a log to the next one', async () => {
  const { batches, disk, store, leave } = await openWriter(newDisk());
  const log = await store.createLog(name);
  const values = ['0', '1', '2'];
  for (const value of values) await log.append([{ key: null, value: Buffer.from(value) }]).durable;
  leave();
  await expect(store.dropLog(name)).rejects.toThrow(LogClosed);
  const again = await openFollower(disk.restart());
  await again.take(batches.slice(1));
  expect(await valuesOf(again.store)).toEqual(values);
});

it('a log that takes records until it is deleted leaves none to other nodes', async () => {
  const { store, batches } = await openWriter(newDisk());
  const log = await store.createLog(name);
  const value = Buffer.from('record');
  const write = async () => {
    for (;;) {
      log.append([{ key: null, value }]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const ended = expect(write()).rejects.toThrow(LogClosed);
  await until(() => log.highWatermark > 0);
  await store.dropLog(name);
  await ended;
  const { store: followed, take } = await openFollower(newDisk());
  await take(batches);
  expect(followed.log(name)).toBeUndefined();
});
