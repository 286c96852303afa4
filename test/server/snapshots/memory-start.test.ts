/** The log lines of a start that takes long. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { systemClock } from '../../../src/engine/clock.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
  const response = await fetch(`${server.url}/v2/publish/https://example.com`, {
    method: 'POST',
    headers: { authorization: server.bearer, 'upstash-delay': '1h' },
  });
  expect(response.status).toBe(200);
  await server.stop();
});

afterEach(() => server.remove());

/** The lines of a start during which `stepMs` pass at each read of the clock. */
async function linesOfStart(stepMs: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(JSON.parse(line.toString()).msg);
      done();
    },
  });
  let time = 0;
  const monotonic = () => {
    time += stepMs;
    return time;
  };
  const { dataDirectory } = server;
  const ports = { log: pino({ level: 'info' }, stream), clock: { ...systemClock, monotonic } };
  server = await startServer({ dataDirectory, ports });
  return lines.filter((line) => line.startsWith('starting'));
}

it('a start of more than a second logs its progress and the remaining time', async () => {
  expect(await linesOfStart(1500)).toEqual([
    'starting: 100 % of the journal is read, about 0 s are left',
  ]);
});

it('a start of less than a second logs no progress', async () => {
  expect(await linesOfStart(1)).toEqual([]);
});
