/** What a process notices late, because it was busy, did not come late. */
import { type AddressInfo, createServer } from 'node:net';
import { systemClock } from '../../../src/engine/clock.js';
import { EndpointCaller } from '../../../src/messaging/outbound/endpoint-caller.js';

const timeoutMs = 1000;

it('an answer that arrived before the deadline counts, even if it is read after it', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      const until = systemClock.monotonic() + timeoutMs;
      while (systemClock.monotonic() < until);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const caller = new EndpointCaller({
    clock: systemClock,
    allowed: { networks: ['127.0.0.0/8'], hosts: [] },
    overrides: new Map(),
    originParallelism: 1,
  });
  const outcome = await caller.call({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    method: 'POST',
    headers: [],
    body: Buffer.from('x'),
    timeoutMs,
    captureBytes: 10,
  });
  expect(outcome).toMatchObject({ status: 200, error: null, body: Buffer.from('ok') });
  expect(outcome.durationMs).toBeGreaterThan(timeoutMs);
  await caller.close();
  server.close();
});
