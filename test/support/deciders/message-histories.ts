/** Random commands to messages, and messages registered as in the product. */
import fc from 'fast-check';
import type { Engine } from '../../../src/engine/engine.js';
import { flowControlDecider } from '../../../src/messaging/flow-control/flow-control.decider.js';
import { KeyUsage } from '../../../src/messaging/flow-control/key-usage.projection.js';
import type { MessageCommand } from '../../../src/messaging/messages/message.commands.js';
import { Messages } from '../../../src/messaging/messages/message.entity.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import { queueDecider } from '../../../src/messaging/queues/queue.decider.js';
import { messageOptions } from '../message-options.js';
import { carriesNothing, commandsTo, historyStart, minute } from './histories.js';

const few = { min: 0, max: 3 };
const anyMessage = fc.integer({ min: 0, max: 6 }).map((number) => `msg_${number}`);
const noHeaders: string[] = [];

/** The fields of a publish. */
export const publish = fc
  .record({
    id: anyMessage,
    maxRetries: fc.integer(few),
    retryDelay: fc.constantFrom(null, '1000', '1000 * pow(2, retried)'),
    deduplicationKey: fc.constantFrom(null, 'id:a', 'id:b', 'content:c'),
    flowControl: fc.constantFrom(
      null,
      { key: 'k', parallelism: 2, rate: null, periodSeconds: 1 },
      { key: 'k', parallelism: null, rate: 3, periodSeconds: 60 },
    ),
    queueName: fc.constantFrom(null, 'q'),
    labels: fc.subarray(['blue', 'green']),
    url: fc.constantFrom('https://example.com/a', 'http://example.com:8080?b'),
    body: fc.uint8Array({ maxLength: 20 }),
  })
  .map(({ id, body, ...chosen }) => ({
    type: 'PublishMessage' as const,
    id,
    body: Buffer.from(body),
    sharesBodyWith: null,
    message: messageOptions({ ...chosen, notBefore: historyStart, bodyBytes: body.length }),
  }));

/** The fields of an attempt that has ended. */
export const recordAttempt = fc
  .record({
    id: anyMessage,
    attempt: fc.integer(few),
    status: fc.constantFrom(0, 200, 204, 429, 500),
    nonRetryable: fc.boolean(),
    headers: fc.constantFrom(noHeaders, ['Retry-After', '120']),
  })
  .map(({ id, nonRetryable, ...outcome }) => ({
    type: 'RecordAttempt' as const,
    id,
    nonRetryable,
    responseBody: Buffer.from('answer'),
    terms: [],
    record: {
      ...outcome,
      startedAt: historyStart,
      durationMs: 20,
      error: outcome.status === 0 ? 'connection refused' : null,
    },
  }));

/** Publishes, attempts and ends of a few messages. */
export const messageCommands = commandsTo<MessageCommand>(
  messageKind,
  fc.oneof(
    { weight: 4, arbitrary: publish },
    { weight: 4, arbitrary: recordAttempt },
    fc.record({
      type: fc.constant('RescheduleMessage' as const),
      id: anyMessage,
      notBefore: fc.integer({ min: historyStart, max: historyStart + 10 * minute }),
      terms: fc.constant([]),
    }),
    fc.record({
      type: fc.constantFrom('CancelMessage' as const, 'CompleteMessage' as const),
      id: anyMessage,
      terms: fc.constant([]),
    }),
  ),
);

/** Registers messages and what follows them: usage of flow-control keys, and queues. */
export function registerMessages(engine: Engine, usage = new KeyUsage()): Messages {
  const messages = new Messages(engine);
  engine.carry('callEndpoint', carriesNothing);
  engine.register({ decider: flowControlDecider, view: usage, folds: [] });
  messages.follow(usage);
  engine.register({ decider: queueDecider, view: null, folds: [] });
  return messages;
}
