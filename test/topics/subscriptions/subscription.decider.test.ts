import type { EventEnvelope } from '../../../src/engine/decider.js';
import type { SubscriptionCommand } from '../../../src/topics/subscriptions/subscription.commands.js';
import { subscriptionDecider } from '../../../src/topics/subscriptions/subscription.decider.js';
import type { SubscriptionEvent } from '../../../src/topics/subscriptions/subscription.events.js';
import { epochMs as at, given } from '../../support/given.js';
import { subscriptionDefinition } from '../../support/subscription-definition.js';

const { kind } = subscriptionDecider;
const definition = subscriptionDefinition();
const created: SubscriptionEvent = {
  type: 'SubscriptionCreated',
  ...definition,
  positions: [7, 0],
};
const grown: SubscriptionEvent = { type: 'SubscriptionGrown', from: 2, partitions: 3 };
const paused: SubscriptionEvent = { type: 'SubscriptionPaused' };
const resumed: SubscriptionEvent = { type: 'SubscriptionResumed' };
const deleted: SubscriptionEvent = { type: 'SubscriptionDeleted', cause: 'request' };

const create = (changes: Partial<typeof definition> = {}, id = 'push'): SubscriptionCommand => ({
  type: 'CreateSubscription',
  kind,
  id,
  at,
  definition: { ...definition, ...changes },
  positions: [7, 0],
});
const grow = (partitions: number): SubscriptionCommand => ({
  type: 'GrowSubscription',
  kind,
  id: 'push',
  at,
  partitions,
});
const ask = (type: 'PauseSubscription' | 'ResumeSubscription'): SubscriptionCommand => {
  return { type, kind, id: 'push', at };
};
const remove: SubscriptionCommand = {
  type: 'DeleteSubscription',
  kind,
  id: 'push',
  at,
  cause: 'request',
};

const view = { partitionsOf: (topic: string) => (topic === 'rides' ? 2 : 0) };
const subscription = (...history: readonly SubscriptionEvent[]) =>
  given(subscriptionDecider, view, ...history);

/** The commands to the partitions that the last of the given events causes. */
function reactions(...history: readonly SubscriptionEvent[]) {
  const { state } = subscription(...history);
  const event = history.at(-1);
  if (event === undefined) throw new Error('nothing has happened');
  const place = {
    kind,
    id: 'push',
    sequence: 0,
    at,
    offset: 0,
    previous: -1,
    by: null,
    body: null,
    byteLength: 0,
  };
  const envelope: EventEnvelope<SubscriptionEvent> = { ...place, event };
  const names = { next: (prefix: string) => prefix };
  const commands = subscriptionDecider.react?.(envelope, state, names, remove, state) ?? [];
  return commands.map(({ at: _at, kind: _kind, ...command }) => command);
}

describe('creating a subscription', () => {
  it('makes it follow its topic', () => {
    const { events, wants } = subscription().when(create());
    expect(events).toEqual([created]);
    const effect = { kind: 'followTopic', id: 'beyond 2', notBefore: 0 };
    expect(wants).toEqual([{ ...effect, topic: 'rides', partitions: 2 }]);
  });

  it('opens each partition at its position', () => {
    const open = { type: 'OpenPartition', isPaused: false };
    expect(reactions(created)).toEqual([
      { ...open, id: 'push/0', position: 7 },
      { ...open, id: 'push/1', position: 0 },
    ]);
  });

  it.each([
    ['a name that is none', create({}, 'a b'), 'invalid'],
    ['no record in a message', create({ maxRecords: 0 }), 'invalid'],
    ['too many records in a message', create({ maxRecords: 501 }), 'invalid'],
    ['half a record in a message', create({ maxRecords: 1.5 }), 'invalid'],
    ['a topic that has gone', create({ topic: 'gone' }), 'not_found'],
  ])('is refused with %s', (_what, command, code) => {
    expect(subscription().when(command).rejected).toMatchObject({ code });
  });

  it.each([
    ['active', [created]],
    ['paused', [created, paused]],
  ])('is refused if there is one that is %s', (_state, history) => {
    const refused = { code: 'conflict', message: 'subscription push exists' };
    expect(subscription(...history).when(create()).rejected).toEqual(refused);
  });
});

describe('a subscription whose topic grows', () => {
  it('opens the new partitions from their beginning', () => {
    const { events, wants } = subscription(created).when(grow(3));
    expect(events).toEqual([grown]);
    expect(wants).toMatchObject([{ id: 'beyond 3', partitions: 3 }]);
    const open = { type: 'OpenPartition', id: 'push/2', position: 0 };
    expect(reactions(created, grown)).toEqual([{ ...open, isPaused: false }]);
    expect(reactions(created, paused, grown)).toEqual([{ ...open, isPaused: true }]);
  });

  it.each([0, 1, 2])('ignores a report of %i partitions, because it knows two', (partitions) => {
    expect(subscription(created).when(grow(partitions)).events).toEqual([]);
  });
});

describe('pausing, resuming and deleting a subscription', () => {
  it.each([
    ['PausePartition', [created, paused]],
    ['ResumePartition', [created, paused, resumed]],
    ['ClosePartition', [created, deleted]],
  ])('means %s for every partition', (type, history) => {
    expect(reactions(...history)).toEqual([
      { type, id: 'push/0' },
      { type, id: 'push/1' },
    ]);
  });

  it('happens only once', () => {
    expect(subscription(created).when(ask('PauseSubscription')).events).toEqual([paused]);
    expect(subscription(created, paused).when(ask('PauseSubscription')).events).toEqual([]);
    expect(subscription(created, paused).when(ask('ResumeSubscription')).events).toEqual([resumed]);
    expect(subscription(created).when(ask('ResumeSubscription')).events).toEqual([]);
  });

  it('ends it for good', () => {
    expect(subscription(created).when(remove)).toMatchObject({ events: [deleted], isFinal: true });
  });

  it.each([grow(3), ask('PauseSubscription'), ask('ResumeSubscription'), remove])(
    'is refused if there is none: $type',
    (command) => {
      const refused = { code: 'not_found', message: 'subscription push not found' };
      expect(subscription().when(command).rejected).toEqual(refused);
    },
  );
});
