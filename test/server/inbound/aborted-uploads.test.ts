import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { request } from 'undici';
import { startServer, type TestServer } from '../../support/server.js';

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly path?: string;
}

let server: TestServer;
let lines: LogLine[] = [];

beforeEach(async () => {
  lines = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  server = await startServer({ ports: { log: pino({ level: 'debug' }, { write }) } });
});

afterEach(() => server.remove());

async function metric(name: string): Promise<number> {
  const { body } = await request(`${server.url}/metrics`);
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await body.text())?.[1]);
}

/** Sends a head and a part of a body, and closes the connection once the server has read them. */
async function abort(path: string, framing: string): Promise<void> {
  const arrival = once(server.application.nest.getHttpServer(), 'connection');
  const socket = connect(server.port, '127.0.0.1');
  const authorization = path.startsWith('/v2') ? server.bearer : server.basic;
  const head = [`POST ${path} HTTP/1.1`, 'Host: a', `Authorization: ${authorization}`, framing];
  const text = `${head.join('\r\n')}\r\n\r\n5\r\nhello\r\n`;
  socket.write(text);
  const [accepted] = (await arrival) as [Socket];
  while (accepted.bytesRead < text.length) await pause(1);
  socket.destroy();
}

test.each([
  ['a publish of a known length', '/v2/publish/http://127.0.0.1:9000/', 'Content-Length: 1000'],
  ['a publish in chunks', '/v2/publish/http://127.0.0.1:9000/', 'Transfer-Encoding: chunked'],
  ['a produce of a known length', '/produce/rides', 'Content-Length: 1000'],
  ['a call of a controller', '/v2/schedules/http://127.0.0.1:9000/', 'Content-Length: 1000'],
  ['a call of an unknown path', '/nowhere', 'Transfer-Encoding: chunked'],
])('%s that the client breaks off is one line without a stack', async (_what, path, framing) => {
  await abort(path, framing);
  while ((await metric('stepwell_http_aborted_requests_total')) !== 1) {
    await pause(10);
  }
  expect(lines.filter(({ msg }) => msg === 'the client broke a request off')).toEqual([
    expect.objectContaining({ level: 20, method: 'POST', path }),
  ]);
  expect(lines.filter(({ level }) => level > 30)).toEqual([]);
  expect(JSON.stringify(lines)).not.toContain('stack');
  const { body } = await request(`${server.url}/metrics`);
  expect(await body.text()).not.toContain('status="500"');
});
