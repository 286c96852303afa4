import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { behindBytesMax, LiveViewer } from '../../../src/server/live/live-viewer.js';

let server: Server;
let response: ServerResponse;
let client: Socket;

/** A client that has sent a request and only reads when the test makes it. */
beforeEach(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
  response = await new Promise((resolve) => {
    server.once('request', (_request, answer: ServerResponse) => resolve(answer));
  });
});

afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

const text = (index: number) => Buffer.from(`id: ${index}\ndata: ${'x'.repeat(30_000)}\n\n`);

/** Counts the allowance's notifications that data is on its way, and that it was read. */
function allowance() {
  const seen = { awaited: 0, taken: 0 };
  const port = {
    awaitTaken: () => {
      seen.awaited += 1;
    },
    taken: () => {
      seen.taken += 1;
    },
  };
  return { seen, port };
}

test('a client that reads nothing has at most 256 KiB buffered, and is sent "reload"', async () => {
  const { seen, port } = allowance();
  let given = 0;
  const viewer = new LiveViewer({ response, allowance: port }, () => given);
  viewer.begin(0);
  let highest = 0;
  // Ten times what the buffers of systems hold.
  while (given < 2000) {
    viewer.give(text(given));
    given += 1;
    highest = Math.max(highest, response.writableLength);
    if (given % 50 === 0) await immediate();
  }
  expect(highest).toBeLessThanOrEqual(behindBytesMax);
  expect(highest).toBeGreaterThan(behindBytesMax / 2);
  // The time without reads is counted from when the client stopped, not from the last event.
  expect(seen.awaited).toBeLessThan(20);
  let received = '';
  client.on('data', (chunk) => {
    received += chunk.toString();
  });
  client.resume();
  const until = async (part: string) => {
    while (!received.slice(-60_000).includes(part)) await immediate();
  };
  await until(`event: reload\nid: ${given - 1}\n`);
  viewer.give(text(given));
  await until(`id: ${given}\n`);
  const ids = [...received.matchAll(/(event: reload\n)?id: (\d+)\n/g)].map(
    ([, reload, id]) => [Number(id), reload !== undefined] as const,
  );
  // The client gets events without gaps; if one is left out, it gets `reload`.
  ids.reduce((before, [id, isReload]) => {
    expect(isReload ? id > before : id === before + 1).toBe(true);
    return id;
  }, -1);
  expect(ids.at(-2)).toEqual([given - 1, true]);
  expect(seen.taken).toBeGreaterThan(0);
});

test('nothing is written after the viewer has ended', async () => {
  const viewer = new LiveViewer({ response, allowance: allowance().port }, () => 0);
  viewer.begin(0);
  viewer.end();
  await viewer.over;
  viewer.give(text(0));
  await viewer.giveAll(text(1));
  expect(viewer.hasEnded).toBe(true);
  let received = '';
  client.on('data', (chunk) => {
    received += chunk.toString();
  });
  client.resume();
  while (!received.endsWith('0\r\n\r\n')) await immediate();
  expect(received).not.toContain('xxx');
});
