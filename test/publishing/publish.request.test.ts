import { dialects, readMessageOptions } from '../../src/http/dialect.js';
import { type PublishInput, parsePublish } from '../../src/publishing/publish.request.js';

const at = 1_767_000_000_000;
const limits = { retries: 3, retriesMax: 1000, delayMaxMs: 31_536_000_000, timeoutMs: 900_000 };

function publish(headers: Record<string, string>, changes: Partial<PublishInput> = {}) {
  const rawHeaders = Object.entries(headers).flat();
  return parsePublish(
    {
      url: 'https://example.com/hook',
      headers: readMessageOptions(rawHeaders, dialects.svc),
      contentType: null,
      plainHeaders: () => ['X-Github-Event', 'push'],
      body: Buffer.from('body'),
      callerIp: '127.0.0.1',
      at,
      ...changes,
    },
    limits,
  );
}

const message = (headers: Record<string, string>, changes: Partial<PublishInput> = {}) => {
  const result = publish(headers, changes);
  if (!result.ok) throw new Error(result.refusal.message);
  return result.message;
};

const refusal = (headers: Record<string, string>) => {
  const result = publish(headers);
  return result.ok ? undefined : `${result.refusal.code}: ${result.refusal.message}`;
};

describe('a publish without options', () => {
  it('is a POST at once with the default retries', () => {
    expect(message({})).toEqual({
      dialect: 'svc',
      url: 'https://example.com/hook',
      method: 'POST',
      contentType: null,
      headers: [],
      notBefore: at,
      timeoutMs: null,
      maxRetries: 3,
      retryDelay: null,
      labels: [],
      flowControl: null,
      deduplicationKey: null,
      callerIp: '127.0.0.1',
      bodyBytes: 4,
    });
  });
});

