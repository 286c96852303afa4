import { callbackBody, type Reported } from '../../../src/messaging/delivery/callback-body.js';
import type {
  CallbackSource,
  MessagePublished,
} from '../../../src/messaging/messages/message.events.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { messageOptions } from '../../support/message-options.js';

const source: CallbackSource = {
  kind: 'callback',
  messageId: 'msg_1',
  publishedOffset: 7,
  attemptOffset: 9,
  dlqId: null,
};
const published = (changes: Partial<MessagePublished> = {}) =>
  envelope<MessagePublished>({
    ...messageOptions({
      url: 'https://example.com/a',
      method: 'PUT',
      contentType: 'text/plain',
      headers: ['X-Tenant', 'acme'],
      notBefore: epochMs + 500,
      maxRetries: 5,
    }),
    ...changes,
    type: 'MessagePublished',
  });
const attempt = (
  changes: Partial<Reported['attempt']['event']> = {},
  body: Buffer | null = Buffer.from([0xff, 0x00]),
): Reported['attempt'] =>
  envelope(
    {
      type: 'AttemptFailed',
      attempt: 2,
      startedAt: epochMs,
      durationMs: 10,
      status: 503,
      headers: ['retry-after', '5', 'Set-Cookie', 'a=1', 'set-cookie', 'b=2'],
      error: null,
      ...changes,
    },
    { offset: 9, body },
  );

const shown = (reported: Partial<Reported> = {}) => {
  const whole = {
    source,
    published: published(),
    sourceHeaders: ['X-Tenant', 'acme'],
    sourceBody: Buffer.from('sent'),
    attempt: attempt(),
    failedRun: null,
  };
  return JSON.parse(callbackBody({ ...whole, ...reported }).toString());
};

describe('the body of a callback', () => {
  it('reports the request, its destination and the response', () => {
    expect(shown()).toEqual({
      status: 503,
      header: { 'Retry-After': ['5'], 'Set-Cookie': ['a=1', 'b=2'] },
      body: '/wA=',
      retried: 2,
      maxRetries: 5,
      sourceMessageId: 'msg_1',
      url: 'https://example.com/a',
      method: 'PUT',
      sourceHeader: { 'Content-Type': ['text/plain'], 'X-Tenant': ['acme'] },
      sourceBody: Buffer.from('sent').toString('base64'),
      notBefore: String(epochMs + 500),
      createdAt: String(epochMs),
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
    });
  });

  it('says whether only the beginning of the answer was stored', () => {
    expect(shown()).not.toHaveProperty('bodyTruncated');
    expect(shown({ attempt: attempt({ bodyTruncated: true }) })).toMatchObject({
      body: '/wA=',
      bodyTruncated: true,
    });
  });

  it('reports the group, endpoint, schedule and dead letter if there are any', () => {
    const places = { topicName: 'group', endpointName: 'first', scheduleId: 'nightly' };
    const failure: CallbackSource = { ...source, kind: 'failureCallback', dlqId: '1-9' };
    expect(shown({ published: published(places), source: failure })).toMatchObject({
      ...places,
      dlqId: '1-9',
    });
  });

  it('gives the reason for a missing response as its body', () => {
    const refused = attempt({ status: 0, headers: [], error: 'connection refused' }, null);
    expect(shown({ attempt: refused })).toMatchObject({
      status: 0,
      header: {},
      body: Buffer.from('connection refused').toString('base64'),
    });
  });

  it('has empty bodies if there were none', () => {
    expect(shown({ sourceBody: null, attempt: attempt({}, null) })).toMatchObject({
      body: '',
      sourceBody: '',
    });
  });

  it('includes what its source redacts: a delivery is never redacted', () => {
    const hiding = published({ redaction: { body: true, headers: ['*'] } });
    expect(shown({ published: hiding })).toMatchObject({
      sourceBody: Buffer.from('sent').toString('base64'),
      sourceHeader: { 'X-Tenant': ['acme'] },
    });
  });
});
