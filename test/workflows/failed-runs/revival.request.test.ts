import { ok, refused } from '../../../src/grammar/result.js';
import { dialects, readMessageOptions } from '../../../src/http/dialect.js';
import { readRevival } from '../../../src/workflows/failed-runs/revival.request.js';
import { epochMs } from '../../support/given.js';

const rules = {
  retries: 3,
  retriesMax: 10,
  delayMaxMs: 86_400_000,
  timeoutMs: 60_000,
  judgeUrl: (text: string) =>
    text.startsWith('https://') ? ok(text) : refused('must be an absolute URL'),
};
const read = (headers: readonly string[], isAboutOne = true) =>
  readRevival(readMessageOptions(headers, dialects.svc), rules, epochMs, isAboutOne);

const unchanged = {
  delayMs: 0,
  notBefore: null,
  message: {},
  flowControl: { key: null, value: null },
  runId: null,
  failureCallback: null,
};

describe('the headers of a resume or a restart', () => {
  it('change nothing if there are none, and the run starts at once', () => {
    expect(read([])).toEqual({ ok: true, value: unchanged });
    const beside = ['Content-Type', 'text/plain', 'Upstash-Telemetry-Sdk', 'x'];
    expect(read(beside)).toEqual(read([]));
  });

  it('change what they name, in any dialect', () => {
    const said = [
      ['Svc-Retries', '7'],
      ['upstash-retry-delay', '1000'],
      ['Svc-Timeout', '30s'],
      ['upstash-delay', '1m'],
      ['Svc-Label', 'a, b'],
      ['upstash-flow-control-key', 'k'],
      ['Svc-Flow-Control-Value', 'rate=2'],
      ['Svc-Failure-Callback', 'https://example.com/failed'],
      ['Svc-Workflow-RunId', ' once more '],
    ];
    expect(read(said.flat())).toEqual({
      ok: true,
      value: {
        delayMs: 60_000,
        notBefore: null,
        message: {
          timeoutMs: 30_000,
          maxRetries: 7,
          retryDelay: '1000',
          labels: ['a', 'b'],
        },
        flowControl: { key: 'k', value: { parallelism: null, rate: 2, periodSeconds: 1 } },
        runId: 'once more',
        failureCallback: 'https://example.com/failed',
      },
    });
  });

  it('may name a point in time, which overrides a delay', () => {
    const moment = ['Svc-Not-Before', String(epochMs / 1000 + 30), 'Svc-Delay', '1h'];
    expect(read(moment)).toMatchObject({ value: { notBefore: epochMs + 30_000 } });
  });

  it('cannot give many runs the same id', () => {
    expect(read(['Svc-Workflow-RunId', 'all'], false)).toMatchObject({
      ok: false,
      code: 'invalid',
      message: expect.stringMatching(/^Svc-Workflow-Runid cannot/),
    });
    expect(read(['Svc-Retries', '1'], false)).toMatchObject({ ok: true });
  });

  it.each([
    ['Svc-Retries', 'many', 'invalid'],
    ['Svc-Retries', '11', 'over_limit'],
    ['Svc-Delay', '2d', 'over_limit'],
    ['Svc-Retry-Delay', 'process.exit()', 'invalid'],
    ['Svc-Label', 'a b', 'invalid'],
    ['Svc-Flow-Control-Key', 'a b', 'invalid'],
    ['Svc-Flow-Control-Value', 'rate=0', 'invalid'],
    ['Svc-Failure-Callback', 'nowhere', 'invalid'],
    ['Svc-Failure-Callback-Retries', '1', 'invalid'],
    ['Svc-Callback', 'https://example.com', 'invalid'],
    ['Svc-Callback-Retries', '1', 'invalid'],
    ['Svc-Forward-X', '1', 'invalid'],
    ['Svc-Method', 'PUT', 'invalid'],
    ['Svc-Redact-Fields', 'body', 'invalid'],
    ['Svc-Workflow-Url', 'https://example.com', 'invalid'],
    ['Svc-Workflow-RunId', 'x'.repeat(513), 'invalid'],
    ['Svc-Retriess', '1', 'invalid'],
  ])('%s: %s is refused as %s', (name, value, code) => {
    expect(read([name, value])).toMatchObject({
      ok: false,
      code,
      message: expect.stringMatching(/^Svc-/),
    });
  });
});
