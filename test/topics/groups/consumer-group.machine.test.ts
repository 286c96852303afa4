import { machineEvolve } from '../../../src/engine/machines/machine-evolve.js';
import type { ConsumerGroupEvent } from '../../../src/topics/groups/consumer-group.events.js';
import {
  type ConsumerGroupLife,
  consumerGroupMachine,
} from '../../../src/topics/groups/consumer-group.machine.js';

const { initialState, evolve, can, isFinal } = machineEvolve(consumerGroupMachine);

const joined: ConsumerGroupEvent = {
  type: 'MemberJoined',
  instance: 'a',
  topics: ['rides'],
  strategy: 'range',
  generation: 1,
  moved: [{ topic: 'rides', partitions: [0], to: 'a' }],
};
const left: ConsumerGroupEvent = {
  type: 'MemberLeft',
  instance: 'a',
  generation: 2,
  moved: [{ topic: 'rides', partitions: [0], to: null }],
};
const deleted: ConsumerGroupEvent = { type: 'GroupDeleted', cause: 'request' };
const removed: ConsumerGroupEvent = { type: 'GroupRemoved' };

const lifeAfter = (...events: readonly ConsumerGroupEvent[]): ConsumerGroupLife =>
  events.reduce<ConsumerGroupLife>(
    (life, event, index) => evolve(life, { ...event, at: 1000 + index, offset: index }),
    initialState(),
  );

describe('the life of a consumer group', () => {
  it('is stable with members and empty without', () => {
    expect(lifeAfter(joined).value).toEqual({ live: 'stable' });
    expect(lifeAfter(joined, left).value).toEqual({ live: 'empty' });
    expect(lifeAfter(joined, left, { ...joined, generation: 3 }).value).toEqual({ live: 'stable' });
  });

  it('is deleted only while it is empty, and then nothing joins', () => {
    expect(can(lifeAfter(), deleted)).toBe(false);
    expect(can(lifeAfter(joined), deleted)).toBe(false);
    const deleting = lifeAfter(joined, left, deleted);
    expect(deleting.value).toBe('deleting');
    expect(can(deleting, joined)).toBe(false);
  });

  it('forgets topics that no member subscribes to any more if there were very many', () => {
    const name = (round: number, index: number) => `${round}-${index}`;
    const changes = Array.from({ length: 20 }, (_, round): ConsumerGroupEvent => {
      const topics = Array.from({ length: 1000 }, (__, index) => name(round, index));
      return { type: 'SubscriptionChanged', instance: 'b', topics, generation: round, moved: [] };
    });
    const other: ConsumerGroupEvent = { ...joined, instance: 'b', topics: [] };
    const known = lifeAfter(joined, other, ...changes).context.firstSubscribed;
    expect(known.size).toBe(10_000);
    // Topics with a current subscription are kept, however old, and so are the latest ones.
    expect(known.get('rides')).toBe(0);
    expect(known.get(name(19, 999))).toBe(21);
    expect(known.has(name(0, 0))).toBe(false);
  });

  it('ends once its offsets are removed', () => {
    expect(isFinal(lifeAfter(joined, left, deleted, removed))).toBe(true);
    expect(can(lifeAfter(joined, left), removed)).toBe(false);
  });
});
