import fc from 'fast-check';
import type { Command } from '../../../src/engine/decider.js';
import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { DeduplicationIndex } from '../../../src/messaging/messages/deduplication.projection.js';
import type {
  CancelMessage,
  CompleteMessage,
  PublishMessage,
  RecordAttempt,
  RescheduleMessage,
} from '../../../src/messaging/messages/message.commands.js';
import {
  type AdmittedAttempt,
  messageDecider,
} from '../../../src/messaging/messages/message.decider.js';
import type {
  AttemptFailed,
  AttemptRecord,
  MessageEvent,
  MessagePublished,
} from '../../../src/messaging/messages/message.events.js';
import { epochMs, given } from '../../support/given.js';
import { messageOptions } from '../../support/message-options.js';

const at = epochMs + 60_000;
const noDuplicates = {
  deduplication: { find: () => undefined },
  publishedOffset: () => undefined,
  admittedAttempt: (): AdmittedAttempt | undefined => undefined,
};

const options = messageOptions({
  dialect: 'upstash',
  url: 'https://example.com:8443/hook?x=1',
  method: 'POST',
  contentType: 'application/json',
  headers: ['X-Tenant', 'acme'],
  notBefore: epochMs,
  timeoutMs: null,
  maxRetries: 2,
  retryDelay: '1000',
  labels: ['blue'],
  bodyBytes: 4,
});
const published: MessagePublished = { type: 'MessagePublished', ...options };
const address = { kind: 'message', id: 'it', at } satisfies Omit<Command, 'type'>;

const publish = (changes: Partial<typeof options> = {}): PublishMessage => ({
  ...address,
  type: 'PublishMessage',
  message: { ...options, ...changes },
  body: Buffer.from('body'),
  sharesBodyWith: null,
});
const complete: CompleteMessage = { ...address, type: 'CompleteMessage', terms: [] };
const cancel: CancelMessage = { ...address, type: 'CancelMessage', terms: ['label:blue'] };

const reschedule = (notBefore: number): RescheduleMessage => ({
  ...address,
  type: 'RescheduleMessage',
  notBefore,
  terms: ['label:blue'],
});

const attemptRecord = (attempt: number, status: number, headers: string[] = []): AttemptRecord => ({
  attempt,
  startedAt: at - 20,
  durationMs: 20,
  status,
  headers,
  error: status === 0 ? 'connection refused' : null,
});
const record = (attempt: number, status: number, changes: object = {}): RecordAttempt => ({
  ...address,
  type: 'RecordAttempt',
  record: attemptRecord(attempt, status),
  nonRetryable: false,
  responseBody: Buffer.from('answer'),
  terms: ['label:blue'],
  ...changes,
});
const failedAttempt = (attempt: number): AttemptFailed => ({
  type: 'AttemptFailed',
  ...attemptRecord(attempt, 500),
  retryAt: epochMs + 2000,
});

const decider = messageDecider();

describe('a message that was not published', () => {
  it('is published with its body and wants its first attempt', () => {
    const { events, result, wants, isFinal } = given(decider, noDuplicates).when(publish());
    expect(events).toEqual([published]);
    expect(result).toEqual({ messageId: 'it', deduplicated: false });
    expect(wants).toEqual([
      {
        kind: 'callEndpoint',
        id: `attempt 0 at ${epochMs}`,
        notBefore: epochMs,
        attempt: 0,
        origin: 'https://example.com:8443',
        bodyBytes: 4,
        queueName: null,
        flowControlKey: null,
        run: null,
      },
    ]);
    expect(isFinal).toBe(false);
  });

  it('is not published again within the window: the receipt names the first', () => {
    const view = { ...noDuplicates, deduplication: { find: () => 'msg_first' } };
    const { events, result } = given(decider, view).when(publish({ deduplicationKey: 'id:once' }));
    expect(events).toEqual([]);
    expect(result).toEqual({ messageId: 'msg_first', deduplicated: true });
  });

  it('cannot be canceled or moved', () => {
    const absent = given(decider, noDuplicates);
    expect(absent.when(cancel).rejected?.code).toBe('not_found');
    expect(absent.when(reschedule(at)).rejected?.code).toBe('not_found');
  });
});

