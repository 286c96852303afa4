import { webhookHeaders } from '../../../src/topics/produce/webhook-headers.js';

const shown = (...pairs: readonly string[]) =>
  webhookHeaders(pairs).map(({ name, value }) => [name, value?.toString()]);

describe('the headers of a webhook', () => {
  it('are kept in their order, repeated ones too, with names in lower case', () => {
    expect(shown('X-Kind', 'demo', 'X-GitHub-Event', 'push', 'x-kind', 'again', 'x', '')).toEqual([
      ['x-kind', 'demo'],
      ['x-github-event', 'push'],
      ['x-kind', 'again'],
      ['x', ''],
    ]);
  });

  it('keep the bytes that were received', () => {
    const utf8 = Buffer.from('grüße').toString('latin1');
    expect(shown('x-text', utf8)).toEqual([['x-text', 'grüße']]);
    const [header] = webhookHeaders(['x-byte', '\u00ff']);
    expect(header?.value).toEqual(Buffer.from([0xff]));
  });

  it.each([
    'Host',
    'Content-Type',
    'Authorization',
    'Cookie',
    'User-Agent',
    'Via',
    'Forwarded',
    'Accept-Encoding',
    'Transfer-Encoding',
    'X-Forwarded-For',
    'x-forwarded-client-cert',
    'X-Real-IP',
    'X-Request-Id',
    'traceparent',
    'tracestate',
    'X-B3-TraceId',
    'X-Amzn-Trace-Id',
    'CF-Connecting-IP',
    'Fastly-Client-IP',
    'Sec-Fetch-Mode',
    'Idempotency-Key',
    'Stream-Encoding',
    'Kafka-Enable-Auto-Commit',
    'Svc-Retries',
    'Upstash-Method',
    'Stepwell-Durability',
  ])('that concern the transport are dropped: %s', (name) => {
    expect(shown(name, 'v', 'x-kept', 'v')).toEqual([['x-kept', 'v']]);
  });

  it.each(['X-Hub-Signature-256', 'Stripe-Signature', 'X-Shopify-Topic', 'cfg', 'secret'])(
    'that concern the message are kept: %s',
    (name) => expect(shown(name, 'v')).toEqual([[name.toLowerCase(), 'v']]),
  );
});
