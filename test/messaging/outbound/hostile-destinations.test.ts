import { systemClock } from '../../../src/engine/clock.js';
import type { AttemptOutcome } from '../../../src/messaging/outbound/attempt-outcome.js';
import { EndpointCaller } from '../../../src/messaging/outbound/endpoint-caller.js';
import { EvilEndpoint, type EvilName, evils } from '../../support/clients/evil-endpoint.js';

/** The limit of an attempt that can end in no other way, milliseconds. */
const timeoutMs = 1500;
/** The limit of all others: a slow machine must not reach it before their real end. */
const farMs = 30_000;

/** The expected status for each of these; all others must end as a failed attempt. */
const answered: Partial<Record<EvilName, number>> = {
  'gzip bomb': 200,
  'redirect to itself': 302,
  'redirect to metadata': 301,
  'chunks without end': 200,
  'body of 10 GiB': 200,
  'body without a length': 200,
  'more than its length': 200,
  'two responses': 200,
  '100 without being asked': 200,
  'answers before the body is read': 200,
};

/** How a failed attempt is explained. */
const reasons: Partial<Record<EvilName, RegExp>> = {
  'never answers': /^timed out after 1500 ms waiting for the response$/,
  'drips its headers': /^timed out/,
  'drips its body': /^timed out after 1500 ms reading the response body$/,
  'drips its chunks': /^timed out/,
  'stops in its body': /^timed out/,
  'header line of 1 MiB': /headers are too large/,
  'header line without end': /headers are too large/,
  '10,000 headers': /header fields|headers are too large/,
  'reset at once': /reset the connection/,
  'less than its length': /shorter or longer|closed the connection/,
  'status 099': /^the destination answered with status 099, which HTTP does not have$/,
  'status 099 after an interim one': /^the destination answered with status 099,/,
  'status 000': /^the destination answered with status 000,/,
  'status of two digits': /^the response is not valid HTTP: invalid status code$/,
  'status that is no number': /^the response is not valid HTTP: invalid status code$/,
  'chunk size that is none': /^the response is not valid HTTP: invalid character in chunk size$/,
  'upgrade that was not asked for': /^the destination wants another protocol, which nothing asked/,
  'HTTP/0.9': /^the response is not valid HTTP: /,
  'another protocol': /^the response is not valid HTTP: /,
  'interim responses without end': /interim/,
};

describe('a hostile destination', () => {
  const caller = new EndpointCaller({
    clock: systemClock,
    allowed: { networks: ['127.0.0.0/8'], hosts: [] },
    overrides: new Map(),
    originParallelism: 4,
  });

  afterAll(() => caller.close());

  function call(url: string, limitMs: number, body = 'hello'): Promise<AttemptOutcome> {
    return caller.call({
      url,
      method: 'POST',
      headers: ['Accept-Encoding', 'identity'],
      body: Buffer.from(body),
      timeoutMs: limitMs,
      captureBytes: 65_536,
    });
  }

  it.each(Object.keys(evils) as EvilName[])('that %s yields an outcome', async (name) => {
    const evil = await EvilEndpoint.start(name);
    try {
      const endsByTime = reasons[name]?.source.startsWith('^timed out') ?? false;
      const outcome = await call(evil.url, endsByTime ? timeoutMs : farMs);
      expect(outcome.cut).toBe(false);
      expect(outcome.body.length).toBeLessThanOrEqual(65_536);
      expect(evil.requests).toBe(1);
      const status = answered[name];
      if (status === undefined) {
        expect(outcome).toMatchObject({ status: 0, headers: [], error: expect.any(String) });
        expect(outcome.error).toMatch(reasons[name] ?? /\w/);
        expect(outcome.error!.length).toBeLessThanOrEqual(256);
      } else {
        expect(outcome).toMatchObject({ status, error: null });
      }
    } finally {
      await evil.stop();
    }
  });

  it('loses a connection on which it does not stop sending', async () => {
    const evil = await EvilEndpoint.start('chunks without end');
    await Promise.all([1, 2, 3, 4].map(() => call(evil.url, farMs)));
    while (evil.closed < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    await evil.stop();
  });

  it('receives a large body up to where it stops reading', async () => {
    const evil = await EvilEndpoint.start('answers before the body is read');
    const outcome = await call(evil.url, farMs, 'x'.repeat(32 * 1024 * 1024));
    // Either the answer or the broken connection came first; both ends are correct.
    const known = [200, 0].indexOf(outcome.status);
    expect([known, outcome.error]).toEqual(known === 0 ? [0, null] : [1, expect.any(String)]);
    await evil.stop();
  });

  it('does not fill the memory', async () => {
    const greedy: EvilName[] = [
      'chunks without end',
      'body of 10 GiB',
      'body without a length',
      'header line without end',
      'status line without end',
      'interim responses without end',
      'gzip bomb',
    ];
    const memory = () => process.memoryUsage().external + process.memoryUsage().heapUsed;
    let most = 0;
    const before = memory();
    for (const name of greedy) {
      const evil = await EvilEndpoint.start(name);
      for (let round = 0; round < 4; round += 1) {
        await Promise.all([1, 2, 3, 4].map(() => call(evil.url, timeoutMs)));
        most = Math.max(most, memory() - before);
      }
      await evil.stop();
    }
    // 112 attempts, four at a time, each of at least 64 KiB and usually more than 1 MiB.
    expect(most).toBeLessThan(128 * 1024 * 1024);
  });
});
