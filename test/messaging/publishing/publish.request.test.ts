import fc from 'fast-check';
import { endsWithTheHop } from '../../../src/grammar/headers.js';
import { ok, refused } from '../../../src/grammar/result.js';
import { dialects, readMessageOptions, readQueryOptions } from '../../../src/http/dialect.js';
import type { PublishRules } from '../../../src/messaging/publishing/option-reader.js';
import {
  type PublishRequest,
  parsePublish,
} from '../../../src/messaging/publishing/publish.request.js';
import { messageOptions } from '../../support/message-options.js';
import { requestContext } from '../../support/request-context.js';

const at = 1_767_000_000_000;
const rules: PublishRules = {
  retries: 3,
  retriesMax: 1000,
  delayMaxMs: 31_536_000_000,
  timeoutMs: 900_000,
  judgeUrl: (text) => (text.startsWith('https://') ? ok(text) : refused('is not a URL')),
};

type Headers = Readonly<Record<string, string>>;

/** `query` holds the options in the query of the destination. */
function publish(
  headers: Headers,
  changes: Partial<PublishRequest> = {},
  query: readonly string[] = [],
) {
  const rawHeaders = Object.entries(headers).flat();
  const request: PublishRequest = {
    destination: 'https://example.com/hook',
    rawHeaders,
    contentType: null,
    body: Buffer.from('body'),
    trace: [],
    queueName: null,
    mustRepeat: false,
    context: requestContext({ at }),
    ...changes,
  };
  const target = { kind: 'url', text: request.destination, options: [] } as const;
  const said = readMessageOptions([...rawHeaders, ...query], dialects.svc);
  return parsePublish(request, target, said, rules);
}

const read = (headers: Headers, changes: Partial<PublishRequest> = {}) => {
  const result = publish(headers, changes);
  if (!result.ok) throw new Error(result.message);
  return result;
};

const message = (headers: Headers, changes: Partial<PublishRequest> = {}) =>
  read(headers, changes).message;

const refusal = (headers: Headers) => {
  const result = publish(headers);
  return result.ok ? undefined : `${result.code}: ${result.message}`;
};

describe('a publish without options', () => {
  it('is an immediate POST with the default retries', () => {
    expect(read({})).toEqual({
      ok: true,
      message: { type: 'MessagePublished', ...messageOptions({ notBefore: at, bodyBytes: 4 }) },
      schedule: null,
    });
  });
});

