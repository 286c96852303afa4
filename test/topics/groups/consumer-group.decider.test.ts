import { fullGrant } from '../../../src/http/identity/grant.js';
import type { ConsumerGroupCommand } from '../../../src/topics/groups/consumer-group.commands.js';
import {
  consumerGroupDecider,
  type GroupView,
} from '../../../src/topics/groups/consumer-group.decider.js';
import type { ConsumerGroupEvent } from '../../../src/topics/groups/consumer-group.events.js';
import { consumerSettings, joinGroup } from '../../support/consumer-commands.js';
import { epochMs, given } from '../../support/given.js';

const retentionMs = 7 * 86_400_000;
const decider = consumerGroupDecider(retentionMs);

const over = (counts: Record<string, number>): GroupView => ({
  partitionsOf: (topic) => counts[topic] ?? 0,
  partitions: Object.values(counts).reduce((sum, count) => sum + count, 0),
  groups: 0,
  instances: 0,
  limits: { groupsMax: 10, consumersMax: 100 },
});
const view = over({ rides: 3, fares: 2 });

const address = { kind: 'consumer-group', id: 'it', at: epochMs + 60_000 };
const ask = <Type extends ConsumerGroupCommand['type']>(type: Type) => ({ ...address, type });
const leave = (instance: string) => ({ ...ask('LeaveGroup'), instance });
const change = (instance: string, ...topics: string[]) => ({
  ...ask('ChangeSubscription'),
  instance,
  topics,
  grant: fullGrant,
});

const joined = (
  instance: string,
  generation: number,
  moved: Record<string, (string | null)[]>,
  topics = ['rides'],
): ConsumerGroupEvent => ({
  type: 'MemberJoined',
  instance,
  topics,
  strategy: 'range',
  generation,
  moved: Object.entries(moved).flatMap(([topic, owners]) =>
    owners.map((to, partition) => ({ topic, partitions: [partition], to })),
  ),
});
const alone = joined('a', 1, { rides: ['a', 'a', 'a'] });
const left = (instance: string, generation: number): ConsumerGroupEvent => ({
  type: 'MemberLeft',
  instance,
  generation,
  moved: [{ topic: 'rides', partitions: [0, 1, 2], to: null }],
});
const deleted: ConsumerGroupEvent = { type: 'GroupDeleted', cause: 'request' };

const group = (...history: ConsumerGroupEvent[]) => given(decider, view, ...history);

describe('a group that does not exist', () => {
  it('begins with its first member, who owns everything', () => {
    const { events, result, state } = group().when(joinGroup('a'));
    expect(events).toEqual([
      {
        type: 'MemberJoined',
        instance: 'a',
        topics: ['rides'],
        strategy: 'range',
        generation: 1,
        moved: [{ topic: 'rides', partitions: [0, 1, 2], to: 'a' }],
      },
    ]);
    expect(result).toEqual({ generation: 1 });
    expect(state?.context.owners.get('rides')).toEqual(['a', 'a', 'a']);
  });

  it('accepts a topic that does not exist yet', () => {
    const { state } = group().when(joinGroup('a', { topics: ['later'] }));
    expect([...(state?.context.owners ?? [])]).toEqual([]);
  });

  it.each([change('a', 'rides'), leave('a'), ask('ReassignGroup'), ask('DeleteGroup')])(
    'refuses %j',
    (command) => {
      expect(group().when(command as ConsumerGroupCommand).rejected?.code).toBe('not_found');
    },
  );

  it.each([
    ['', 'a'],
    ['it', ''],
    ['x'.repeat(257), 'a'],
    ['it', 'x'.repeat(257)],
  ])('refuses the names %j and %j', (id, instance) => {
    expect(group().when(joinGroup(instance, { id })).rejected?.code).toBe('invalid');
  });
});

