import type { ConsumerCommand } from '../../../src/topics/groups/consumer.commands.js';
import { consumerDecider } from '../../../src/topics/groups/consumer.decider.js';
import {
  type ConsumerEvent,
  consumerId,
  consumerPlace,
} from '../../../src/topics/groups/consumer.events.js';
import { consumerSettings } from '../../support/consumer-commands.js';
import { epochMs, given } from '../../support/given.js';

const settings = consumerSettings({ autoCommit: false, offsetReset: 'earliest' });
const address = { kind: 'consumer', id: consumerId({ group: 'g', instance: 'a' }), at: epochMs };
const open: ConsumerCommand = { ...address, type: 'OpenConsumer', settings };
const close: ConsumerCommand = { ...address, type: 'CloseConsumer', reason: 'deleted' };
const opened: ConsumerEvent = { type: 'ConsumerOpened', ...settings };
const closed: ConsumerEvent = { type: 'ConsumerClosed', reason: 'deleted' };
const consumer = (...history: ConsumerEvent[]) => given(consumerDecider, null, ...history);

describe('a consumer instance', () => {
  it('is opened with its settings and wants a session', () => {
    const { events, wants } = consumer().when(open);
    expect(events).toEqual([opened]);
    expect(wants).toEqual([{ kind: 'runConsumer', id: 'opened at 0', notBefore: 0, settings }]);
  });

  it('that is open stays unchanged', () => {
    const other = { ...open, settings: consumerSettings() };
    expect(consumer(opened).when(other).events).toEqual([]);
  });

  it('has another session in each of its lives', () => {
    const { wants } = consumer(opened, closed).when(open);
    expect(wants).toMatchObject([{ id: 'opened at 2' }]);
  });

  it('that is closed wants nothing and is final', () => {
    expect(consumer(opened).when(close)).toMatchObject({
      events: [closed],
      wants: [],
      isFinal: true,
    });
  });

  it('that does not exist cannot be closed', () => {
    expect(consumer().when(close).rejected).toEqual({
      code: 'not_found',
      message: 'group g has no instance a',
    });
  });

  it('leaves its group in the turn in which it is closed', () => {
    const envelope = {
      kind: 'consumer',
      sequence: 1,
      at: 7,
      offset: 1,
      previous: 0,
      by: null,
      body: null,
      byteLength: 0,
    };
    const id = consumerId({ group: 'a/b', instance: 'c/d' });
    const names = { next: () => '' };
    const { state } = consumer(opened);
    expect(
      consumerDecider.react?.({ ...envelope, id, event: closed }, state, names, close, state),
    ).toEqual([{ type: 'LeaveGroup', kind: 'consumer-group', id: 'a/b', at: 7, instance: 'c/d' }]);
    expect(
      consumerDecider.react?.({ ...envelope, id, event: opened }, state, names, open, state),
    ).toEqual([]);
  });
});

describe('the id of an instance', () => {
  it.each([
    ['g', 'a'],
    ['a/b', 'c'],
    ['a', 'b/c'],
    ['a%2Fb', 'c'],
    ['ä ö', '\u{1F600}'],
  ])('of %j and %j is decoded to both', (group, instance) => {
    expect(consumerPlace(consumerId({ group, instance }))).toEqual({ group, instance });
  });
});
