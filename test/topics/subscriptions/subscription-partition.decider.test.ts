import type { EventEnvelope } from '../../../src/engine/decider.js';
import type { PublishMessage } from '../../../src/messaging/messages/message.commands.js';
import type {
  PushRecords,
  SubscriptionPartitionCommand,
} from '../../../src/topics/subscriptions/subscription-partition.commands.js';
import { partitionDecider } from '../../../src/topics/subscriptions/subscription-partition.decider.js';
import {
  type SubscriptionPartitionEvent,
  subscriptionPartitionId,
  subscriptionPartitionPlace,
} from '../../../src/topics/subscriptions/subscription-partition.events.js';
import { epochMs as at, given } from '../../support/given.js';
import { messageOptions } from '../../support/message-options.js';

const { kind } = partitionDecider;
const id = 'push/0';
const message = (messageId: string): PublishMessage => ({
  type: 'PublishMessage',
  kind: 'message',
  id: messageId,
  at,
  message: messageOptions(),
  body: Buffer.from('body'),
  sharesBodyWith: null,
});
const push = (changes: Partial<PushRecords> = {}): PushRecords => ({
  type: 'PushRecords',
  kind,
  id,
  at,
  position: 4,
  from: 4,
  until: 6,
  records: 2,
  skipped: 0,
  messages: [message('msg_a'), message('msg_b')],
  ...changes,
});
const ask = (
  type: 'PausePartition' | 'ResumePartition' | 'ClosePartition',
): SubscriptionPartitionCommand => ({ type, kind, id, at });
const open: SubscriptionPartitionCommand = {
  type: 'OpenPartition',
  kind,
  id,
  at,
  position: 4,
  isPaused: false,
};

const opened: SubscriptionPartitionEvent = {
  type: 'PartitionOpened',
  position: 4,
  isPaused: false,
};
const pushed: SubscriptionPartitionEvent = {
  type: 'RecordsPushed',
  from: 4,
  until: 6,
  records: 2,
  skipped: 0,
  messageIds: ['msg_a', 'msg_b'],
};
const paused: SubscriptionPartitionEvent = { type: 'PartitionPaused' };

const pending = new Set<string>();
const view = { isPending: (messageId: string) => pending.has(messageId) };
const partition = (...history: readonly SubscriptionPartitionEvent[]) =>
  given(partitionDecider, view, ...history);

beforeEach(() => pending.clear());

describe('a partition of a subscription', () => {
  it('wants to push from where it was opened', () => {
    const { events, wants } = partition().when(open);
    expect(events).toEqual([opened]);
    const effect = { kind: 'pushNext', id: 'from 4', notBefore: 0, position: 4, after: [] };
    expect(wants).toEqual([effect]);
  });

  it('wants the next records after the messages of the last ones', () => {
    const { events, wants } = partition(opened).when(push());
    expect(events).toEqual([pushed]);
    const after = ['msg_a', 'msg_b'];
    expect(wants).toMatchObject([{ id: 'from 6', position: 6, after }]);
  });

  it('publishes the messages of a push in the turn of the push', () => {
    const command = push();
    const place = {
      kind,
      id,
      sequence: 1,
      at,
      offset: 1,
      previous: 0,
      by: null,
      body: null,
      byteLength: 0,
    };
    const envelope: EventEnvelope<SubscriptionPartitionEvent> = { ...place, event: pushed };
    const { state } = partition(opened, pushed);
    const names = { next: (prefix: string) => prefix };
    const { react } = partitionDecider;
    expect(react?.(envelope, state, names, command, state)).toEqual(command.messages);
    expect(react?.({ ...envelope, event: opened }, state, names, open, state)).toEqual([]);
  });

  it('skips records without a message', () => {
    const none = push({ records: 0, skipped: 2, messages: [] });
    const { events, wants } = partition(opened).when(none);
    expect(events).toEqual([{ ...pushed, records: 0, skipped: 2, messageIds: [] }]);
    expect(wants).toMatchObject([{ position: 6, after: [] }]);
  });

  it.each([
    ['elsewhere', push({ position: 3, from: 3 })],
    ['behind it', push({ from: 3 })],
    ['nothing', push({ until: 4 })],
  ])('refuses to push %s', (_what, command) => {
    expect(partition(opened).when(command).rejected).toMatchObject({ code: 'conflict' });
  });

  it('pushes from a later offset if records are gone', () => {
    expect(partition(opened).when(push({ from: 5, skipped: 1 })).events).toHaveLength(1);
  });

  it('refuses a push before the messages of the last one are final', () => {
    pending.add('msg_b');
    const next = push({ position: 6, from: 6, until: 7 });
    const message = 'push/0 waits for an earlier message';
    expect(partition(opened, pushed).when(next).rejected).toEqual({ code: 'conflict', message });
    pending.clear();
    expect(partition(opened, pushed).when(next).events).toHaveLength(1);
  });

  it('wants nothing and pushes nothing while it is paused', () => {
    const { events, wants } = partition(opened).when(ask('PausePartition'));
    expect(events).toEqual([paused]);
    expect(wants).toEqual([]);
    expect(partition(opened, paused).when(push()).rejected).toMatchObject({ code: 'conflict' });
    expect(partition(opened, paused).when(ask('PausePartition')).events).toEqual([]);
    const { wants: again } = partition(opened, paused).when(ask('ResumePartition'));
    expect(again).toMatchObject([{ id: 'from 4' }]);
    expect(partition(opened).when(ask('ResumePartition')).events).toEqual([]);
  });

  it('may be opened paused', () => {
    const { wants } = partition().when({ ...open, isPaused: true });
    expect(wants).toEqual([]);
  });

  it('is closed for good', () => {
    const closed = partition(opened, pushed).when(ask('ClosePartition'));
    expect(closed).toMatchObject({ events: [{ type: 'PartitionClosed' }], isFinal: true });
  });

  it('is opened only once', () => {
    expect(partition(opened).when(open).rejected).toMatchObject({ code: 'conflict' });
  });

  it.each([push(), ask('PausePartition'), ask('ResumePartition'), ask('ClosePartition')])(
    'refuses $type before',
    (command) => {
      expect(partition().when(command).rejected).toMatchObject({ code: 'not_found' });
    },
  );
});

describe('the id of a partition', () => {
  it('contains the subscription and the number', () => {
    const place = { subscription: 'a.b_c-d', partition: 12 };
    expect(subscriptionPartitionPlace(subscriptionPartitionId(place))).toEqual(place);
  });
});
