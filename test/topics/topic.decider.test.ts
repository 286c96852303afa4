import { topicDecider, topicNameProblem } from '../../src/topics/topic.decider.js';
import { epochMs, given } from '../support/given.js';

const create = (id: string, partitions = 3) =>
  ({ type: 'CreateTopic', kind: 'topic', id, at: epochMs, partitions }) as const;

describe('a topic', () => {
  it('is created with its partitions and wants their logs', () => {
    const { events, wants, isFinal } = given(topicDecider, null).when(create('rides'));
    expect(events).toEqual([{ type: 'TopicCreated', partitions: 3 }]);
    expect(wants).toEqual([
      { kind: 'keepPartitionLogs', id: '3 logs', notBefore: 0, partitions: 3 },
    ]);
    expect(isFinal).toBe(false);
  });

  it('is left as it is when it exists', () => {
    const history = given(topicDecider, null, { type: 'TopicCreated', partitions: 3 });
    expect(history.when(create('rides', 9)).events).toEqual([]);
    expect(given(topicDecider, null).wants()).toEqual([]);
  });

  it.each(['', '.', '..', 'a/b', 'a\0b', 'a b', 'ä', '__internal', 'x'.repeat(250)])(
    'cannot be called %j',
    (name) => {
      expect(given(topicDecider, null).when(create(name)).rejected?.code).toBe('invalid');
      expect(topicNameProblem(name)).not.toBeNull();
    },
  );

  it.each(['rides', 'a.b-c_d', 'x'.repeat(249), '...'])('can be called %j', (name) => {
    expect(topicNameProblem(name)).toBeNull();
  });
});