describe('a pending message', () => {
  it.each([
    [null, false],
    ['orders', true],
  ])('of the queue %s is awaited by others: %s', (queueName, isAwaited) => {
    const { state } = given(decider, noDuplicates, { ...published, queueName });
    expect(decider.isAwaited?.(state)).toBe(isAwaited);
  });

  it.each([200, 204, 299])('is delivered by an answer of %i', (status) => {
    const { events, isFinal, wants } = given(decider, noDuplicates, published).when(
      record(0, status),
    );
    expect(events).toEqual([{ type: 'MessageDelivered', ...attemptRecord(0, status) }]);
    expect(isFinal).toBe(true);
    expect(wants).toEqual([]);
  });

  it.each([0, 199, 301, 404, 489, 503])('is retried after %i', (status) => {
    const { events, wants } = given(decider, noDuplicates, published).when(record(0, status));
    expect(events).toEqual([
      { type: 'AttemptFailed', ...attemptRecord(0, status), retryAt: at + 1000 },
    ]);
    const id = `attempt 1 at ${at + 1000}`;
    expect(wants).toMatchObject([{ id, attempt: 1, notBefore: at + 1000 }]);
  });

  it('can be moved to another time, as another effect with equal attempts', () => {
    const tried = { type: 'AttemptFailed' as const, ...attemptRecord(0, 500), retryAt: at + 1000 };
    const { events, wants } = given(decider, noDuplicates, published, tried).when(
      reschedule(at + 9000),
    );
    expect(events).toEqual([{ type: 'MessageRescheduled', notBefore: at + 9000 }]);
    const id = `attempt 1 at ${at + 9000}`;
    expect(wants).toMatchObject([{ id, attempt: 1, notBefore: at + 9000 }]);
  });

  it('is not moved if it is due, or to its own time', () => {
    const due = given(decider, noDuplicates, published);
    expect(due.when(reschedule(at)).events).toEqual([]);
    const later = { type: 'MessageRescheduled' as const, notBefore: at + 9000 };
    const moved = given(decider, noDuplicates, published, later);
    expect(moved.when(reschedule(at + 9000)).events).toEqual([]);
    expect(moved.when(reschedule(at)).events).toEqual([{ ...later, notBefore: at }]);
  });

  it('waits as long as the destination asked for', () => {
    const answer = { record: attemptRecord(0, 429, ['Retry-After', '30']) };
    const { wants } = given(decider, noDuplicates, published).when(record(0, 429, answer));
    expect(wants).toMatchObject([{ notBefore: at + 30_000 }]);
  });

  it('fails after 1 + retries attempts', () => {
    const history = [published, failedAttempt(0), failedAttempt(1)];
    const { events, isFinal } = given(decider, noDuplicates, ...history).when(record(2, 500));
    expect(events).toEqual([
      { type: 'MessageFailed', ...attemptRecord(2, 500), cause: 'exhausted' },
    ]);
    expect(isFinal).toBe(true);
  });

  it('fails at once when the destination forbids retries', () => {
    const { events } = given(decider, noDuplicates, published).when(
      record(0, 489, { nonRetryable: true }),
    );
    expect(events).toMatchObject([{ type: 'MessageFailed', cause: 'non_retryable' }]);
  });

  it('ignores an attempt that was recorded before', () => {
    const { events } = given(decider, noDuplicates, published, failedAttempt(0)).when(
      record(0, 200),
    );
    expect(events).toEqual([]);
  });

  it('can be canceled, and the attempt in flight then changes nothing', () => {
    const canceled = given(decider, noDuplicates, published).when(cancel);
    expect(canceled.events).toEqual([{ type: 'MessageCanceled' }]);
    expect(canceled.isFinal).toBe(true);
    const late = given(decider, noDuplicates, published, { type: 'MessageCanceled' });
    expect(late.when(record(0, 200)).events).toEqual([]);
  });

  it.each([
    ['MessageCanceled', cancel],
    ['MessageCompleted', complete],
  ])('records with %s which attempt was in flight', (type, command) => {
    const open = { messageId: 'it', number: 0, startedAt: epochMs + 5, isSent: true };
    const met = (attempt: AdmittedAttempt) =>
      given(decider, { ...noDuplicates, admittedAttempt: () => attempt }, published).when(command);
    const underWay = { attempt: 0, startedAt: epochMs + 5 };
    expect(met(open).events).toEqual([{ type, underWay }]);
    expect(met({ ...open, isSent: false }).events).toEqual([{ type }]);
  });
});