describe('an option of a publish', () => {
  it.each([
    [{ 'Svc-Method': 'put' }, { method: 'PUT' }],
    [{ 'Upstash-Method': 'GET' }, { method: 'GET', dialect: 'upstash' }],
    [{ 'Svc-Delay': '1d10h30m' }, { notBefore: at + 124_200_000 }],
    [{ 'Svc-Delay': '10' }, { notBefore: at + 10_000 }],
    [{ 'Svc-Not-Before': '1767000100' }, { notBefore: at + 100_000 }],
    [{ 'Svc-Not-Before': '1' }, { notBefore: at }],
    [{ 'Svc-Not-Before': '1767000100', 'Svc-Delay': '1h' }, { notBefore: at + 100_000 }],
    [{ 'Svc-Timeout': '2.5s' }, { timeoutMs: 2500 }],
    [{ 'Svc-Timeout': '30' }, { timeoutMs: 30_000 }],
    [{ 'Svc-Timeout': '24h' }, { timeoutMs: 900_000 }],
    [{ 'Svc-Retries': '0' }, { maxRetries: 0 }],
    [{ 'Svc-Retries': '1000' }, { maxRetries: 1000 }],
    [{ 'Svc-Retry-Delay': 'pow(2, retried) * 1000' }, { retryDelay: 'pow(2, retried) * 1000' }],
    [{ 'Svc-Retry-Delay': '15000' }, { retryDelay: '15000' }],
    [{ 'Svc-Deduplication-Id': 'once' }, { deduplicationKey: 'id:once' }],
    [{ 'Svc-Content-Based-Deduplication': 'False' }, { deduplicationKey: null }],
    [{ 'Svc-Label': 'blue, green' }, { labels: ['blue', 'green'] }],
    [{ 'Svc-Forward-X-Tenant': 'acme' }, { headers: ['X-Tenant', 'acme'] }],
    [
      { 'Svc-Header-Forward': 'true', 'Svc-Forward-A': 'b' },
      { headers: ['X-Github-Event', 'push', 'A', 'b'] },
    ],
    [
      { 'Svc-Flow-Control-Key': 'k', 'Svc-Flow-Control-Value': 'rate=1, period=1m' },
      { flowControl: { key: 'k', parallelism: null, rate: 1, periodSeconds: 60 } },
    ],
    [{ 'Svc-Telemetry-Sdk': 'x', 'Svc-Message-Id': 'msg_1' }, { headers: [] }],
  ])('%j means %j', (headers, expected) => {
    expect(message(headers as unknown as Record<string, string>)).toMatchObject(expected);
  });

  it.each([
    [{ 'Svc-Method': 'BREW' }, 'invalid: Svc-Method must be GET, POST, PUT, PATCH or DELETE'],
    [{ 'Upstash-Delay': 'soon' }, 'invalid: Upstash-Delay '],
    [{ 'Svc-Delay': '2y' }, 'over_limit: Svc-Delay '],
    [{ 'Svc-Not-Before': '99999999999' }, 'over_limit: Svc-Not-Before '],
    [{ 'Svc-Not-Before': 'x' }, 'invalid: Svc-Not-Before '],
    [{ 'Svc-Timeout': '0s' }, 'invalid: Svc-Timeout '],
    [{ 'Svc-Timeout': 'x' }, 'invalid: Svc-Timeout '],
    [{ 'Svc-Retries': '-1' }, 'invalid: Svc-Retries '],
    [{ 'Svc-Retries': '1.5' }, 'invalid: Svc-Retries '],
    [{ 'Svc-Retries': '1001' }, 'over_limit: Svc-Retries '],
    [{ 'Svc-Retry-Delay': 'process.exit()' }, 'invalid: Svc-Retry-Delay '],
    [{ 'Svc-Retry-Delay': '' }, 'invalid: Svc-Retry-Delay '],
    [{ 'Svc-Deduplication-Id': '' }, 'invalid: Svc-Deduplication-Id '],
    [{ 'Svc-Content-Based-Deduplication': 'yes' }, 'invalid: Svc-Content-Based-Deduplication '],
    [{ 'Svc-Label': 'a b' }, 'invalid: Svc-Label '],
    [{ 'Svc-Label': 'a,,b' }, 'invalid: Svc-Label '],
    [{ 'Svc-Flow-Control-Key': 'k' }, 'invalid: Svc-Flow-Control-Value is missing'],
    [{ 'Svc-Flow-Control-Value': 'rate=1' }, 'invalid: Svc-Flow-Control-Key is missing'],
    [
      { 'Svc-Flow-Control-Key': 'k', 'Svc-Flow-Control-Value': 'rate=x' },
      'invalid: Svc-Flow-Control-Value ',
    ],
    [{ 'Svc-Forward-X': 'a\r\nHost: b' }, 'invalid: Svc-Forward-X has a value'],
    [{ 'Svc-Forward-X': '\u2192' }, 'invalid: Svc-Forward-X has a value'],
    [{ 'Svc-Forward-X:Y': 'a' }, 'invalid: Svc-Forward names what is no header name'],
    [{ 'Svc-Callback': 'https://example.com' }, 'invalid: Svc-Callback is not supported'],
    [{ 'Svc-Workflow-Runid': 'wfr_1' }, 'invalid: Svc-Workflow-Runid is not supported'],
  ])('is refused in %j', (headers, expected) => {
    expect(refusal(headers as unknown as Record<string, string>)).toContain(expected);
  });
});

describe('deduplication by content', () => {
  const byContent = { 'Svc-Content-Based-Deduplication': 'True' };
  const key = (changes: Partial<PublishInput>, headers = {}) =>
    message({ ...byContent, ...headers }, changes).deduplicationKey;

  it('gives equal publishes one key', () => {
    expect(key({})).toMatch(/^content:[0-9a-f]{64}$/);
    expect(key({})).toBe(key({}));
  });

  it('tells destination, content type, forwarded headers and body apart', () => {
    const keys = [
      key({}),
      key({ url: 'https://example.com/other' }),
      key({ contentType: 'text/plain' }),
      key({ body: Buffer.from('other') }),
      key({}, { 'Svc-Forward-A': 'b' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
