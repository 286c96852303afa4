import { dialects, readMessageOptions } from '../../../src/http/dialect.js';
import {
  readOverrides,
  retriedMessage,
} from '../../../src/messaging/dead-letters/retry.request.js';
import type { MessagePublished } from '../../../src/messaging/messages/message.events.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { messageOptions } from '../../support/message-options.js';

const rules = { retries: 3, retriesMax: 10, delayMaxMs: 86_400_000, timeoutMs: 60_000 };
const read = (...headers: string[]) =>
  readOverrides(readMessageOptions(headers, dialects.svc), rules, epochMs);

describe('the headers of a retry', () => {
  it('change nothing if there are none, and the retry starts at once', () => {
    expect(read()).toEqual({ ok: true, value: { delayMs: 0, notBefore: null, message: {} } });
    expect(read('Content-Type', 'text/plain', 'Upstash-Telemetry-Sdk', 'x')).toEqual(read());
  });

  it('change what they name, in any dialect', () => {
    const said = [
      ['Svc-Retries', '7'],
      ['upstash-retry-delay', '1000'],
      ['Svc-Timeout', '60s'],
      ['Svc-Delay', '1m'],
      ['Svc-Label', 'a, b'],
      ['Svc-Flow-Control-Key', 'k'],
      ['Svc-Flow-Control-Value', 'rate=2'],
    ];
    expect(read(...said.flat())).toEqual({
      ok: true,
      value: {
        delayMs: 60_000,
        notBefore: null,
        message: {
          timeoutMs: 60_000,
          maxRetries: 7,
          retryDelay: '1000',
          labels: ['a', 'b'],
          flowControl: { key: 'k', parallelism: null, rate: 2, periodSeconds: 1 },
        },
      },
    });
  });

  it('may name a time, and a time in the past means now', () => {
    const seconds = epochMs / 1000;
    const moments = [seconds + 30, seconds - 30].map((moment) =>
      read('Svc-Not-Before', String(moment)),
    );
    expect(moments).toMatchObject([
      { value: { notBefore: epochMs + 30_000 } },
      { value: { notBefore: epochMs } },
    ]);
  });

  it.each([
    ['Svc-Retries', 'many', 'invalid'],
    ['Svc-Retries', '11', 'over_limit'],
    ['Svc-Delay', '2d', 'over_limit'],
    ['Svc-Delay', 'soon', 'invalid'],
    ['Svc-Retry-Delay', 'process.exit()', 'invalid'],
    ['Svc-Label', 'a b', 'invalid'],
    ['Svc-Timeout', '0s', 'invalid'],
    ['Svc-Timeout', '2m', 'over_limit'],
    ['Svc-Flow-Control-Key', 'k', 'invalid'],
    ['Svc-Method', 'PUT', 'invalid'],
    ['Svc-Callback', 'https://example.com', 'invalid'],
    ['Svc-Callback-Retries', '1', 'invalid'],
    ['Svc-Failure-Callback-Delay', '1s', 'invalid'],
    ['Svc-Forward-X', '1', 'invalid'],
    ['Svc-Redact-Fields', 'body', 'invalid'],
    ['Svc-Deduplication-Id', 'x', 'invalid'],
    ['Svc-Queue-Name', 'q', 'invalid'],
    ['Svc-Retriess', '1', 'invalid'],
  ])('%s: %s is refused as %s', (name, value, code) => {
    expect(read(name, value)).toMatchObject({
      ok: false,
      code,
      message: expect.stringMatching(/^Svc-/),
    });
  });
});

describe('a message that is retried', () => {
  const original: MessagePublished = {
    ...messageOptions({
      dialect: 'upstash',
      url: 'https://example.com/a',
      headers: ['X-Tenant', 'acme'],
      labels: ['blue'],
      deduplicationKey: 'id:once',
      redaction: { body: true, headers: ['*'] },
      queueName: 'q',
      topicName: 'g',
      endpointName: 'e',
      scheduleId: 's',
      callerIp: '10.0.0.1',
      bodyBytes: 4,
    }),
    type: 'MessagePublished',
  };
  const none = { delayMs: 0, notBefore: null, message: {} };
  const retried = (changes: Partial<MessagePublished> = {}) =>
    retriedMessage(envelope({ ...original, ...changes }, { offset: 7 }), none, epochMs + 1);

  it('is the original, with its dialect and body, and is never a duplicate', () => {
    const { type, ...rest } = original;
    expect(retried()).toEqual({
      ...rest,
      notBefore: epochMs + 1,
      deduplicationKey: null,
      bodyOffset: 7,
    });
  });

  it('has the options and the time that the retry names', () => {
    const source = envelope(original, { offset: 7 });
    const message = { labels: ['new'], maxRetries: 9 };
    const delayed = retriedMessage(source, { delayMs: 500, notBefore: null, message }, epochMs);
    expect(delayed).toMatchObject({ ...message, notBefore: epochMs + 500, queueName: 'q' });
    const moment = { delayMs: 500, notBefore: epochMs + 9000, message: {} };
    expect(retriedMessage(source, moment, epochMs).notBefore).toBe(epochMs + 9000);
  });

  it('names the body that the original shared', () => {
    expect(retried({ bodyOffset: 3 }).bodyOffset).toBe(3);
  });

  it('stays a callback if it was one', () => {
    const callbackOf = {
      kind: 'callback' as const,
      messageId: 'msg_0',
      publishedOffset: 1,
      attemptOffset: 2,
      dlqId: null,
    };
    expect(retried({ callbackOf })).toMatchObject({ callbackOf, bodyOffset: null });
  });
});