describe('a join', () => {
  it('moves what the new member gets in one event, and nothing else', () => {
    const { events } = group(alone).when(joinGroup('b'));
    expect(events).toMatchObject([
      { generation: 2, moved: [{ topic: 'rides', partitions: [2], to: 'b' }] },
    ]);
  });

  it('of a member changes nothing and returns the generation', () => {
    expect(group(alone).when(joinGroup('a', { topics: ['fares'] }))).toMatchObject({
      events: [],
      result: { generation: 1 },
    });
  });

  it('opens the instance with its settings in the same turn', () => {
    const settings = consumerSettings({ offsetReset: 'none' });
    const command = joinGroup('a/1', { settings });
    const envelope = { kind: 'consumer-group', id: 'ä b', sequence: 0, at: 5, offset: 0 };
    const event = joined('a/1', 1, {});
    const names = { next: () => '' };
    expect(
      decider.react?.(
        { ...envelope, previous: -1, by: null, event, body: null, byteLength: 0 },
        group(alone).state,
        names,
        command,
        group(alone).state,
      ),
    ).toEqual([{ type: 'OpenConsumer', kind: 'consumer', id: '%C3%A4%20b/a/1', at: 5, settings }]);
  });

  it('with another strategy than that of the members is refused', () => {
    const { rejected } = group(alone).when(joinGroup('b', { strategy: 'sticky' }));
    expect(rejected).toEqual({
      code: 'conflict',
      message: 'group it assigns by range, not by sticky',
    });
  });

  it('of an empty group may set another strategy', () => {
    const { events } = group(alone, left('a', 2)).when(joinGroup('b', { strategy: 'sticky' }));
    expect(events).toMatchObject([{ strategy: 'sticky', generation: 3 }]);
  });

  it('beyond the partitions of all topics is refused', () => {
    const { when } = given(decider, over({ rides: 1 }), joined('a', 1, { rides: ['a'] }));
    expect(when(joinGroup('b')).rejected?.code).toBe('conflict');
  });

  it('waits for its topic if no topic has partitions', () => {
    const waiting = [joined('a', 1, {}), joined('b', 2, {})];
    const { events } = given(decider, over({}), ...waiting).when(joinGroup('c'));
    expect(events).toMatchObject([{ type: 'MemberJoined', instance: 'c', moved: [] }]);
  });
});

describe('a credential that may not consume all topics of a group', () => {
  const grant = { permissions: 'CONSUME', topic: 'fares' } as const;

  it('neither joins the group nor takes over an instance of it, and learns no topic', () => {
    for (const instance of ['a', 'b']) {
      const { rejected } = group(alone).when(joinGroup(instance, { topics: ['fares'], grant }));
      expect(rejected?.code).toBe('forbidden');
      expect(rejected?.message).not.toContain('rides');
    }
    expect(group(alone).when({ ...change('a', 'fares'), grant }).rejected?.code).toBe('forbidden');
  });

  it('may create a group of its own', () => {
    expect(group().when(joinGroup('a', { topics: ['fares'], grant })).events).toHaveLength(1);
  });
});

describe('a server with the maximum number of groups or instances', () => {
  it('accepts no further group, and another instance only while there is room', () => {
    const groups = { ...view, groups: 10 };
    expect(given(decider, groups).when(joinGroup('a')).rejected?.code).toBe('conflict');
    expect(given(decider, groups, alone).when(joinGroup('b')).events).toHaveLength(1);
    const instances = { ...view, instances: 100 };
    expect(given(decider, instances, alone).when(joinGroup('b')).rejected?.code).toBe('conflict');
    expect(given(decider, instances, alone).when(joinGroup('a')).events).toEqual([]);
  });
});

describe('a subscription', () => {
  it('replaces the previous one', () => {
    const { events, state } = group(alone).when(change('a', 'fares'));
    expect(events).toEqual([
      {
        type: 'SubscriptionChanged',
        instance: 'a',
        topics: ['fares'],
        generation: 2,
        moved: [
          { topic: 'rides', partitions: [0, 1, 2], to: null },
          { topic: 'fares', partitions: [0, 1], to: 'a' },
        ],
      },
    ]);
    expect([...(state?.context.owners.keys() ?? [])]).toEqual(['fares']);
  });

  it('to the same topics in another order is not a change', () => {
    const both = joined('a', 1, { rides: ['a', 'a', 'a'] }, ['rides', 'fares']);
    expect(group(both).when(change('a', 'fares', 'rides')).events).toEqual([]);
  });

  it('is remembered by topic, with the first time', () => {
    const { state } = group(alone).when(change('a', 'rides', 'fares'));
    expect([...(state?.context.firstSubscribed ?? [])]).toEqual([
      ['rides', 0],
      ['fares', 1],
    ]);
  });

  it('of an instance that is not a member is refused', () => {
    expect(group(alone).when(change('b', 'rides')).rejected?.code).toBe('not_found');
  });
});