describe('a message in the journal', () => {
  it('is found by destination, labels, flow-control key, queue, group and schedule', () => {
    const message = messageOptions({
      ...options,
      labels: ['blue', 'green'],
      flowControl: { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 },
      queueName: 'q',
      topicName: 'g',
      scheduleId: 's',
    });
    expect(
      decider.terms?.(
        { type: 'MessagePublished', ...message },
        publish(message),
        decider.initialState(),
      ),
    ).toEqual([
      `url:${options.url}`,
      'label:blue',
      'label:green',
      'flow:k',
      'queue:q',
      'group:g',
      'schedule:s',
    ]);
  });

  it('has later events that are found by its published options', () => {
    expect(decider.terms?.({ type: 'MessageCanceled' }, cancel, decider.initialState())).toEqual([
      'label:blue',
    ]);
  });
});

describe('the deduplication index', () => {
  const found = (index: DeduplicationIndex, key: string, time: number) =>
    index.find({ ...options, deduplicationKey: key }, time);

  it('forgets a publish after ten minutes and keeps no memory for it', () => {
    const index = new DeduplicationIndex();
    const applied = new Map<string, number>();
    const changes = {
      set: <K, V>(map: Map<K, V>, key: K, value: V) => void map.set(key, value),
      deleteInOrder: <K, V>(map: Map<K, V>, key: K) => {
        applied.set(String(key), 1);
        map.delete(key);
      },
    };
    const publishAt = (key: string, time: number) =>
      index.evolve(
        {
          kind: 'message',
          id: `msg_${key}`,
          sequence: 0,
          at: time,
          offset: 0,
          previous: -1,
          by: null,
          event: { ...published, deduplicationKey: key } as MessageEvent,
          body: null,
          byteLength: 0,
        },
        changes as never,
      );
    publishAt('a', at);
    publishAt('b', at + 599_999);
    expect(found(index, 'a', at + 599_999)).toBe('msg_a');
    expect(found(index, 'a', at + 600_000)).toBeUndefined();
    publishAt('c', at + 600_000);
    expect(applied.has('a')).toBe(true);
    expect(found(index, 'b', at + 600_000)).toBe('msg_b');
  });

  it('distinguishes the endpoints of a URL group, and the group from them', () => {
    const index = new DeduplicationIndex();
    const changes = new TurnChanges();
    const once = { ...options, deduplicationKey: 'id:once' };
    const toOne = { ...once, topicName: 'orders', url: 'https://one.example.com/' };
    const event: MessagePublished = { type: 'MessagePublished', ...toOne };
    const envelope = {
      ...address,
      sequence: 0,
      offset: 0,
      previous: -1,
      by: null,
      event,
      body: null,
      byteLength: 0,
    };
    index.evolve(envelope, changes);
    expect(index.find(toOne, at)).toBe('it');
    expect(index.find({ ...toOne, url: 'https://two.example.com/' }, at)).toBeUndefined();
    expect(index.find({ ...toOne, topicName: 'others' }, at)).toBeUndefined();
    expect(index.find({ ...toOne, topicName: null }, at)).toBeUndefined();
  });
});

describe('any history of commands', () => {
  const command = fc.oneof(
    fc.constant(publish()),
    fc.constant(cancel),
    fc
      .tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(0, 200, 404, 500, 503), fc.boolean())
      .map(([attempt, status, nonRetryable]) => record(attempt, status, { nonRetryable })),
  );

  it('records at most 1 + retries attempts, ends once, and is the fold of its events', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const history: MessageEvent[] = [];
        for (const each of commands) {
          const before = given(decider, noDuplicates, ...history);
          if (each.type === 'PublishMessage' && history.length > 0) continue;
          const { events, state } = before.when(each);
          history.push(...(events ?? []));
          if (events === undefined) continue;
          expect(state).toEqual(given(decider, noDuplicates, ...history).state);
        }
        const attempts = history.filter((event) => 'attempt' in event);
        const ends = history.filter(({ type }) => /Delivered|Canceled|MessageFailed/.test(type));
        expect(attempts.length).toBeLessThanOrEqual(3);
        expect(ends.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
