import type { EventEnvelope } from '../../../src/engine/decider.js';
import { activeEntry, entriesOf } from '../../../src/messaging/logs/log-entry.js';
import { logRow } from '../../../src/messaging/logs/log-row.js';
import type {
  AttemptRecord,
  CallbackOptions,
  MessagePublished,
} from '../../../src/messaging/messages/message.events.js';
import { redacted } from '../../../src/messaging/messages/redaction.js';
import { messageOptions } from '../../support/message-options.js';

const publishedWith = (
  changes: Parameters<typeof messageOptions>[0] = {},
): EventEnvelope<MessagePublished> => ({
  kind: 'message',
  id: 'msg_1',
  sequence: 0,
  at: 1000,
  offset: 3,
  previous: -1,
  by: null,
  event: { type: 'MessagePublished', ...messageOptions(changes) },
  body: null,
  byteLength: 0,
});

const callback: CallbackOptions = {
  url: 'https://example.com/called-back',
  method: 'POST',
  contentType: 'application/json',
  headers: ['x-secret', 'hidden'],
  delayMs: 0,
  timeoutMs: null,
  maxRetries: 0,
  retryDelay: null,
  labels: [],
  flowControl: null,
  redaction: null,
};

const record: AttemptRecord = {
  attempt: 0,
  startedAt: 900,
  durationMs: 50,
  status: 503,
  headers: ['retry-after', '5'],
  error: null,
};

const failed = (changes: Partial<AttemptRecord> = {}) => {
  const event = { type: 'MessageFailed', ...record, ...changes, cause: 'exhausted' } as const;
  const [, error] = entriesOf({ event, at: 1000 });
  if (error === undefined) throw new Error('a failure has an error');
  return error;
};

describe('a row', () => {
  it('has the fields of every row, and omits those that its message lacks', () => {
    const message = { published: publishedWith(), body: null, redaction: null };
    expect(logRow(message, activeEntry(900, 1), null)).toEqual({
      time: 900,
      state: 'ACTIVE',
      messageId: 'msg_1',
      attempt: 2,
      url: 'https://example.com/hook',
      method: 'POST',
      maxRetries: 3,
      header: {},
      nextDeliveryTime: 900,
    });
  });

  it('has everything that its message was published with', () => {
    const published = publishedWith({
      contentType: 'text/plain',
      headers: ['x-tenant', 'acme'],
      timeoutMs: 30_000,
      retryDelay: '15000',
      labels: ['a', 'b'],
      flowControl: { key: 'k', parallelism: 2, rate: null, periodSeconds: 60 },
      callback,
      failureCallback: { ...callback, contentType: 'text/plain', headers: [] },
      queueName: 'q',
      topicName: 'group',
      endpointName: 'first',
      scheduleId: 's',
    });
    const message = { published, body: Buffer.from('hi'), redaction: null };
    expect(logRow(message, activeEntry(900, 1), null)).toMatchObject({
      header: { 'Content-Type': ['text/plain'], 'X-Tenant': ['acme'] },
      body: 'aGk=',
      timeout: 30_000,
      retryDelayExpr: '15000',
      retryDelayExpression: '15000',
      label: 'a',
      labels: ['a', 'b'],
      flowControlKey: 'k',
      parallelism: 2,
      period: 60,
      callback: callback.url,
      callbackHeaders: { 'Content-Type': ['application/json'], 'X-Secret': ['hidden'] },
      failureCallback: callback.url,
      failureCallbackHeaders: { 'Content-Type': ['text/plain'] },
      queueName: 'q',
      topicName: 'group',
      endpointName: 'first',
      scheduleId: 's',
    });
  });

  it('shows how an attempt failed, in both spellings', () => {
    const message = { published: publishedWith(), body: null, redaction: null };
    const row = logRow(message, failed(), { offset: 7, response: Buffer.from('try later') });
    expect(row).toMatchObject({
      state: 'ERROR',
      offset: 7,
      attempt: 1,
      durationMs: 50,
      error: 'the destination answered 503',
      responseStatus: 503,
      responseHeader: { 'Retry-After': ['5'] },
      responseHeaders: { 'Retry-After': ['5'] },
      responseBody: 'try later',
    });
  });

  it('has no response if there was none', () => {
    const message = { published: publishedWith(), body: null, redaction: null };
    const row = logRow(message, failed({ status: 0, headers: [], error: 'refused' }), null);
    expect(row.error).toBe('refused');
    expect(Object.keys(row).filter((name) => name.startsWith('response'))).toEqual([]);
  });

  it('shows 64 KiB of a response', () => {
    const message = { published: publishedWith(), body: null, redaction: null };
    const row = logRow(message, failed(), { offset: 7, response: Buffer.alloc(100_000, 'x') });
    expect(row.responseBody).toHaveLength(65_536);
  });

  it('shows digests in place of what its message hides', () => {
    const redaction = { body: true, headers: ['x-secret'] };
    const published = publishedWith({
      headers: ['x-secret', 'hidden', 'x-open', 'shown'],
      redaction,
      callback,
    });
    const message = { published, body: Buffer.from('secret'), redaction };
    expect(logRow(message, activeEntry(900, 1), null)).toMatchObject({
      header: { 'X-Secret': [redacted('hidden')], 'X-Open': ['shown'] },
      body: redacted('secret'),
      callbackHeaders: { 'X-Secret': [redacted('hidden')] },
    });
  });
});