describe('the end of a member', () => {
  it('gives its partitions to the others', () => {
    const two = joined('b', 2, { rides: ['a', 'a', 'b'] });
    const { events } = group(alone, two).when(leave('a'));
    expect(events).toMatchObject([
      { type: 'MemberLeft', moved: [{ topic: 'rides', partitions: [0, 1], to: 'b' }] },
    ]);
  });

  it('that has left before changes nothing', () => {
    expect(group(alone).when(leave('b')).events).toEqual([]);
  });

  it('leaves an empty group that wants to expire when no instance joins', () => {
    const { wants } = group(alone).when(leave('a'));
    const emptySince = epochMs + 1000;
    expect(wants).toEqual([
      {
        kind: 'expireGroup',
        id: `empty since ${emptySince}`,
        notBefore: emptySince + retentionMs,
        emptySince,
      },
    ]);
  });
});

describe('a reassignment', () => {
  it('of a topic that has grown assigns the new partitions', () => {
    const { when } = given(decider, over({ rides: 5 }), alone);
    expect(when(ask('ReassignGroup')).events).toEqual([
      {
        type: 'PartitionsReassigned',
        generation: 2,
        moved: [{ topic: 'rides', partitions: [3, 4], to: 'a' }],
      },
    ]);
  });

  it('of a topic that was deleted takes its partitions away', () => {
    const { when } = given(decider, over({ fares: 1 }), alone);
    expect(when(ask('ReassignGroup')).events).toMatchObject([
      { moved: [{ topic: 'rides', partitions: [0, 1, 2], to: null }] },
    ]);
  });

  it('without any move makes no new generation', () => {
    expect(group(alone).when(ask('ReassignGroup')).events).toEqual([]);
  });
});

describe('a reset of offsets', () => {
  const moves = [{ topic: 'rides', partition: 0, from: 7, to: 1 }];
  const reset = { ...ask('ResetOffsets'), moves } as const;
  const event = { type: 'OffsetsReset', moves } as const;

  it('is recorded with the offsets committed before, and changes nothing else', () => {
    const empty = group(alone, left('a', 2));
    const { events, state } = empty.when(reset);
    expect(events).toEqual([event]);
    expect(state?.context).toEqual(empty.state.context);
  });

  it('is refused while the group has members, and while it is deleted', () => {
    expect(group(alone).when(reset).rejected?.code).toBe('conflict');
    expect(group(alone, left('a', 2), deleted).when(reset).rejected?.code).toBe('conflict');
    expect(group().when(reset).rejected?.code).toBe('not_found');
  });
});

describe('the deletion of a group', () => {
  it('is refused while it has members', () => {
    expect(group(alone).when(ask('DeleteGroup')).rejected?.code).toBe('conflict');
  });

  it('wants its offsets deleted, lets no instance join meanwhile, and frees the name', () => {
    const empty = [alone, left('a', 2)];
    const { events, wants } = group(...empty).when(ask('DeleteGroup'));
    expect(events).toEqual([deleted]);
    expect(wants).toEqual([{ kind: 'forgetOffsets', id: 'forget', notBefore: 0 }]);
    expect(group(...empty, deleted).when(joinGroup('b')).rejected?.code).toBe('conflict');
    const removed = group(...empty, deleted).when(ask('RemoveGroup'));
    expect(removed).toMatchObject({ events: [{ type: 'GroupRemoved' }], isFinal: true });
  });

  it('for its age is refused when an instance has joined since', () => {
    const expire = (emptySince: number) => ({ ...ask('ExpireGroup'), emptySince });
    const empty = group(alone, left('a', 2));
    expect(empty.when(expire(epochMs)).rejected?.code).toBe('conflict');
    expect(empty.when(expire(epochMs + 1000)).events).toEqual([
      { type: 'GroupDeleted', cause: 'retention' },
    ]);
    expect(group(alone).when(expire(epochMs)).rejected?.code).toBe('conflict');
  });

  it('can be completed only for a group that is being deleted', () => {
    expect(group(alone).when(ask('RemoveGroup')).rejected?.code).toBe('conflict');
  });
});
