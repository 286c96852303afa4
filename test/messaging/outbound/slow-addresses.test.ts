/** Names with several addresses, one of which is slow to accept connections. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../../src/engine/clock.js';
import { EndpointCaller } from '../../../src/messaging/outbound/endpoint-caller.js';

/** Accepts no connection before the other thread sets a flag; the system queues only two. */
const slowServer = `
  const { parentPort, workerData } = require('node:worker_threads');
  const flag = new Int32Array(workerData);
  const answer = 'HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\n\\r\\n';
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => socket.write(answer));
  });
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(flag, 0, 0);
  });
`;

test('an address that loses the first packet is waited for before the last is tried', async () => {
  const shared = new SharedArrayBuffer(4);
  const thread = new Worker(slowServer, { eval: true, workerData: shared });
  const queued: Socket[] = [];
  const caller = new EndpointCaller({
    clock: systemClock,
    allowed: { networks: ['127.0.0.0/8'], hosts: [] },
    overrides: new Map(),
    originParallelism: 1,
    // Nothing listens at the last address.
    resolve: async () => ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
  });
  try {
    const [port] = await once(thread, 'message');
    for (let count = 0; count < 2; count += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      queued.push(socket);
      await once(socket, 'connect');
    }
    const call = caller.call({
      url: `http://slow.example:${port}/`,
      method: 'POST',
      headers: [],
      body: null,
      timeoutMs: 10_000,
      captureBytes: 10,
    });
    // The system drops the packet, and sends it again after a second.
    await new Promise((resolve) => setTimeout(resolve, 500));
    Atomics.store(new Int32Array(shared), 0, 1);
    Atomics.notify(new Int32Array(shared), 0);
    expect(await call).toMatchObject({ status: 200, error: null });
  } finally {
    await caller.close();
    for (const socket of queued) socket.destroy();
    await thread.terminate();
  }
});
