import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { callLog } from '../../support/clients/log-api.js';
import { startServer, type TestServer } from '../../support/server.js';

interface LogLine {
  readonly level: number;
  readonly msg: string;
}

const place = { topic: 'rides', partition: 0 };
const valueBytes = 512 * 1024;

let server: TestServer;
let lines: LogLine[] = [];

beforeEach(async () => {
  lines = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  server = await startServer({ ports: { log: pino({ level: 'debug' }, { write }) } });
  const value = 'v'.repeat(valueBytes);
  for (let part = 0; part < 4; part += 1) {
    const records = Array.from({ length: 8 }, () => ({ ...place, value }));
    expect((await callLog(server, '/produce', records)).status).toBe(200);
  }
});

afterEach(() => server.remove());

/** Asks for 16 MB and reads nothing. */
function fetchLate(): Socket {
  const socket = connect(server.port, '127.0.0.1').pause();
  const body = JSON.stringify({ ...place, offset: 0, maxBytes: 16 * 1024 * 1024 });
  const head = [`Authorization: ${server.basic}`, 'Host: a', `Content-Length: ${body.length}`];
  socket.write(`POST /fetch HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

async function answerClosed(when: 'request' | 'answer'): Promise<void> {
  const arrived = once(server.application.nest.getHttpServer(), 'request');
  const socket = fetchLate();
  const [, response] = await arrived;
  const closed = once(response, 'close');
  while (when === 'answer' && !response.headersSent) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.destroy();
  await closed;
}

test.each(['request', 'answer'] as const)(
  'a client that goes away after the %s began is not a failure',
  async (when) => {
    await answerClosed(when);
    await callLog(server, '/topics');
    expect(lines.filter(({ level }) => level > 20)).toEqual([]);
    expect(JSON.stringify(lines)).not.toContain('stack');
  },
);

test('an answer that a client breaks off is one line of the debug log', async () => {
  await answerClosed('answer');
  await callLog(server, '/topics');
  const broken = lines.filter(({ msg }) => msg === 'the client aborted an answer');
  expect(broken).toEqual([expect.objectContaining({ level: 20, method: 'POST', path: '/fetch' })]);
});
