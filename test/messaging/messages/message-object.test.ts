import { headerMap } from '../../../src/grammar/headers.js';
import type { MessagePublished } from '../../../src/messaging/messages/message.events.js';
import { bodyField, messageObject } from '../../../src/messaging/messages/message-object.js';
import { redacted } from '../../../src/messaging/messages/redaction.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';
import { wire } from '../../support/wire.js';

const published = (changes: Partial<MessagePublished> = {}) =>
  envelope<MessagePublished>({
    ...messageOptions({ url: 'https://example.com/a', notBefore: epochMs }),
    ...changes,
    type: 'MessagePublished',
  });

const callback = callbackOptions({ headers: ['x-tenant', 'acme'] });

const mapOf = (entries: Record<string, string[]>) => Object.assign(Object.create(null), entries);

describe('a message with nothing but a destination', () => {
  it('is shown with the fields that are always present, and without any null', () => {
    expect(messageObject(published(), null)).toEqual({
      messageId: 'msg_1',
      url: 'https://example.com/a',
      method: 'POST',
      header: mapOf({}),
      maxRetries: 3,
      notBefore: epochMs,
      createdAt: epochMs,
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
    });
  });
});

describe('a message with everything', () => {
  const everything = published({
    contentType: 'text/plain',
    headers: ['x-tenant', 'acme'],
    topicName: 'group',
    endpointName: 'first',
    queueName: 'queue',
    scheduleId: 'schedule',
    callback,
    failureCallback: { ...callback, url: 'https://example.com/failed', headers: [] },
    labels: ['blue', 'green'],
    flowControl: { key: 'k', parallelism: 2, rate: 3, periodSeconds: 60 },
    retryDelay: '15000',
  });

  it('is shown with all of its fields', () => {
    expect(wire(messageObject(everything, Buffer.from('größe')))).toEqual({
      messageId: 'msg_1',
      url: 'https://example.com/a',
      method: 'POST',
      topicName: 'group',
      endpointName: 'first',
      queueName: 'queue',
      scheduleId: 'schedule',
      header: mapOf({ 'Content-Type': ['text/plain'], 'X-Tenant': ['acme'] }),
      body: 'größe',
      maxRetries: 3,
      notBefore: epochMs,
      createdAt: epochMs,
      callback: 'https://example.com/called',
      callbackHeader: mapOf({ 'Content-Type': ['application/json'], 'X-Tenant': ['acme'] }),
      failureCallback: 'https://example.com/failed',
      failureCallbackHeader: mapOf({ 'Content-Type': ['application/json'] }),
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
      label: 'blue',
      labels: ['blue', 'green'],
      flowControlKey: 'k',
      parallelism: 2,
      rate: 3,
      period: 60,
      retryDelayExpression: '15000',
    });
  });

  it('hides the headers that it redacts, its callbacks’ too', () => {
    const { event } = everything;
    const hiding = published({ ...event, redaction: { body: false, headers: ['x-tenant'] } });
    const shown = messageObject(hiding, null);
    expect(shown.header).toEqual(
      mapOf({ 'Content-Type': ['text/plain'], 'X-Tenant': [redacted('acme')] }),
    );
    expect(shown.callbackHeader?.['X-Tenant']).toEqual([redacted('acme')]);
  });

  it('lets a callback with its own redaction decide what it hides', () => {
    const own = { ...callback, redaction: { body: true, headers: [] } };
    const hiding = published({ callback: own, redaction: { body: false, headers: ['*'] } });
    expect(messageObject(hiding, null).callbackHeader?.['X-Tenant']).toEqual(['acme']);
  });
});

describe('flow control', () => {
  it.each([
    [
      { parallelism: 5, rate: null },
      { flowControlKey: 'k', parallelism: 5, period: 1 },
    ],
    [
      { parallelism: null, rate: 1 },
      { flowControlKey: 'k', rate: 1, period: 1 },
    ],
  ])('of %j omits limits that are not set', (limits, fields) => {
    const flowControl = { key: 'k', periodSeconds: 1, ...limits };
    const shown = messageObject(published({ flowControl }), null);
    expect(shown).toMatchObject(fields);
    expect(Object.keys(shown)).not.toContain(limits.rate === null ? 'rate' : 'parallelism');
  });
});

describe('a header map', () => {
  it('is in Title-Case and collects the values of each name', () => {
    expect(headerMap(null, ['x-a', '1', 'X-A', '2', '__proto__', 'p'])).toEqual(
      mapOf({ 'X-A': ['1', '2'], ['__proto__']: ['p'] }),
    );
  });

  it('has the content type only once', () => {
    expect(headerMap('text/plain', ['content-type', 'text/html'])).toEqual(
      mapOf({ 'Content-Type': ['text/plain'] }),
    );
  });
});

describe('a body', () => {
  it.each([
    [null, {}],
    [Buffer.alloc(0), {}],
    [Buffer.from('text'), { body: 'text' }],
    [Buffer.from([0xff, 0xfe]), { bodyBase64: '//4=' }],
  ])('%j is shown as %j', (body, field) => {
    expect(wire(bodyField(body))).toEqual(field);
  });
});
