/** Histories of messages for tests of their log, and the simplest possible way to list them. */
import fc from 'fast-check';
import type { EventEnvelope } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import type { RunningAttempt } from '../../../src/messaging/logs/log-source.js';
import type { LogQuery } from '../../../src/messaging/logs/logs.request.js';
import type {
  CancelMessage,
  PublishMessage,
  RecordAttempt,
} from '../../../src/messaging/messages/message.commands.js';
import {
  type MessageEvent,
  type MessagePublished,
  messageKind,
} from '../../../src/messaging/messages/message.events.js';
import { messageTerms } from '../../../src/messaging/messages/recorded-events.js';
import { messageOptions } from '../../support/message-options.js';

/** Later than the engine's own clock, which dates the shapes of events. */
export const startedMs = 1_900_000_000_000;

const urls = ['https://a.example/x', 'https://a.example/y?z=1', 'https://b.example:8443/x'];
const words = ['red', 'green', 'blue'];
const addresses = ['10.0.0.1', '::1'];

/** An event of one of the messages, or a new message. */
const step = fc.record({
  what: fc.constantFrom('publish', 'publish', 'attempt', 'attempt', 'attempt', 'cancel'),
  /** Index of the message, modulo the number of messages. */
  pick: fc.nat(20),
  url: fc.constantFrom(...urls),
  labels: fc.uniqueArray(fc.constantFrom(...words), { maxLength: 2 }),
  scheduleId: fc.option(fc.constantFrom(...words)),
  topicName: fc.option(fc.constantFrom(...words)),
  callerIp: fc.constantFrom(...addresses),
  isSuccess: fc.boolean(),
  /** Milliseconds since the previous step; the clock may be set back. */
  later: fc.integer({ min: -50, max: 5000 }),
  took: fc.integer({ min: 0, max: 8000 }),
});
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

export const history = fc.array(step, { minLength: 1, maxLength: 60 });

const some = (...values: readonly string[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 }), {
    freq: 3,
  });
const date = fc.option(fc.integer({ min: startedMs - 1000, max: startedMs + 60_000 }), { freq: 4 });

/** A query that has results in such a history. */
export const question: fc.Arbitrary<LogQuery> = fc.record({
  messageIds: some('msg_0', 'msg_1', 'msg_2', 'msg_nobody'),
  states: fc.option(
    fc
      .subarray([
        'CREATED',
        'ACTIVE',
        'RETRY',
        'ERROR',
        'DELIVERED',
        'FAILED',
        'CANCEL_REQUESTED',
        'CANCELED',
      ] as const)
      .map((states) => new Set(states)),
    { freq: 2 },
  ),
  url: some(...urls),
  host: some('a.example', 'b.example'),
  path: some('/x', '/y'),
  label: some(...words),
  topicName: some(...words),
  scheduleId: some(...words),
  queueName: fc.constant(null),
  flowControlKey: fc.constant(null),
  callerIp: some(...addresses),
  sourceMessageId: fc.constant(null),
  fromDate: date,
  toDate: date,
  count: fc.integer({ min: 1, max: 12 }),
  order: fc.constantFrom('latestFirst' as const, 'earliestFirst' as const),
  contains: fc.constant(null),
  trimBody: fc.constant(null),
  cursor: fc.constant(null),
});

/** Plays the history; returns the attempts that are in flight at its end. */
export async function live(engine: Engine, steps: readonly Step[]): Promise<RunningAttempt[]> {
  const messages: PublishMessage[] = [];
  let at = startedMs;
  for (const each of steps) {
    at += each.later;
    const target = messages[each.pick % Math.max(1, messages.length)];
    if (each.what === 'publish' || target === undefined) {
      const publish = publishOf(`msg_${messages.length}`, at, each);
      messages.push(publish);
      await engine.dispatch([publish]);
    } else if (each.what === 'cancel') {
      const terms = messageTerms(target.message);
      const { kind, id } = target;
      const cancel: CancelMessage = { type: 'CancelMessage', kind, id, at, terms };
      await engine.dispatch([cancel]);
    } else await attempt(engine, target, at, each);
  }
  return runningOf(engine, messages, at);
}

