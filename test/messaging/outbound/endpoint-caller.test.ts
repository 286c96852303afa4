import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { systemClock } from '../../../src/engine/clock.js';
import type { OutgoingAttempt } from '../../../src/messaging/outbound/attempt-outcome.js';
import {
  EndpointCaller,
  type EndpointCallerOptions,
} from '../../../src/messaging/outbound/endpoint-caller.js';
import type { AllowedNetworks } from '../../../src/messaging/settings.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { ManualClock } from '../../support/manual-clock.js';

const loopback: AllowedNetworks = { networks: ['127.0.0.0/8'], hosts: [] };
const nothingAllowed: AllowedNetworks = { networks: [], hosts: [] };

describe('the endpoint caller', () => {
  const toClose: (() => Promise<void>)[] = [];
  let endpoint: RecordingEndpoint;

  beforeEach(async () => {
    endpoint = await RecordingEndpoint.start();
    toClose.push(() => endpoint.stop());
  });

  afterEach(async () => {
    for (const close of toClose.splice(0).reverse()) await close();
  });

  function callerWith(options: Partial<EndpointCallerOptions> = {}): EndpointCaller {
    const caller = new EndpointCaller({
      clock: systemClock,
      allowed: loopback,
      overrides: new Map(),
      originParallelism: 4,
      ...options,
    });
    toClose.push(() => caller.close());
    return caller;
  }

  function attemptAt(url: string, changes: Partial<OutgoingAttempt> = {}): OutgoingAttempt {
    return {
      url,
      method: 'POST',
      headers: ['X-One', '1', 'x-One', 'two'],
      body: Buffer.from([0, 255, 10, 13]),
      timeoutMs: 30_000,
      captureBytes: 65_536,
      ...changes,
    };
  }

  it('limits idle connections, whatever the number of origins', async () => {
    const caller = callerWith({ connectionsMax: 3 });
    let open = 0;
    const servers = Array.from({ length: 8 }, () =>
      createServer((_request, answer) => answer.end()),
    );
    for (const server of servers) {
      server.on('connection', (socket) => {
        open += 1;
        socket.on('close', () => {
          open -= 1;
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      toClose.push(async () => void server.close());
      const { port } = server.address() as AddressInfo;
      const outcome = await caller.call(attemptAt(`http://127.0.0.1:${port}/`));
      expect(outcome.status).toBe(200);
    }
    // Without the limit all eight stay open for four seconds.
    for (let looks = 0; open > 3 && looks < 30; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(open).toBeLessThanOrEqual(3);
  });

  it('sends method, path, headers and body bytes unchanged', async () => {
    const outcome = await callerWith().call(attemptAt(`${endpoint.url}/a/b?c=%20d&e`));
    expect(outcome).toMatchObject({ status: 200, error: null, cut: false, bodyTruncated: false });
    const [request] = endpoint.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/a/b?c=%20d&e' });
    expect(request!.body).toEqual(Buffer.from([0, 255, 10, 13]));
    expect(request!.rawHeaders).toEqual(expect.arrayContaining(['X-One', '1', 'x-One', 'two']));
    expect(request!.headers).toMatchObject({
      host: `127.0.0.1:${endpoint.port}`,
      'content-length': '4',
    });
  });

  it('returns status, headers, body and times', async () => {
    endpoint.answer(() => ({ status: 503, headers: { 'Retry-After': '7' }, body: 'later' }));
    const outcome = await callerWith().call(attemptAt(endpoint.url));
    expect(outcome).toMatchObject({ status: 503, body: Buffer.from('later'), error: null });
    expect(outcome.headers).toEqual(expect.arrayContaining(['Retry-After', '7']));
    expect(Math.abs(outcome.startedAt - Date.now())).toBeLessThan(60_000);
    expect(outcome.durationMs).toBeGreaterThan(0);
  });

  it.each(['GET', 'HEAD'])('sends no body with %s', async (method) => {
    const outcome = await callerWith().call(attemptAt(endpoint.url, { method }));
    expect(outcome.status).toBe(200);
    expect(endpoint.requests[0]).toMatchObject({ method, body: Buffer.alloc(0) });
    expect(endpoint.requests[0]!.headers).not.toHaveProperty('content-length');
  });

  it('reuses a connection', async () => {
    const caller = callerWith();
    endpoint.answer((request) => ({ body: request.headers['x-n'] as string }));
    for (let n = 0; n < 10; n += 1) {
      const outcome = await caller.call(attemptAt(endpoint.url, { headers: ['x-n', `${n}`] }));
      expect(outcome.body.toString()).toBe(`${n}`);
    }
    // A connection becomes free one tick after its response has ended, so two take turns.
    expect(endpoint.connections).toBeLessThanOrEqual(2);
  });

  it('reuses no expired connection, which its destination may be closing', async () => {
    const clock = new ManualClock();
    const caller = callerWith({ clock });
    const sockets = new Set<object>();
    // Connections are kept two seconds less than the destination announces.
    const server = createServer((request, answer) => {
      sockets.add(request.socket);
      answer.setHeader('Keep-Alive', 'timeout=3').end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    toClose.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const call = () => caller.call(attemptAt(`http://127.0.0.1:${port}/`));
    await call();
    clock.advance(900);
    await call();
    expect(sockets.size).toBe(1);
    // The connection of the second call has expired; connections are checked every second.
    clock.advance(1050);
    await call();
    expect(sockets.size).toBe(2);
  });

  it('keeps the beginning of a response body, reads a little more, then stops', async () => {
    const caller = callerWith();
    endpoint.answer(() => ({ body: Buffer.alloc(100_000, 'x') }));
    const some = await caller.call(attemptAt(endpoint.url, { captureBytes: 10 }));
    expect(some).toMatchObject({ status: 200, body: Buffer.alloc(10, 'x'), bodyTruncated: true });
    endpoint.answer(() => ({ body: Buffer.alloc(10_000_000, 'y') }));
    const much = await caller.call(attemptAt(endpoint.url));
    expect(much).toMatchObject({ status: 200, bodyTruncated: true, error: null });
    expect(much.body).toEqual(Buffer.alloc(65_536, 'y'));
    endpoint.answer(() => ({ body: 'z' }));
    expect((await caller.call(attemptAt(endpoint.url))).body.toString()).toBe('z');
  });

  it.each([8 * 1024, 8 * 1024 + 1])('sends a body of %d bytes unchanged', async (length) => {
    const body = Buffer.from(Array.from({ length }, (_, index) => index % 256));
    await callerWith().call(attemptAt(endpoint.url, { body }));
    expect(endpoint.requests[0]!.body.equals(body)).toBe(true);
  });

  it('does not mix answers that arrive at the same time in pieces', async () => {
    const bodyOf = (name: string) => Buffer.alloc(200_000, name);
    endpoint.answer((request) => ({ body: bodyOf(request.headers['x-n'] as string) }));
    const caller = callerWith();
    const names = ['a', 'b', 'c', 'd'];
    const call = (name: string) =>
      caller.call(attemptAt(endpoint.url, { headers: ['x-n', name], captureBytes: 300_000 }));
    const outcomes = await Promise.all(names.map(call));
    expect(outcomes.map(({ body }, index) => body.equals(bodyOf(names[index] ?? '')))).toEqual(
      names.map(() => true),
    );
  });

  it('dials the target of an override and keeps the Host of the URL', async () => {
    const overrides = new Map([['example.com', { hostname: '127.0.0.1', port: endpoint.port }]]);
    const caller = callerWith({ allowed: nothingAllowed, overrides });
    const outcome = await caller.call(attemptAt('http://EXAMPLE.com:8080/x'));
    expect(outcome.status).toBe(200);
    expect(endpoint.requests[0]!.headers.host).toBe('example.com:8080');
  });

  it('never connects to a forbidden address, as a literal or behind a name', async () => {
    let connections = 0;
    const sink = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    toClose.push(async () => void sink.close());
    const { port } = sink.address() as { port: number };
    const answers = [
      [{ address: '127.0.0.1', family: 4 }],
      [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
      [{ address: '::ffff:127.0.0.1', family: 6 }],
      [],
    ];
    for (const answer of answers) {
      const caller = callerWith({ allowed: nothingAllowed, resolve: async () => answer });
      const outcome = await caller.call(attemptAt(`http://rebinding.example:${port}/`));
      expect(outcome).toMatchObject({ status: 0, headers: [], cut: false });
      expect(outcome.error).toMatch(/^the destination (must not reach|does not resolve)/);
    }
    const caller = callerWith({ allowed: nothingAllowed });
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:7f00:1]', '[::1]']) {
      const outcome = await caller.call(attemptAt(`http://${host}:${port}/`));
      expect(outcome.error).toMatch(/^the destination must not reach/);
    }
    expect((await caller.call(attemptAt(`http://localhost:${port}/`))).error).toMatch(
      /^the destination must not reach/,
    );
    expect(connections).toBe(0);
  });

  it('follows a name that moves between attempts, but not to a forbidden address', async () => {
    const elsewhere = createServer((_request, response) => response.end('elsewhere'));
    await new Promise<void>((resolve) => elsewhere.listen(endpoint.port, '127.0.0.2', resolve));
    toClose.push(async () => void elsewhere.close());
    const clock = new ManualClock();
    let address = '127.0.0.1';
    const caller = callerWith({ clock, resolve: async () => [{ address, family: 4 }] });
    const callAt = (moved: string) => {
      address = moved;
      clock.advance(61_000);
      return caller.call(attemptAt(`http://moving.example:${endpoint.port}/`));
    };
    endpoint.answer(() => ({ body: 'here' }));
    expect((await callAt('127.0.0.1')).body.toString()).toBe('here');
    expect((await callAt('127.0.0.2')).body.toString()).toBe('elsewhere');
    expect(await callAt('169.254.169.254')).toMatchObject({
      status: 0,
      error: expect.stringMatching(/^the destination must not reach 169\.254\.169\.254/),
    });
    expect(await callAt('10.0.0.1')).toMatchObject({
      status: 0,
      error: expect.stringMatching(/^the destination must not reach 10\.0\.0\.1/),
    });
    expect((await callAt('127.0.0.1')).body.toString()).toBe('here');
    expect(endpoint.requests).toHaveLength(2);
  });

  it('resolves a name once for many attempts', async () => {
    const resolved: string[] = [];
    const caller = callerWith({
      resolve: async (hostname) => {
        resolved.push(hostname);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const url = `http://popular.example:${endpoint.port}/`;
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => caller.call(attemptAt(url))));
    expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(resolved).toEqual(['popular.example']);
  });

  it('can call more origins than it keeps connections for, dropping the oldest', async () => {
    const caller = callerWith({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    const call = (n: number) => caller.call(attemptAt(`http://h${n}.example:${endpoint.port}/`));
    for (let n = 0; n < 1100; n += 1) expect((await call(n)).status).toBe(200);
    // Removing the pool closed its connection, so a new one is opened.
    const opened = endpoint.connections;
    expect((await call(0)).status).toBe(200);
    expect(endpoint.connections).toBe(opened + 1);
  });

  it.each([
    ['nonsense', /not a valid URL/],
    ['ftp://example.com/', /must begin with http/],
    ['http://user:pass@example.com/', /user name/],
    ['http://example.com:22/', /port 22/],
  ])('ends an attempt at %s with the reason', async (url, reason) => {
    const outcome = await callerWith().call(attemptAt(url));
    expect(outcome).toMatchObject({ status: 0, error: expect.stringMatching(reason) });
  });

  it('gives the reason if an attempt has a header that cannot be sent', async () => {
    for (const headers of [
      ['X', 'a\nb'],
      ['bad name', 'x'],
      ['X', '\u{1F600}'],
    ]) {
      const outcome = await callerWith().call(attemptAt(endpoint.url, { headers }));
      expect(outcome).toMatchObject({ status: 0, error: expect.stringMatching(/header/) });
    }
    expect(endpoint.requests).toHaveLength(0);
  });

  it('gives the reason if no server listens or a name does not exist', async () => {
    const caller = callerWith();
    const { port } = endpoint;
    await endpoint.stop();
    const refusedOutcome = await caller.call(attemptAt(`http://127.0.0.1:${port}/`));
    expect(refusedOutcome.error).toMatch(/refused the connection/);
    const unknown = callerWith({
      resolve: async () => {
        throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
      },
    });
    expect((await unknown.call(attemptAt('http://nowhere.invalid/'))).error).toMatch(/ENOTFOUND/);
  });

  it('gives up on a name that no resolver answers', async () => {
    const caller = callerWith({ resolve: () => new Promise(() => undefined) });
    const outcome = await caller.call(attemptAt('http://silent.example/', { timeoutMs: 300 }));
    expect(outcome.error).toBe('timed out after 300 ms connecting');
    const patient = await caller.call(attemptAt('http://silent.example/', { timeoutMs: 20_000 }));
    expect(patient.error).toBe('the destination does not resolve within 3000 ms');
  });

  it('sends nothing after its deadline, even when the connection opens later', async () => {
    let answer: (() => void) | undefined;
    const caller = callerWith({
      resolve: () =>
        new Promise((resolve) => {
          answer = () => resolve([{ address: '127.0.0.1', family: 4 }]);
        }),
    });
    const url = `http://late.example:${endpoint.port}/`;
    const late = await caller.call(attemptAt(url, { timeoutMs: 50 }));
    expect(late.error).toBe('timed out after 50 ms connecting');
    answer?.();
    const next = await caller.call(attemptAt(url));
    expect(next.status).toBe(200);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('distinguishes a cut attempt from a failed one', async () => {
    endpoint.answer(() => new Promise(() => undefined));
    const caller = callerWith();
    const stop = new AbortController();
    const open = [1, 2, 3].map(() => caller.call(attemptAt(endpoint.url), stop.signal));
    const other = caller.call(attemptAt(endpoint.url));
    await endpoint.received(4);
    stop.abort();
    for (const outcome of await Promise.all(open)) {
      expect(outcome).toMatchObject({ status: 0, cut: true });
    }
    expect(await caller.call(attemptAt(endpoint.url), stop.signal)).toMatchObject({ cut: true });
    await caller.close();
    expect(await other).toMatchObject({ status: 0, cut: true });
    expect(await caller.call(attemptAt(endpoint.url))).toMatchObject({ cut: true });
  });
});
