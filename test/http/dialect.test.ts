import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { version } from '../../src/grammar/version.js';
import {
  dialects,
  optionOf,
  plainHeaders,
  readLogOptions,
  readMessageOptions,
  readQueryOptions,
} from '../../src/http/dialect.js';

const { svc, upstash } = dialects;

test('options are read in any dialect, and the first one decides', () => {
  const pairs = ['Host', 'a', 'Upstash-Retries', '3', 'svc-DELAY', '5s', 'SVC-Label', 'x'];
  const { dialect, options } = readMessageOptions(pairs, svc);
  expect(dialect).toBe(upstash);
  expect([...options]).toEqual([
    ['retries', '3'],
    ['delay', '5s'],
    ['label', 'x'],
  ]);
});

test('a request without options uses the configured dialect', () => {
  expect(readMessageOptions(['Host', 'a', 'Svc-', 'x'], upstash).dialect).toBe(upstash);
});

test('forwarded headers keep their order and case and lose their prefix once', () => {
  const { forwarded, options } = readMessageOptions(
    ['Svc-Forward-X-B', '1', 'Upstash-forward-Svc-Retries', '2', 'svc-forward-x-b', '3'],
    svc,
  );
  expect(forwarded).toEqual(['X-B', '1, 3', 'Svc-Retries', '2']);
  expect(options.size).toBe(0);
});

test('options of a callback are separate, with separate headers', () => {
  const { options, forwarded, callback, failureCallback } = readMessageOptions(
    [
      ...[
        'Svc-Callback',
        'https://a',
        'Svc-Callback-Retries',
        '1',
        'svc-callback-forward-X-A',
        '2',
      ],
      ...['Svc-Failure-Callback-Delay', '3s', 'Svc-Forward-Callback-X', '4', 'Svc-Callback-', '5'],
    ],
    svc,
  );
  expect([...options]).toEqual([
    ['callback', 'https://a'],
    ['callback-', '5'],
  ]);
  expect(forwarded).toEqual(['Callback-X', '4']);
  expect(callback).toEqual({
    prefix: 'Svc-Callback-',
    options: new Map([['retries', '1']]),
    forwarded: ['X-A', '2'],
  });
  expect(failureCallback).toEqual({
    prefix: 'Svc-Failure-Callback-',
    options: new Map([['delay', '3s']]),
    forwarded: [],
  });
});

test('a message without callback options has none', () => {
  expect(readMessageOptions(['Svc-Callback', 'https://a'], svc)).toMatchObject({
    callback: null,
    failureCallback: null,
  });
});

test('repeated options are joined, and telemetry is dropped', () => {
  const pairs = ['Svc-Label', 'a', 'upstash-label', 'b', 'Upstash-Telemetry-Sdk', 'x'];
  expect([...readMessageOptions(pairs, svc).options]).toEqual([['label', 'a, b']]);
});

test('names of members of every object are ordinary options', () => {
  const { options, forwarded } = readMessageOptions(
    ['Svc-__proto__', 'a', 'Svc-constructor', 'b', 'Svc-Forward-__proto__', 'c'],
    svc,
  );
  expect([...options.keys()]).toEqual(['__proto__', 'constructor']);
  expect(forwarded).toEqual(['__proto__', 'c']);
});

test('log options have their own prefixes', () => {
  const pairs = ['Kafka-Auto-Commit', 'true', 'stream-x', '1', 'Svc-Delay', '1s'];
  expect([...readLogOptions(pairs)]).toEqual([
    ['auto-commit', 'true'],
    ['x', '1'],
  ]);
});

test('plain headers are all except options and credentials', () => {
  const pairs = ['Authorization', 'Bearer x', 'X-A', '1', 'Svc-Delay', '1s', 'x-a', '2'];
  expect(plainHeaders(pairs)).toEqual(['X-A', '1, 2']);
});

test('query options and our token leave the destination its own parameters', () => {
  const query = 'a=%20b&token=ours&svc-retries=3&token=theirs&upstash-forward-x=1+2%2C&Svc-B=c&&d';
  expect(readQueryOptions(query, (token) => token === 'ours')).toEqual({
    ok: true,
    value: {
      pairs: ['svc-retries', '3', 'upstash-forward-x', '1 2,'],
      rest: 'a=%20b&token=theirs&Svc-B=c&&d',
    },
  });
});

test('an option that is not valid UTF-8 is refused by name', () => {
  expect(readQueryOptions('svc-label=%ff', () => false)).toMatchObject({
    ok: false,
    message: 'the query option svc-label is not valid UTF-8',
  });
});

test('a query without options is unchanged, byte for byte', () => {
  fc.assert(
    fc.property(fc.webQueryParameters(), (query) => {
      fc.pre(!/(^|&)(svc|upstash)-/.test(query));
      const result = readQueryOptions(query, () => false);
      expect(result).toEqual({ ok: true, value: { pairs: [], rest: query } });
    }),
  );
});

test('a hundred thousand forwarded names do not take quadratic time', () => {
  const pairs = Array.from({ length: 100_000 }, (_, index) => [`Svc-Forward-${index}`, 'x']).flat();
  expect(readMessageOptions(pairs, svc).forwarded).toHaveLength(200_000);
});

test('the version in the user agent is that of the package', async () => {
  const text = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
  expect(JSON.parse(text).version).toBe(version);
});

test('a header of any dialect names an option, in any case', () => {
  expect(optionOf('Svc-Retried')).toBe('retried');
  expect(optionOf('uPSTASH-Workflow-RunId')).toBe('workflow-runid');
  for (const header of ['Svc-', 'Svcs-Retried', 'X-Svc-Retried', 'Stream-Label', '']) {
    expect(optionOf(header)).toBeNull();
  }
});