describe('an option of a publish', () => {
  it.each([
    [{ 'Svc-Method': 'put' }, { method: 'PUT' }],
    [{ 'Upstash-Method': 'PATCH' }, { method: 'PATCH', dialect: 'upstash' }],
    [{ 'Svc-Delay': '1d10h30m' }, { notBefore: at + 124_200_000 }],
    [{ 'Svc-Delay': '10' }, { notBefore: at + 10_000 }],
    [{ 'Svc-Not-Before': '1767000100' }, { notBefore: at + 100_000 }],
    [{ 'Svc-Not-Before': '1' }, { notBefore: at }],
    [{ 'Svc-Not-Before': '1767000100', 'Svc-Delay': '1h' }, { notBefore: at + 100_000 }],
    [{ 'Svc-Timeout': '2.5s' }, { timeoutMs: 2500 }],
    [{ 'Svc-Timeout': '30' }, { timeoutMs: 30_000 }],
    [{ 'Svc-Timeout': '15m' }, { timeoutMs: 900_000 }],
    [{ 'Svc-Retries': '0' }, { maxRetries: 0 }],
    [{ 'Svc-Retries': '1000' }, { maxRetries: 1000 }],
    [{ 'Svc-Retry-Delay': 'pow(2, retried) * 1000' }, { retryDelay: 'pow(2, retried) * 1000' }],
    [{ 'Svc-Retry-Delay': '15000' }, { retryDelay: '15000' }],
    [{ 'Svc-Deduplication-Id': 'once' }, { deduplicationKey: 'id:once' }],
    [{ 'Svc-Content-Based-Deduplication': 'False' }, { deduplicationKey: null }],
    [{ 'Svc-Label': 'blue, green' }, { labels: ['blue', 'green'] }],
    [{ 'Svc-Forward-X-Tenant': 'acme' }, { headers: ['X-Tenant', 'acme'] }],
    [
      { 'X-Github-Event': 'push', 'Svc-Header-Forward': 'true', 'Svc-Forward-A': 'b' },
      { headers: ['X-Github-Event', 'push', 'A', 'b'] },
    ],
    [
      { 'Svc-Flow-Control-Key': 'k', 'Svc-Flow-Control-Value': 'rate=1, period=1m' },
      { flowControl: { key: 'k', parallelism: null, rate: 1, periodSeconds: 60 } },
    ],
    [{ 'Svc-Telemetry-Sdk': 'x', 'Svc-Message-Id': 'msg_1' }, { headers: [] }],
    [{ 'Svc-Queue-Name': 'submissions' }, { queueName: 'submissions' }],
    [
      { 'Svc-Redact-Fields': 'body, header[Authorization]' },
      { redaction: { body: true, headers: ['authorization'] } },
    ],
  ])('%j means %j', (headers, expected) => {
    expect(message(headers as Headers)).toMatchObject(expected);
  });

  it('may be GET if there is no body', () => {
    const body = Buffer.alloc(0);
    expect(message({ 'Svc-Method': 'get' }, { body })).toMatchObject({ method: 'GET' });
  });

  it.each([
    [{ 'Svc-Method': 'BREW' }, 'invalid: Svc-Method must be GET, POST, PUT, PATCH or DELETE'],
    [{ 'Upstash-Delay': 'soon' }, 'invalid: Upstash-Delay '],
    [{ 'Svc-Delay': '2y' }, 'over_limit: Svc-Delay '],
    [{ 'Svc-Not-Before': '99999999999' }, 'over_limit: Svc-Not-Before '],
    [{ 'Svc-Not-Before': 'x' }, 'invalid: Svc-Not-Before '],
    [{ 'Svc-Timeout': '0s' }, 'invalid: Svc-Timeout '],
    [{ 'Svc-Timeout': 'x' }, 'invalid: Svc-Timeout '],
    [{ 'Svc-Timeout': '901s' }, 'over_limit: Svc-Timeout must be at most 900s'],
    [{ 'Svc-Method': 'GET' }, 'invalid: Svc-Method is GET, which carries no body'],
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
    [{ 'Svc-Forward-X:Y': 'a' }, 'invalid: Svc-Forward contains an invalid header name'],
    [{ 'Svc-Queue-Name': 'a/b' }, 'invalid: Svc-Queue-Name '],
    [{ 'Svc-Redact-Fields': 'all' }, 'invalid: Svc-Redact-Fields must list'],
    [{ 'Svc-Header-Forward': '1' }, 'invalid: Svc-Header-Forward must be true or false'],
    [{ 'Svc-Schedule-Id': 'a' }, 'invalid: Svc-Cron is missing'],
    [{ 'Svc-Cron': '* * * * *', 'Svc-Deduplication-Id': 'a' }, 'invalid: Svc-Deduplication-Id '],
    [
      { 'Svc-Cron': '* * * * *', 'Svc-Content-Based-Deduplication': 'true' },
      'invalid: Svc-Content-Based-Deduplication means nothing for a schedule',
    ],
    [{ 'Svc-Callback': 'ftp://example.com' }, 'invalid: Svc-Callback is not a URL'],
    [{ 'Svc-Callback': '' }, 'invalid: Svc-Callback '],
    [{ 'Svc-Failure-Callback': 'x' }, 'invalid: Svc-Failure-Callback is not a URL'],
    [{ 'Svc-Workflow-Url': 'https://a.example' }, 'invalid: Svc-Workflow-Url means nothing'],
  ])('is refused in %j', (headers, expected) => {
    expect(refusal(headers as Headers)).toContain(expected);
  });

  it('is refused with the first invalid option, whatever a request contains', () => {
    const names = fc.constantFrom(
      ...['method', 'delay', 'not-before', 'timeout', 'retries', 'retry-delay', 'label'],
      ...['deduplication-id', 'content-based-deduplication', 'redact-fields', 'queue-name'],
      ...['flow-control-key', 'flow-control-value', 'cron', 'schedule-id', 'header-forward'],
      ...['callback', 'failure-callback', 'callback-retries', 'failure-callback-delay'],
      ...['forward-x', 'callback-forward-x', 'workflow-runid', 'anything'],
    );
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('3', '1h', 'true', 'body', 'k', 'rate=1', 'https://example.com', '* * * * *'),
    );
    fc.assert(
      fc.property(fc.dictionary(names, value, { maxKeys: 6 }), (options) => {
        const headers = Object.entries(options).map(([name, text]) => [`Svc-${name}`, text]);
        const result = publish(Object.fromEntries(headers));
        if (result.ok) return;
        const named = /^Svc-([A-Za-z-]+) /.exec(result.message)?.[1]?.toLowerCase() ?? '';
        const given = Object.keys(options);
        const counterpart = /^(flow-control-(key|value)|cron|(failure-)?callback)$/;
        expect(given.includes(named) || counterpart.test(named)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes time in proportion to its text, however long', () => {
    const long = '9,'.repeat(2_000_000);
    for (const name of ['Label', 'Redact-Fields', 'Flow-Control-Value', 'Retry-Delay', 'Delay']) {
      expect(refusal({ [`Svc-${name}`]: long })).toContain(`invalid: Svc-${name} `);
    }
  });
});

/** `.` and `..` are not valid names. */
const name = fc
  .stringMatching(/^[A-Za-z0-9._-]{1,20}$/)
  .filter((text) => text !== '.' && text !== '..');

/** Options that mean the same for a message and for a callback: the text and its meaning. */
const shared = fc.record(
  {
    method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
    delayMs: fc.nat({ max: 1_000_000 }).map((seconds) => seconds * 1000),
    timeoutMs: fc.integer({ min: 1, max: 900_000 }),
    maxRetries: fc.nat({ max: 1000 }),
    retryDelay: fc.constantFrom('1000', 'pow(2, retried) * 10', 'max(1, 2 * (1 + retried))'),
    labels: fc.array(name, { minLength: 1, maxLength: 5 }),
    flowControl: fc.record({
      key: name,
      parallelism: fc.integer({ min: 1, max: 1000 }),
      rate: fc.integer({ min: 1, max: 1000 }),
      periodSeconds: fc.integer({ min: 1, max: 604_800 }),
    }),
    headers: fc
      .dictionary(
        fc.stringMatching(/^[A-Z][a-z]{1,9}$/).filter((name) => !endsWithTheHop(name)),
        fc.stringMatching(/^[!-~]{0,9}$/),
      )
      .map((map) => Object.entries(map).flat()),
  },
  { requiredKeys: [] },
);
type Meant = typeof shared extends fc.Arbitrary<infer T> ? T : never;

/** The options as names without their prefix, and values. */
function written(selected: Meant): [string, string][] {
  const { flowControl, headers = [] } = selected;
  const pairs: [string, string | undefined][] = [
    ['Method', selected.method],
    ['Delay', selected.delayMs === undefined ? undefined : `${selected.delayMs / 1000}s`],
    ['Timeout', selected.timeoutMs === undefined ? undefined : `${selected.timeoutMs / 1000}s`],
    ['Retries', selected.maxRetries?.toString()],
    ['Retry-Delay', selected.retryDelay],
    ['Label', selected.labels?.join(', ')],
    ['Flow-Control-Key', flowControl?.key],
    [
      'Flow-Control-Value',
      flowControl &&
        `rate=${flowControl.rate},period=${flowControl.periodSeconds},` +
          `parallelism=${flowControl.parallelism}`,
    ],
  ];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    pairs.push([`Forward-${headers[index]}`, headers[index + 1]]);
  }
  return pairs.filter((pair): pair is [string, string] => pair[1] !== undefined);
}

const under = (prefix: string, selected: Meant) =>
  Object.fromEntries(written(selected).map(([name, value]) => [`${prefix}${name}`, value]));

describe('options that are written', () => {
  it('are read back, whichever they are', () => {
    fc.assert(
      fc.property(shared, (selected) => {
        const { delayMs = 0, ...options } = selected;
        expect(message(under('Svc-', selected))).toMatchObject({
          ...options,
          notBefore: at + delayMs,
        });
      }),
    );
  });

  it('mean the same in the query of a destination', () => {
    fc.assert(
      fc.property(shared, (selected) => {
        const lowerCase = {
          ...selected,
          headers: selected.headers?.map((text) => text.toLowerCase()),
        };
        const headers = under('svc-', lowerCase as Meant);
        const query = Object.entries(headers).map(
          ([name, value]) => `${name.toLowerCase()}=${encodeURIComponent(value)}`,
        );
        const options = readQueryOptions(query.join('&'), () => false);
        if (!options.ok) throw new Error(options.message);
        expect(publish({}, {}, options.value.pairs)).toEqual(publish(headers));
      }),
    );
  });

  it('mean the same for a callback as for a message', () => {
    fc.assert(
      fc.property(shared, shared, (ofMessage, ofCallback) => {
        const { callback, failureCallback, ...rest } = message({
          ...under('Svc-', ofMessage),
          ...under('Svc-Failure-Callback-', ofCallback),
          'Svc-Failure-Callback': 'https://example.com/failed',
        });
        expect(failureCallback).toEqual({
          url: 'https://example.com/failed',
          method: 'POST',
          contentType: 'application/json',
          headers: [],
          delayMs: 0,
          timeoutMs: null,
          maxRetries: rest.maxRetries,
          retryDelay: null,
          labels: [],
          flowControl: null,
          redaction: null,
          ...ofCallback,
        });
        expect(callback).toBeNull();
        expect({ callback, failureCallback: null, ...rest }).toEqual(
          message(under('Svc-', ofMessage)),
        );
      }),
    );
  });
});

describe('the queue of a publish', () => {
  it('is the one in the path, whatever the header says', () => {
    const headers = { 'Svc-Queue-Name': 'other' };
    expect(message(headers, { queueName: 'submissions' }).queueName).toBe('submissions');
  });
});

describe('a schedule', () => {
  it('must have an expression on routes for schedules', () => {
    const only = (headers: Headers) => publish(headers, { mustRepeat: true });
    expect(only({ 'Upstash-Method': 'GET' })).toMatchObject({
      ok: false,
      code: 'invalid',
      message: 'Upstash-Cron is missing',
    });
    expect(only({ 'Svc-Cron': '* * * * *' }).ok).toBe(true);
  });

  it('keeps its expression as it was written and may have an id', () => {
    const { schedule } = read({
      'Svc-Cron': ' CRON_TZ=Europe/Berlin 0 9 * * * ',
      'Svc-Schedule-Id': 'x',
    });
    expect(schedule).toEqual({ cron: 'CRON_TZ=Europe/Berlin 0 9 * * *', id: 'x' });
    expect(read({ 'Svc-Cron': '* * * * *' }).schedule).toEqual({ cron: '* * * * *', id: null });
  });

  it.each([
    [{ 'Svc-Cron': '' }, 'invalid: Svc-Cron must have 1 to 512 characters'],
    [{ 'Svc-Cron': ' '.repeat(600) }, 'invalid: Svc-Cron '],
    [{ 'Svc-Cron': '* * * * *', 'Svc-Schedule-Id': 'a b' }, 'invalid: Svc-Schedule-Id '],
    [{ 'Svc-Cron': '* * * * *', 'Svc-Not-Before': '1' }, 'invalid: Svc-Not-Before means nothing'],
  ])('is refused in %j', (headers, expected) => {
    expect(refusal(headers as Headers)).toContain(expected);
  });
});

describe('a callback', () => {
  it('is by default a POST of JSON with the retries of the message', () => {
    const headers = { 'Svc-Callback': 'https://example.com/called', 'Svc-Retries': '7' };
    expect(message(headers)).toMatchObject({
      failureCallback: null,
      callback: {
        url: 'https://example.com/called',
        method: 'POST',
        contentType: 'application/json',
        headers: [],
        delayMs: 0,
        timeoutMs: null,
        maxRetries: 7,
        retryDelay: null,
        labels: [],
        flowControl: null,
        redaction: null,
      },
    });
  });

  it('hides by default what the message hides', () => {
    const url = { 'Svc-Callback': 'https://example.com', 'Svc-Redact-Fields': 'header[X]' };
    expect(message(url).callback?.redaction).toEqual({ body: false, headers: ['x'] });
    const own = { ...url, 'Svc-Callback-Redact-Fields': 'body' };
    expect(message(own).callback?.redaction).toEqual({ body: true, headers: [] });
  });

  const families = ['Callback', 'Failure-Callback'] as const;

  it.each(families)('%s has options of its own, each like those of a message', (family) => {
    const own = {
      Method: 'PUT',
      Delay: '1m',
      Timeout: '2s',
      Retries: '0',
      'Retry-Delay': '1000 * retried',
      Label: 'a,b',
      'Flow-Control-Key': 'k',
      'Flow-Control-Value': 'parallelism=2',
      'Redact-Fields': 'body',
      'Forward-X-Tenant': 'acme',
    };
    const headers = Object.entries(own).map(([name, value]) => [`Svc-${family}-${name}`, value]);
    const { callback, failureCallback, ...rest } = message({
      [`Svc-${family}`]: 'https://example.com/called',
      ...Object.fromEntries(headers),
    });
    expect(family === 'Callback' ? callback : failureCallback).toEqual({
      url: 'https://example.com/called',
      method: 'PUT',
      contentType: 'application/json',
      headers: ['X-Tenant', 'acme'],
      delayMs: 60_000,
      timeoutMs: 2000,
      maxRetries: 0,
      retryDelay: '1000 * retried',
      labels: ['a', 'b'],
      flowControl: { key: 'k', parallelism: 2, rate: null, periodSeconds: 1 },
      redaction: { body: true, headers: [] },
    });
    expect(family === 'Callback' ? failureCallback : callback).toBeNull();
    expect(rest).toMatchObject({ method: 'POST', headers: [], labels: [], flowControl: null });
  });

  const refusedOptions = [
    ['Method', 'BREW', 'invalid'],
    ['Delay', 'x', 'invalid'],
    ['Delay', '2y', 'over_limit'],
    ['Timeout', '0', 'invalid'],
    ['Retries', 'x', 'invalid'],
    ['Retries', '1001', 'over_limit'],
    ['Retry-Delay', 'x', 'invalid'],
    ['Label', 'a b', 'invalid'],
    ['Redact-Fields', 'x', 'invalid'],
    ['Flow-Control-Value', 'rate=x', 'invalid'],
    ['Forward-X', 'a\r\nb', 'invalid'],
    ['Callback', 'https://example.com', 'invalid'],
    ['Failure-Callback-Delay', '1s', 'invalid'],
    ['Queue-Name', 'q', 'invalid'],
    ['Not-Before', '1', 'invalid'],
    ['Cron', '* * * * *', 'invalid'],
    ['Schedule-Id', 'x', 'invalid'],
    ['Deduplication-Id', 'x', 'invalid'],
    ['Content-Based-Deduplication', 'true', 'invalid'],
    ['Header-Forward', 'true', 'invalid'],
    ['Workflow-Runid', 'wfr_1', 'invalid'],
  ] as const;

  it.each(families.flatMap((family) => refusedOptions.map((each) => [family, ...each] as const)))(
    'Svc-%s-%s: %j is refused (%4$s)',
    (family, option, value, code) => {
      const name = `Svc-${family}-${option}`;
      const headers = { [`Svc-${family}`]: 'https://example.com', [name]: value };
      expect(refusal(headers)).toContain(`${code}: ${name} `);
    },
  );

  it.each(families)('%s needs its URL, not only options', (family) => {
    expect(refusal({ [`Upstash-${family}-Retries`]: '1' })).toBe(
      `invalid: Upstash-${family} is missing although its options are given`,
    );
  });
});

describe('deduplication by content', () => {
  const byContent = { 'Svc-Content-Based-Deduplication': 'True' };
  const key = (changes: Partial<PublishRequest>, headers = {}) =>
    message({ ...byContent, ...headers }, changes).deduplicationKey;

  it('gives equal publishes one key', () => {
    expect(key({})).toMatch(/^content:[0-9a-f]{64}$/);
    expect(key({})).toBe(key({}));
  });

  it('does not depend on the order and the case of forwarded headers', () => {
    const first = key({}, { 'Svc-Forward-A': '1', 'Svc-Forward-B': '2' });
    expect(key({}, { 'Svc-Forward-B': '2', 'svc-forward-a': '1' })).toBe(first);
    expect(key({}, { 'Svc-Forward-A': '2', 'Svc-Forward-B': '1' })).not.toBe(first);
  });

  it('distinguishes destination, content type, forwarded headers and body', () => {
    const keys = [
      key({}),
      key({ destination: 'https://example.com/other' }),
      key({ contentType: 'text/plain' }),
      key({ body: Buffer.from('other') }),
      key({}, { 'Svc-Forward-A': 'b' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
