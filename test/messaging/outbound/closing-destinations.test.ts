/**
 * Destinations that close a connection with each response, although the response does not say so
 * (RFC 9112, 9.6 requires that it does).
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { systemClock } from '../../../src/engine/clock.js';
import { EndpointCaller } from '../../../src/messaging/outbound/endpoint-caller.js';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('a destination that closes connections without saying so', () => {
  const toClose: (() => Promise<void> | void)[] = [];

  afterEach(async () => {
    for (const close of toClose.splice(0).reverse()) await close();
  });

  /** `answered` runs after each answer. Returns the port and the number of connections so far. */
  async function listen(answered: (socket: Socket) => void) {
    const seen = { connections: 0 };
    const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
      seen.connections += 1;
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write(answer, () => answered(socket)));
      toClose.push(() => void socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    toClose.push(() => void server.close());
    return { seen, port: (server.address() as AddressInfo).port };
  }

  /** Makes `calls` calls, `parallel` at a time, each as soon as another `ended`. */
  async function statusesOf(
    port: number,
    calls: number,
    parallel: number,
    ended = () => {},
  ): Promise<Set<number>> {
    const caller = new EndpointCaller({
      clock: systemClock,
      allowed: { networks: ['127.0.0.0/8'], hosts: [] },
      overrides: new Map(),
      originParallelism: parallel,
    });
    toClose.push(() => caller.close());
    const url = `http://127.0.0.1:${port}/`;
    const terms = { url, method: 'POST', headers: [], body: Buffer.from('x') };
    const statuses = new Set<number>();
    let left = calls;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        const outcome = await caller.call({ ...terms, timeoutMs: 30_000, captureBytes: 10 });
        statuses.add(outcome.status);
        ended();
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    return statuses;
  }

  it.each([1, 8])('gets every request of %d at a time', async (parallel) => {
    const { seen, port } = await listen((socket) => socket.end());
    expect(await statusesOf(port, 100, parallel)).toEqual(new Set([200]));
    expect(seen.connections).toBe(100);
  });

  it('gets every request, even if the server was busy when a connection was closed', async () => {
    const { seen, port } = await listen((socket) => socket.end());
    const busy = () => {
      const until = systemClock.monotonic() + 50;
      while (systemClock.monotonic() < until);
    };
    expect(await statusesOf(port, 5, 1, busy)).toEqual(new Set([200]));
    expect(seen.connections).toBe(5);
  });

  it('does not change that others get many requests on one connection', async () => {
    const { seen, port } = await listen(() => undefined);
    expect(await statusesOf(port, 100, 1)).toEqual(new Set([200]));
    expect(seen.connections).toBe(1);
  });
});
