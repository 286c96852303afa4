/** Subscriptions follow their topics, wherever the power goes. */
import type { Command } from '../../../src/engine/decider.js';
import { topicKind } from '../../../src/topics/topics/topic.events.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { PlannedCrash } from '../../simulation/simulated-server.js';
import { PushTown, second } from './push-town.js';

const onTopic = (town: PushTown, fields: { readonly type: string }): Command => ({
  ...fields,
  kind: topicKind,
  id: 'rides',
  at: town.server.clock.now(),
});
const grow = (town: PushTown, partitions: number) =>
  onTopic(town, { type: 'AlterTopic', changes: { partitions } } as { type: string });
const remove = (town: PushTown) => onTopic(town, { type: 'DeleteTopic' });

const partitionsOf = ({ subscriptions }: PushTown, name = 'push') =>
  subscriptions.stateOf(name).context.partitions;

/** Changes of the disk from a command to the end of what it causes; the power goes at each. */
const changes = Array.from({ length: 12 }, (_, index) => index + 1);

/** The town after a power cut at the `nth` change of the disk since the command. */
async function cutAt(nth: number, command: (town: PushTown) => Command): Promise<PushTown> {
  const town = await PushTown.build();
  await town.produce(0, 'a');
  await town.subscribe();
  await town.pass(second);
  const crash = new PlannedCrash(town.server.disk, new SeededRandom(nth), nth);
  const isDead = () => crash.hasHappened;
  town.world.isDark = isDead;
  void town.server.engine.dispatch([command(town)]);
  await town.pass(second, isDead);
  town.server.disk.afterChange = null;
  town.world.isDark = () => false;
  await town.restart(0, crash.image ?? undefined);
  await town.pass(second);
  return town;
}

describe('a subscription whose topic grows', () => {
  it('pushes the new partitions from their beginning', async () => {
    const town = await PushTown.build();
    await town.subscribe();
    await town.ask(grow(town, 5));
    await town.pass(second);
    expect(partitionsOf(town)).toBe(5);
    await town.produce(4, 'new');
    await town.pass(second);
    expect(town.bodies).toEqual(['new']);
  });

  it('keeps for later what they get while it is paused', async () => {
    const town = await PushTown.build();
    await town.subscribe();
    await town.change({ type: 'PauseSubscription' });
    await town.ask(grow(town, 4));
    await town.pass(second);
    await town.produce(3, 'new');
    await town.pass(second);
    expect(town.bodies).toEqual([]);
    await town.change({ type: 'ResumeSubscription' });
    await town.pass(second);
    expect(town.bodies).toEqual(['new']);
  });

  it('grows with it after a power cut at any time', async () => {
    for (const nth of changes) {
      const town = await cutAt(nth, (each) => grow(each, 5));
      const partitions = town.partitionsOf('rides');
      expect([nth, partitionsOf(town)]).toEqual([nth, partitions]);
      await town.produce(partitions - 1, 'new');
      await town.pass(second);
      expect(town.bodies.at(-1)).toBe('new');
    }
  });
});

describe('a subscription whose topic is deleted', () => {
  it('is deleted with it, and no other one is', async () => {
    const town = await PushTown.build();
    await town.done(town.createTopic('fares'));
    await town.subscribe();
    await town.subscribe({}, {}, 'second');
    await town.subscribe({ topic: 'fares' }, {}, 'fares');
    await town.ask(remove(town));
    await town.pass(second);
    expect([...town.subscriptions.actors.ids()]).toEqual(['fares']);
    await town.done(town.createTopic('rides'));
    await town.produce(0, 'of another topic');
    await town.pass(second);
    expect(town.bodies).toEqual([]);
  });

  it('says nothing of the records that it had before itself', async () => {
    const town = await PushTown.build();
    for (const partition of [0, 1, 2]) {
      await town.produce(partition, ...Array.from({ length: 40 }, (_, index) => `${index}`));
    }
    await town.subscribe();
    await town.pass(3);
    expect(town.bodies.length).toBeLessThan(120);
    await town.ask(remove(town));
    await town.pass(20 * second); // a push that failed would be tried again by then
    expect(town.bodies.length).toBeLessThan(120);
    expect([...town.subscriptions.actors.ids()]).toEqual([]);
  });

  it('is there as long as the topic is, after a power cut at any time', async () => {
    for (const nth of changes) {
      const town = await cutAt(nth, remove);
      const isThere = town.partitionsOf('rides') > 0;
      const names = [...town.subscriptions.actors.ids()];
      expect([nth, names]).toEqual([nth, isThere ? ['push'] : []]);
    }
  });
});
