/** The memory of long answers that arrive at the same time, over real connections. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../src/engine/clock.js';
import type { AttemptOutcome } from '../../../src/messaging/outbound/attempt-outcome.js';
import { EndpointCaller } from '../../../src/messaging/outbound/endpoint-caller.js';
import { selfSigned } from '../../support/clients/self-signed-certificate.js';
import { keptBytes } from '../../support/program/kept-bytes.js';

const mebibyte = 1024 * 1024;
const body = Buffer.alloc(mebibyte, 'x');

describe('long answers', () => {
  const toClose: (() => Promise<void> | void)[] = [];

  afterEach(async () => {
    for (const close of toClose.splice(0).reverse()) await close();
  });

  function openCaller(): EndpointCaller {
    const caller = new EndpointCaller({
      clock: systemClock,
      allowed: { networks: ['127.0.0.0/8'], hosts: [] },
      overrides: new Map(),
      originParallelism: 80,
      answerBytesMax: 10 * mebibyte,
    });
    toClose.push(() => caller.close());
    return caller;
  }

  async function listen(server: Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    toClose.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  const attemptAt = (url: string, timeoutMs: number) => ({
    url,
    method: 'POST',
    headers: [],
    body: null,
    timeoutMs,
    captureBytes: mebibyte,
  });

  /** The end of the answer never comes. */
  const stops: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-length': 2 * mebibyte }).write(body.subarray(1));
  };

  it('that never end keep no more memory than one limit, however many they are', async () => {
    const caller = openCaller();
    const ports = await Promise.all([1, 2, 3, 4, 5, 6].map(() => listen(createServer(stops))));
    // Without what earlier tests of this thread left: it is freed meanwhile.
    const before = await keptBytes();
    // They outlast the test: an attempt that ends gives its room back.
    const urls = ports.map((port) => `http://127.0.0.1:${port}/`);
    const calls = urls.flatMap((url) =>
      Array.from({ length: 60 }, () => caller.call(attemptAt(url, 600_000))),
    );
    const held = () => process.memoryUsage().arrayBuffers - before;
    while (held() < 100 * mebibyte) await pause(20);
    // 360 MiB are sent. 128 are kept; of each other answer, what came in the first reads; and what
    // the collector has not freed yet. Without a limit it is more than 360.
    let most = 0;
    for (let looks = 0; looks < 40; looks += 1) {
      most = Math.max(most, held());
      await pause(50);
    }
    expect(most).toBeLessThan(300 * mebibyte);
    const full = 'timed out after 1000 ms waiting until other long responses leave memory';
    let reason: string | null;
    // On a slow machine an attempt may get no answer within a second.
    do ({ error: reason } = await caller.call(attemptAt(urls[0] ?? '', 1000)));
    while (reason !== full);
    await caller.close();
    await Promise.all(calls);
  });

  it.each([
    ['http', 'with a length'],
    ['http', 'in chunks'],
    ['https', 'in chunks'],
  ])('over %s %s all arrive whole, in turn', async (protocol, how) => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const open: ServerResponse[] = [];
      const answers: RequestListener = (_request, response) => {
        if (how === 'with a length') response.setHeader('content-length', body.length);
        response.write(body.subarray(0, 200_000));
        open.push(response);
        // All claim room before the first gives any back.
        if (open.length < 70) return;
        setTimeout(() => {
          for (const each of open) each.end(body.subarray(200_000));
        }, 100);
      };
      const port = await listen(
        protocol === 'http' ? createServer(answers) : createHttpsServer(selfSigned, answers),
      );
      const caller = openCaller();
      const url = `${protocol}://127.0.0.1:${port}/`;
      // An origin has room for 32 of them.
      const calls = Array.from({ length: 70 }, async () => {
        const outcome = await caller.call(attemptAt(url, 30_000));
        outcome.release?.();
        return outcome;
      });
      for (const outcome of await Promise.all(calls)) {
        expect(outcome).toMatchObject({ status: 200, error: null, bodyTruncated: false });
        expect(outcome.body.equals(body)).toBe(true);
      }
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  it('take room until they are stored', async () => {
    const port = await listen(createServer((_request, response) => response.end(body)));
    const caller = openCaller();
    const outcomes: AttemptOutcome[] = [];
    const calls = Array.from({ length: 40 }, async () => {
      outcomes.push(await caller.call(attemptAt(`http://127.0.0.1:${port}/`, 30_000)));
    });
    while (outcomes.length < 32) await pause(10);
    await pause(200);
    // An origin has room for 32 of them.
    expect(outcomes.length).toBe(32);
    for (const { release } of outcomes) release?.();
    await Promise.all(calls);
    expect(outcomes.every((outcome) => outcome.body.equals(body))).toBe(true);
  });

  it('of one origin that never end leave room for those of others', async () => {
    const caller = openCaller();
    const [stalled, sound] = await Promise.all([
      listen(createServer(stops)),
      listen(createServer((_request, response) => response.end(body))),
    ]);
    const waiting = Array.from({ length: 70 }, () =>
      caller.call(attemptAt(`http://127.0.0.1:${stalled}/`, 60_000)),
    );
    const outcome = await caller.call(attemptAt(`http://127.0.0.1:${sound}/`, 30_000));
    expect(outcome.body.equals(body)).toBe(true);
    await caller.close();
    await Promise.all(waiting);
  });
});