function publishOf(id: string, at: number, each: Step): PublishMessage {
  const { url, labels, scheduleId, topicName, callerIp } = each;
  const body = Buffer.from(id);
  return {
    type: 'PublishMessage',
    kind: messageKind,
    id,
    at,
    body,
    sharesBodyWith: null,
    message: messageOptions({
      url,
      labels,
      scheduleId,
      topicName,
      callerIp,
      notBefore: at,
      maxRetries: 2,
      retryDelay: '1000',
      bodyBytes: body.length,
    }),
  };
}

async function attempt(engine: Engine, target: PublishMessage, at: number, each: Step) {
  const state = engine.actors(messageKind).find(target.id)?.state as { attempts?: number };
  const record: RecordAttempt = {
    type: 'RecordAttempt',
    kind: messageKind,
    id: target.id,
    at,
    nonRetryable: false,
    responseBody: Buffer.from('answer'),
    terms: messageTerms(target.message),
    record: {
      attempt: state?.attempts ?? 0,
      startedAt: at - each.took,
      durationMs: each.took,
      status: each.isSuccess ? 200 : 500,
      headers: [],
      error: null,
    },
  };
  await engine.dispatch([record]);
}

/** Every second message that is not final is being delivered. */
function runningOf(engine: Engine, messages: readonly PublishMessage[], at: number) {
  return messages.flatMap(({ id }, index): RunningAttempt[] => {
    const actor = engine.actors(messageKind).find(id);
    if (actor === undefined || index % 2 === 1) return [];
    // Several of them began in the same millisecond.
    const startedAt = at + (index % 3);
    return [{ messageId: id, attempt: 0, startedAt, publishedOffset: actor.firstOffset }];
  });
}

/** Identifies a row among all others, in order. */
export type ListedRow = readonly [messageId: string, state: string, time: number];

/** All rows, oldest first, then filtered: without an index and without pages. */
export function listed(
  events: readonly EventEnvelope[],
  running: readonly RunningAttempt[],
  query: LogQuery,
): ListedRow[] {
  const published = new Map<string, MessagePublished>();
  const rows: ListedRow[] = [];
  for (const { kind, id, at, event } of events as EventEnvelope<MessageEvent>[]) {
    if (kind !== messageKind) continue;
    if (event.type === 'MessagePublished') published.set(id, event);
    if ('startedAt' in event) rows.push([id, 'ACTIVE', event.startedAt]);
    rows.push(...(statesOf[event.type] ?? []).map((state): ListedRow => [id, state, at]));
  }
  const rising = [...running].sort(
    (one, other) => one.startedAt - other.startedAt || (one.messageId < other.messageId ? -1 : 1),
  );
  rows.push(...rising.map((each): ListedRow => [each.messageId, 'ACTIVE', each.startedAt]));
  const selected = rows.filter((row) => isSelected(row, published.get(row[0]), query));
  return query.order === 'latestFirst' ? selected.reverse() : selected;
}

const statesOf: Readonly<Record<MessageEvent['type'], readonly string[]>> = {
  MessagePublished: ['CREATED'],
  MessageDelivered: ['DELIVERED'],
  AttemptFailed: ['ERROR', 'RETRY'],
  MessageRescheduled: ['RETRY'],
  MessageFailed: ['ERROR', 'FAILED'],
  MessageCompleted: ['DELIVERED'],
  MessageCanceled: ['CANCEL_REQUESTED', 'CANCELED'],
};

function isSelected(
  [id, state, time]: ListedRow,
  message: MessagePublished | undefined,
  query: LogQuery,
): boolean {
  if (message === undefined) throw new Error(`nobody published ${id}`);
  const { host, pathname } = new URL(message.url);
  const allowed: [readonly string[] | null | undefined, readonly (string | null)[]][] = [
    [query.messageIds, [id]],
    [query.url, [message.url]],
    [query.host, [host, host.replace(/:\d+$/, '')]],
    [query.path, [pathname]],
    [query.label, message.labels],
    [query.topicName, [message.topicName]],
    [query.scheduleId, [message.scheduleId]],
    [query.callerIp, [message.callerIp]],
    [query.states === null ? null : [...query.states], [state]],
  ];
  return (
    allowed.every(([wanted, has]) => !wanted || has.some((one) => wanted.includes(one ?? ''))) &&
    time >= (query.fromDate ?? 0) &&
    time <= (query.toDate ?? Number.POSITIVE_INFINITY)
  );
}
