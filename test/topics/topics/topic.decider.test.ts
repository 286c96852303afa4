import { topicDecider, topicNameProblem } from '../../../src/topics/topics/topic.decider.js';
import {
  type TopicCreated,
  type TopicEvent,
  unlimited,
} from '../../../src/topics/topics/topic.events.js';
import { epochMs, given } from '../../support/given.js';

const address = { kind: 'topic', id: 'rides', at: epochMs } as const;
const asConfigured = {
  retentionMs: null,
  retentionBytes: unlimited,
  cleanupPolicy: 'delete',
} as const;

const ensure = (id: string, partitions = 3) =>
  ({ type: 'EnsureTopic', ...address, id, partitions }) as const;
const create = (settings: Partial<TopicCreated> = {}) =>
  ({ ...address, partitions: 3, ...asConfigured, ...settings, type: 'CreateTopic' }) as const;
const alter = (changes: { partitions?: number; retentionMs?: number | null }) =>
  ({ type: 'AlterTopic', ...address, changes }) as const;
const trim = (...places: readonly [partition: number, before: number][]) => {
  const trims = places.map(([partition, before]) => ({ partition, before }));
  return { type: 'TrimTopic', ...address, trims, cause: 'purge' } as const;
};
const beginCompaction = (partition: number, until: number) => {
  const compaction = { partition, until, tombstonesBefore: epochMs - 1000 };
  return { type: 'BeginCompaction', ...address, ...compaction } as const;
};
const remove = { type: 'DeleteTopic', ...address } as const;

const created = (settings: Partial<TopicCreated> = {}): TopicCreated => {
  return { partitions: 3, ...asConfigured, ...settings, type: 'TopicCreated' };
};
const deleted: TopicEvent = { type: 'TopicDeleted' };

const limits = { topicsMax: 1000, partitionsMax: 10_000 };
const having = (sum: number, topics = 0) => ({ sum, topics, limits });

/** A history of the topic, without any other topics. */
const history = (...events: readonly TopicEvent[]) => given(topicDecider, having(0), ...events);
const logs = (revision: number, partitions: number, trims: object[] = []) => {
  const id = `logs ${revision}`;
  return { kind: 'keepPartitionLogs', id, notBefore: 0, partitions, trims };
};

