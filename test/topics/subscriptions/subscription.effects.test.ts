/** Subscriptions follow their topics, wherever the power is cut. */
import type { Command } from '../../../src/engine/decider.js';
import { topicKind } from '../../../src/topics/topics/topic.events.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { PlannedCrash } from '../../simulation/simulated-server.js';
import { PushSimulation, second } from './push-simulation.js';

const onTopic = (simulation: PushSimulation, fields: { readonly type: string }): Command => ({
  ...fields,
  kind: topicKind,
  id: 'rides',
  at: simulation.server.clock.now(),
});
const grow = (simulation: PushSimulation, partitions: number) =>
  onTopic(simulation, { type: 'AlterTopic', changes: { partitions } } as { type: string });
const remove = (simulation: PushSimulation) => onTopic(simulation, { type: 'DeleteTopic' });

const partitionsOf = ({ subscriptions }: PushSimulation, name = 'push') =>
  subscriptions.stateOf(name).context.partitions;

/** Changes of the disk from a command to the end of its effects; the power is cut at each. */
const changes = Array.from({ length: 12 }, (_, index) => index + 1);

/** The simulation after a power cut at the `nth` change of the disk since the command. */
async function cutAt(
  nth: number,
  command: (simulation: PushSimulation) => Command,
): Promise<PushSimulation> {
  const simulation = await PushSimulation.build();
  await simulation.produce(0, 'a');
  await simulation.subscribe();
  await simulation.pass(second);
  const crash = new PlannedCrash(simulation.server.disk, new SeededRandom(nth), nth);
  const isDead = () => crash.hasHappened;
  simulation.world.isDark = isDead;
  void simulation.server.engine.dispatch([command(simulation)]);
  await simulation.pass(second, isDead);
  simulation.server.disk.afterChange = null;
  simulation.world.isDark = () => false;
  await simulation.restart(0, crash.image ?? undefined);
  await simulation.pass(second);
  return simulation;
}

describe('a subscription whose topic grows', () => {
  it('pushes the new partitions from their beginning', async () => {
    const simulation = await PushSimulation.build();
    await simulation.subscribe();
    await simulation.ask(grow(simulation, 5));
    await simulation.pass(second);
    expect(partitionsOf(simulation)).toBe(5);
    await simulation.produce(4, 'new');
    await simulation.pass(second);
    expect(simulation.bodies).toEqual(['new']);
  });

  it('pushes later what they get while it is paused', async () => {
    const simulation = await PushSimulation.build();
    await simulation.subscribe();
    await simulation.change({ type: 'PauseSubscription' });
    await simulation.ask(grow(simulation, 4));
    await simulation.pass(second);
    await simulation.produce(3, 'new');
    await simulation.pass(second);
    expect(simulation.bodies).toEqual([]);
    await simulation.change({ type: 'ResumeSubscription' });
    await simulation.pass(second);
    expect(simulation.bodies).toEqual(['new']);
  });

  it('grows with it after a power cut at any time', async () => {
    for (const nth of changes) {
      const simulation = await cutAt(nth, (each) => grow(each, 5));
      const partitions = simulation.partitionsOf('rides');
      expect([nth, partitionsOf(simulation)]).toEqual([nth, partitions]);
      await simulation.produce(partitions - 1, 'new');
      await simulation.pass(second);
      expect(simulation.bodies.at(-1)).toBe('new');
    }
  });
});

describe('a subscription whose topic is deleted', () => {
  it('is deleted with it, and no other subscription is', async () => {
    const simulation = await PushSimulation.build();
    await simulation.done(simulation.createTopic('fares'));
    await simulation.subscribe();
    await simulation.subscribe({}, {}, 'second');
    await simulation.subscribe({ topic: 'fares' }, {}, 'fares');
    await simulation.ask(remove(simulation));
    await simulation.pass(second);
    expect([...simulation.subscriptions.actors.ids()]).toEqual(['fares']);
    await simulation.done(simulation.createTopic('rides'));
    await simulation.produce(0, 'of another topic');
    await simulation.pass(second);
    expect(simulation.bodies).toEqual([]);
  });

  it('logs nothing about the records that the topic had before', async () => {
    const simulation = await PushSimulation.build();
    for (const partition of [0, 1, 2]) {
      await simulation.produce(partition, ...Array.from({ length: 40 }, (_, index) => `${index}`));
    }
    await simulation.subscribe();
    await simulation.pass(3);
    expect(simulation.bodies.length).toBeLessThan(120);
    await simulation.ask(remove(simulation));
    await simulation.pass(20 * second); // a push that failed would be tried again by then
    expect(simulation.bodies.length).toBeLessThan(120);
    expect([...simulation.subscriptions.actors.ids()]).toEqual([]);
  });

  it('exists as long as the topic, after a power cut at any time', async () => {
    for (const nth of changes) {
      const simulation = await cutAt(nth, remove);
      const exists = simulation.partitionsOf('rides') > 0;
      const names = [...simulation.subscriptions.actors.ids()];
      expect([nth, names]).toEqual([nth, exists ? ['push'] : []]);
    }
  });
});
