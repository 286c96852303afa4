/**
 * The memory of a free connection: there may be a thousand of them, each may have sent and received
 * a body of a MiB, and each waits for its next request as long as its destination allows.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../src/engine/clock.js';
import type { AttemptOutcome } from '../../../src/messaging/outbound/attempt-outcome.js';
import { EndpointCaller } from '../../../src/messaging/outbound/endpoint-caller.js';
import { keptBytes } from '../../support/program/kept-bytes.js';

const connections = 16;
const bodyBytes = 512 * 1024;

it('an idle connection keeps neither its last request nor its last response', async () => {
  const answer = 'x'.repeat(bodyBytes);
  const open = new Set<unknown>();
  const waiting: ServerResponse[] = [];
  const destination = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume().on('end', () => {
      waiting.push(response);
      // All are in flight at once, so each has its own connection.
      if (waiting.length === connections) for (const each of waiting) each.end(answer);
    });
  });
  destination.on('connection', (socket) => open.add(socket));
  await new Promise<void>((resolve) => destination.listen(0, '127.0.0.1', resolve));
  const { port } = destination.address() as AddressInfo;
  const caller = new EndpointCaller({
    clock: systemClock,
    allowed: { networks: ['127.0.0.0/8'], hosts: [] },
    overrides: new Map(),
    originParallelism: connections,
  });
  const call = (): Promise<AttemptOutcome> =>
    caller.call({
      url: `http://127.0.0.1:${port}/`,
      method: 'POST',
      headers: [],
      body: Buffer.alloc(bodyBytes),
      timeoutMs: 30_000,
      captureBytes: bodyBytes,
    });
  try {
    const before = await keptBytes();
    const statuses = await Promise.all(
      Array.from({ length: connections }, () => call().then(({ status }) => status)),
    );
    expect(statuses).toEqual(Array(connections).fill(200));
    expect(open.size).toBe(connections);
    expect((await keptBytes()) - before).toBeLessThan((connections * bodyBytes) / 4);
  } finally {
    await caller.close();
    destination.close();
  }
});