describe('a topic', () => {
  it('is created with its partitions and wants their logs', () => {
    const { events, wants, isFinal } = history().when(ensure('rides'));
    expect(events).toEqual([created()]);
    expect(wants).toEqual([logs(0, 3)]);
    expect(isFinal).toBe(false);
    expect(history().wants()).toEqual([]);
  });

  it('stays unchanged if a request needs it and it exists, and is not created twice', () => {
    expect(history(created()).when(ensure('rides', 9)).events).toEqual([]);
    expect(history(created()).when(create()).rejected?.code).toBe('conflict');
  });

  it.each(['', '.', '..', 'a/b', 'a\0b', 'a b', 'ä', '__internal', 'x'.repeat(250)])(
    'cannot have the name %j',
    (name) => {
      expect(history().when(ensure(name)).rejected?.code).toBe('invalid');
      expect(topicNameProblem(name)).not.toBeNull();
    },
  );

  it.each(['rides', 'a.b-c_d', 'x'.repeat(249), '...'])('can have the name %j', (name) => {
    expect(topicNameProblem(name)).toBeNull();
  });

  it.each([
    { partitions: 0 },
    { partitions: 1025 },
    { partitions: 1.5 },
    { retentionMs: 0 },
    { retentionMs: -2 },
    { retentionBytes: 0.5 },
    { retentionBytes: 2 ** 60 },
  ])('cannot be created with %j', (settings) => {
    expect(history().when(create(settings)).rejected?.code).toBe('invalid');
  });

  it('is refused if all topics together would have too many partitions', () => {
    const full = (sum: number) => given(topicDecider, having(sum), created());
    const none = (sum: number) => given(topicDecider, having(sum));
    expect(none(9997).when(create()).events).toEqual([created()]);
    expect(none(9998).when(create()).rejected?.code).toBe('conflict');
    expect(full(9998).when(alter({ partitions: 5 })).events).toHaveLength(1);
    expect(full(9998).when(alter({ partitions: 6 })).rejected?.code).toBe('conflict');
    expect(full(10_000).when(alter({ retentionMs: 5 })).events).toHaveLength(1);
  });

  it('is refused if there are as many topics as allowed', () => {
    const beside = (topics: number) => given(topicDecider, having(topics, topics));
    expect(beside(999).when(create()).events).toEqual([created()]);
    expect(beside(1000).when(create()).rejected?.code).toBe('conflict');
    expect(beside(1000).when(ensure('rides')).rejected?.code).toBe('conflict');
    const known = given(topicDecider, having(1000, 1000), created());
    expect(known.when(ensure('rides')).events).toEqual([]);
    expect(known.when(alter({ partitions: 5 })).events).toHaveLength(1);
  });

  it('grows, and wants more logs; it never shrinks', () => {
    const { events, wants } = history(created()).when(alter({ partitions: 5 }));
    expect(events).toEqual([
      { type: 'TopicAltered', partitions: 5, retentionMs: null, retentionBytes: unlimited },
    ]);
    expect(wants).toEqual([logs(1, 5)]);
    expect(history(created()).when(alter({ partitions: 2 })).rejected?.code).toBe('invalid');
  });

  it('changes only the named settings, without an event if nothing changes', () => {
    const kept = history(created({ retentionMs: 1000 }));
    expect(kept.when(alter({ retentionMs: 1000 })).events).toEqual([]);
    expect(kept.when(alter({})).events).toEqual([]);
    expect(kept.when(alter({ retentionMs: null })).events).toMatchObject([{ retentionMs: null }]);
    expect(kept.when(alter({ retentionMs: 0 })).rejected?.code).toBe('invalid');
  });

  it('remembers where its partitions begin, and trims only what exists', () => {
    const first = history(created()).when(trim([0, 5], [2, 7]));
    expect(first.events).toMatchObject([{ type: 'TopicTrimmed', cause: 'purge' }]);
    const trimmed = history(created(), ...(first.events ?? []));
    expect(trimmed.wants()).toEqual([
      logs(1, 3, [
        { partition: 0, before: 5 },
        { partition: 2, before: 7 },
      ]),
    ]);
    expect(trimmed.when(trim([0, 5], [2, 3])).events).toEqual([]);
    const further = trimmed.when(trim([0, 6], [2, 3]));
    expect(further.events).toMatchObject([{ trims: [{ partition: 0, before: 6 }] }]);
    expect(trimmed.when(trim([3, 1])).rejected?.code).toBe('invalid');
  });

  it('begins no second compaction of a partition, and remembers the first one', () => {
    const compact = created({ cleanupPolicy: 'compact' });
    const begun = history(compact).when(beginCompaction(1, 40));
    expect(begun.wants?.[1]).toMatchObject({ kind: 'compactPartition', partition: 1, until: 40 });
    const under = history(compact, ...(begun.events ?? []));
    expect(under.when(beginCompaction(1, 50)).events).toEqual([]);
    const outcome = { removedRecords: 7, removedBytes: 700, oldestTombstone: epochMs };
    const end = { type: 'EndCompaction', ...address, partition: 1, ...outcome } as const;
    const ended = under.when(end);
    expect(ended.wants).toEqual([logs(0, 3)]);
    expect(ended.state?.compactions.get(1)).toEqual({
      begunAt: epochMs + 1000,
      oldestTombstone: epochMs,
      underWay: null,
    });
    const again = history(compact, ...(begun.events ?? []), ...(ended.events ?? []));
    expect(again.when(end).events).toEqual([]);
  });

  it('is not compacted if its policy is delete', () => {
    expect(history(created()).when(beginCompaction(0, 40)).rejected?.code).toBe('invalid');
  });

  it('that is deleted is not found, and its name is taken until its logs are gone', () => {
    const { wants, isFinal } = history(created()).when(remove);
    const drop = { kind: 'dropPartitionLogs', notBefore: 0, partitions: 3 };
    expect(wants).toEqual([{ ...drop, id: 'drop' }]);
    expect(isFinal).toBe(false);
    const leaving = history(created(), deleted);
    expect(leaving.when(ensure('rides')).rejected?.code).toBe('conflict');
    expect(leaving.when(create()).rejected?.code).toBe('conflict');
    for (const command of [remove, trim([0, 1]), alter({ partitions: 9 })]) {
      expect(leaving.when(command).rejected?.code).toBe('not_found');
    }
    const gone = leaving.when({ type: 'RemoveTopic', ...address });
    expect([gone.wants, gone.isFinal]).toEqual([[], true]);
    const anew = history(created(), deleted, { type: 'TopicRemoved' });
    expect(anew.when(create()).wants).toEqual([logs(0, 3)]);
  });

  it('that was not deleted cannot be removed', () => {
    expect(history(created()).when({ type: 'RemoveTopic', ...address }).events).toEqual([]);
    expect(history().when(remove).rejected?.code).toBe('not_found');
  });

  it('of version 1 has the configured retention', () => {
    const [lift] = topicDecider.events.TopicCreated;
    const version1 = { type: 'TopicCreated', partitions: 3 };
    expect(lift?.(version1 as never)).toEqual(created());
  });
});
