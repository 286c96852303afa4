import type { EventEnvelope, TurnNames } from '../../../src/engine/decider.js';
import { callbacksOf } from '../../../src/messaging/messages/callback.policy.js';
import type {
  AttemptRecord,
  CallbackOptions,
  MessageEvent,
  MessagePublished,
} from '../../../src/messaging/messages/message.events.js';
import { evolveMessage, initialMessage } from '../../../src/messaging/messages/message.state.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { messageOptions } from '../../support/message-options.js';

const options = (url: string, changes: Partial<CallbackOptions> = {}): CallbackOptions => ({
  url,
  method: 'PUT',
  contentType: 'application/json',
  headers: ['X-Tenant', 'acme'],
  delayMs: 0,
  timeoutMs: 5000,
  maxRetries: 4,
  retryDelay: '100',
  labels: ['blue'],
  flowControl: { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 },
  redaction: { body: true, headers: [] },
  ...changes,
});
const callback = options('https://example.com/called');
const failureCallback = options('https://example.com/failed', { delayMs: 60_000 });

const record: AttemptRecord = {
  attempt: 1,
  startedAt: epochMs - 20,
  durationMs: 20,
  status: 500,
  headers: [],
  error: null,
};
const delivered: MessageEvent = { type: 'MessageDelivered', ...record, status: 200 };
const retried: MessageEvent = { type: 'AttemptFailed', ...record, retryAt: epochMs + 1000 };
const failed: MessageEvent = { type: 'MessageFailed', ...record, cause: 'exhausted' };
const canceled: MessageEvent = { type: 'MessageCanceled' };

function names(): TurnNames {
  let count = 0;
  return { next: (prefix) => `${prefix}_${++count}` };
}

/** The callbacks of a message with these options when `event` happens to it. */
function called(
  changes: Partial<MessagePublished>,
  event: MessageEvent,
  body: Buffer | null = null,
) {
  const published = envelope<MessageEvent>({
    ...messageOptions({ dialect: 'upstash', callerIp: '10.0.0.1', bodyBytes: 300 }),
    ...changes,
    type: 'MessagePublished',
  });
  const end: EventEnvelope<MessageEvent> = envelope(event, { offset: 9, sequence: 1, body });
  const pending = evolveMessage(initialMessage(), published.event, published);
  return callbacksOf(end, evolveMessage(pending, event, end), names());
}

const urls = (commands: ReturnType<typeof called>) => commands.map(({ message }) => message.url);

describe('a callback', () => {
  it.each([
    ['delivered', delivered],
    ['to be tried again', retried],
    ['failed', failed],
  ])('is called when the message is %s', (_how, event) => {
    expect(urls(called({ callback }, event))).toEqual([callback.url]);
  });

  it('is not called when the message is canceled', () => {
    expect(called({ callback, failureCallback }, canceled)).toEqual([]);
  });

  it('is a message with its own options, in the dialect of its source', () => {
    expect(called({ callback }, delivered)).toEqual([
      {
        type: 'PublishMessage',
        kind: 'message',
        id: 'msg_1',
        at: epochMs,
        body: Buffer.alloc(0),
        sharesBodyWith: null,
        message: {
          ...messageOptions(),
          dialect: 'upstash',
          url: callback.url,
          method: 'PUT',
          contentType: 'application/json',
          headers: ['X-Tenant', 'acme'],
          notBefore: epochMs,
          timeoutMs: 5000,
          maxRetries: 4,
          retryDelay: '100',
          labels: ['blue'],
          flowControl: callback.flowControl,
          redaction: callback.redaction,
          callerIp: '10.0.0.1',
          bodyBytes: expect.any(Number),
          callbackOf: {
            kind: 'callback',
            messageId: 'msg_1',
            publishedOffset: 7,
            attemptOffset: 9,
            dlqId: null,
          },
        },
      },
    ]);
  });

  it('has a delay of its own', () => {
    const [command] = called({ callback: { ...callback, delayMs: 5000 } }, delivered);
    expect(command?.message.notBefore).toBe(epochMs + 5000);
  });

  it('counts as at least the size of both bodies in base64', () => {
    const [command] = called({ callback }, delivered, Buffer.alloc(600));
    expect(command?.message.bodyBytes).toBeGreaterThanOrEqual(((300 + 600) * 4) / 3);
  });

  it('goes through no queue, and has no callback itself', () => {
    const [command] = called({ callback, queueName: 'q', topicName: 'g', scheduleId: 's' }, failed);
    expect(command?.message).toMatchObject({
      queueName: null,
      topicName: null,
      scheduleId: null,
      callback: null,
      failureCallback: null,
    });
  });
});

describe('a failure callback', () => {
  it('is called once the message has failed for good, after the callback', () => {
    expect(urls(called({ callback, failureCallback }, failed))).toEqual([
      callback.url,
      failureCallback.url,
    ]);
  });

  it.each([
    ['delivered', delivered],
    ['to be tried again', retried],
  ])('is not called when the message is %s', (_how, event) => {
    expect(called({ failureCallback }, event)).toEqual([]);
  });

  it('alone names the dead letter', () => {
    const sources = called({ callback, failureCallback }, failed).map(
      ({ message }) => message.callbackOf,
    );
    expect(sources).toMatchObject([
      { kind: 'callback', dlqId: null },
      { kind: 'failureCallback', dlqId: `${epochMs}-9s00` },
    ]);
  });
});

describe('a message that names no callback', () => {
  it.each([delivered, retried, failed, canceled])('publishes none: $type', (event) => {
    expect(called({}, event)).toEqual([]);
  });
});
