import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openFollower, openWriter } from '../../support/cluster/followed-engine.js';
import { seed } from '../../support/seed.js';

const name = 'topic/t/0';

const newDisk = () => new SimulatedDisk(new SeededRandom(seed));

it('a follower that is stopped leaves to its next start what it has not begun', async () => {
  const { store, batches } = await openWriter(newDisk());
  const log = await store.createLog(name);
  const value = Buffer.alloc(1024 * 1024, 'x');
  for (let record = 0; record < 20; record += 1) await log.append([{ key: null, value }]).durable;
  const { follower, ...running } = await openFollower(newDisk());
  for (const batch of batches) follower.take(batch);
  await follower.stop();
  const followed = running.store.log(name)?.endOffset ?? 0;
  expect(followed).toBeLessThan(20);
  expect(follower.appliedSequence).toBeLessThanOrEqual(followed);
  await running.store.close();

  const again = await openFollower(running.disk.restart());
  await again.take(batches);
  expect(again.store.log(name)?.endOffset).toBe(20);
  expect(again.follower.appliedSequence).toBe(batches.length);
});
