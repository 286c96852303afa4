/** No record is lost, and each becomes a message once, wherever the power is cut. */

import { SeededRandom } from '../../simulation/seeded-random.js';
import { answered } from '../../simulation/simulated-endpoints.js';
import { PlannedCrash, settled } from '../../simulation/simulated-server.js';
import { seed as firstSeed } from '../../support/seed.js';
import { minute, PushSimulation, second } from './push-simulation.js';

/**
 * For longer runs: `SIMULATION_SEEDS=1000 npm run jest -- test/topics/subscriptions/power-cuts`.
 */
const seeds = Number(process.env['SIMULATION_SEEDS'] ?? 4);
const cuts = 4;
const partitions = [0, 1, 2];

/** Number of power cuts during a write, in all tests of this file. */
let crashes = 0;

/** Runs one server after the other; some records fail once, some for good. */
async function push(seed: number): Promise<PushSimulation> {
  const random = new SeededRandom(seed);
  const simulation = await PushSimulation.build();
  simulation.world.answerTo = (body) =>
    answered(body.includes('bad') || random.chance(0.2) ? 500 : 200);
  const maxRecords = random.pick([1, 1, 3]);
  await simulation.subscribe({ maxRecords }, { maxRetries: 2, retryDelay: '1000' });
  for (let cut = 0; cut < cuts; cut += 1) {
    const crash = new PlannedCrash(simulation.server.disk, random, 1 + random.below(40));
    const isDead = () => crash.hasHappened;
    simulation.world.isDark = isDead;
    for (let step = 0; step < 12 && !isDead(); step += 1) {
      const log = await simulation.log(random.pick(partitions));
      const value = Buffer.from(`${cut}.${step}${random.chance(0.2) ? ' bad' : ''}`);
      void log.append([{ key: null, value }]).durable.catch(() => undefined);
      await settled();
      await simulation.pass(random.pick([0, 1, second]), isDead);
    }
    simulation.server.disk.afterChange = null;
    simulation.world.isDark = () => false;
    if (crash.hasHappened) crashes += 1;
    const disk = crash.image ?? simulation.server.disk.restart();
    await simulation.restart(random.pick([0, minute]), disk, seed + cut);
  }
  await simulation.pass(10 * minute);
  return simulation;
}

describe('a subscription whose server loses its power', () => {
  const numbers = Array.from({ length: seeds }, (_, index) => firstSeed + index);
  it.each(numbers)(
    'seed %i',
    async (seed) => {
      const simulation = await push(seed);
      const { pushes, published } = await simulation.journal();
      const messageIds = pushes.flatMap(({ event }) => event.messageIds);
      expect(published.map(({ id }) => id).sort()).toEqual([...messageIds].sort());
      expect(new Set(messageIds).size).toBe(messageIds.length);
      const arrived = new Set(simulation.world.calls.map(({ messageId }) => messageId));
      for (const id of messageIds) expect(arrived).toContain(id);
      for (const partition of partitions) {
        const own = pushes.filter(({ id }) => id === `push/${partition}`);
        const log = await simulation.log(partition);
        const ends = own.map(({ event }) => event.until);
        // Each push begins where the previous one ends, from the first record to the last.
        expect(own.map(({ event }) => event.from)).toEqual([0, ...ends].slice(0, own.length));
        expect(ends.at(-1) ?? 0).toBe(log.highWatermark);
        inOrder(
          simulation,
          own.map(({ event }) => event.messageIds[0] ?? ''),
        );
      }
    },
    120_000,
  );

  it('loses its power more than once per seed on average', () => {
    expect(crashes).toBeGreaterThan(seeds);
  });
});

/** Checks that no message is sent before the last attempt of the previous one. */
function inOrder({ world }: PushSimulation, messageIds: readonly string[]): void {
  const calls = world.calls.map(({ messageId }) => messageId);
  const own = calls.filter((id) => messageIds.includes(id));
  const order = own.filter((id, index) => own[index - 1] !== id);
  expect(order).toEqual(messageIds);
}
