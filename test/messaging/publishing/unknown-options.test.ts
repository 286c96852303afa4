import { readdirSync, readFileSync } from 'node:fs';
import { dialects, readMessageOptions } from '../../../src/http/dialect.js';
import {
  unknownOptions,
  warningHeader,
} from '../../../src/messaging/publishing/unknown-options.js';

const unknown = (...names: readonly string[]) =>
  unknownOptions(
    readMessageOptions(
      names.flatMap((name) => [name, 'x']),
      dialects.svc,
    ),
  );

describe('an unknown option', () => {
  it.each([
    ['Svc-Retrys', 'Svc-Retries'],
    ['svc-retry', 'Svc-Retries'],
    ['Upstash-Retires', 'Upstash-Retries'],
    ['Svc-RetryDelay', 'Svc-Retry-Delay'],
    ['Svc-Delays', 'Svc-Delay'],
    ['Svc-Timeouts', 'Svc-Timeout'],
    ['Svc-Callbacks', 'Svc-Callback'],
    ['Svc-Flow-Control', 'Svc-Flow-Control-Key'],
    ['Svc-Deduplication', 'Svc-Deduplication-Id'],
    ['Svc-Callback-Retrys', 'Svc-Callback-Retries'],
    ['Upstash-Failure-Callback-Dealy', 'Upstash-Failure-Callback-Delay'],
  ])('%s is taken for %s', (written, selected) => {
    const [only, ...others] = unknown(written);
    expect(others).toEqual([]);
    expect(only?.isMisspelt).toBe(true);
    expect(only?.warning).toMatch(new RegExp(`^unknown option .*; did you mean ${selected}\\?$`));
  });

  it('that resembles none is only reported as unknown, whatever its name', () => {
    expect(unknown('Svc-Zzzzzzzz')).toMatchObject([
      { warning: 'unknown option Svc-Zzzzzzzz', isMisspelt: false },
    ]);
    const [odd] = unknown(`svc-a\nb${'é'.repeat(1000)}`);
    expect(odd?.warning).toMatch(/^unknown option Svc-A\?b\?{61}$/);
  });

  it('is reported only a few times per message and request', () => {
    const names = Array.from({ length: 100 }, (_, index) => `Svc-Retries${index}`);
    expect(unknown(...names)).toHaveLength(4);
    const warning = warningHeader(names.map((name) => ({ warning: name })));
    expect(warning.split(', ')).toHaveLength(9);
    expect(warning).toMatch(/, and 92 more$/);
  });
});

it('no option that the published clients and their endpoints send is unknown', () => {
  const folder = new URL('../../../node_modules/@upstash/', import.meta.url);
  const names = new Set<string>();
  for (const client of ['qstash', 'workflow']) {
    const at = new URL(`${client}/`, folder);
    for (const file of readdirSync(at).filter((name) => name.endsWith('.js'))) {
      const text = readFileSync(new URL(file, at), 'utf8');
      for (const [, name = ''] of text.matchAll(/["'`](upstash-[a-z-]*[a-z])["'`:]/gi)) {
        names.add(name.toLowerCase());
      }
    }
  }
  // The name of a client in a telemetry header.
  names.delete('upstash-qstash-js');
  expect(names.size).toBeGreaterThan(40);
  expect([...names].filter((name) => unknown(name).length > 0)).toEqual([]);
});
