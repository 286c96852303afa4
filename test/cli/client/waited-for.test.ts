/** Commands that wait for background work of the server, across a restart of it. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/engine/clock.js';
import { listeningPort } from '../../../src/http/listening-port.js';
import { killedAtLast } from '../../support/leftovers.js';
import { program, runProgram } from '../../support/program/program.js';

const answers: Readonly<Record<string, object>> = {
  '/v2/publish': { messageId: 'msg_1', url: 'https://example.com/' },
  '/v2/logs': { logs: [{ messageId: 'msg_1', state: 'DELIVERED' }] },
  '/v2/jobs': { jobId: 'job_1', state: 'DONE', matched: 1, done: 1, refused: 0, endedAt: 1 },
};

it.each([
  ['msg publish https://example.com/ --watch', '/v2/logs', 'DELIVERED'],
  ['dlq retry --all', '/v2/jobs/', '"retried":1'],
])('%s waits for a server that is away', async (words, waited, shown) => {
  let looks = 0;
  const server = createServer((request, response) => {
    const { url = '' } = request;
    request.resume();
    if (url.startsWith(waited)) looks += 1;
    // First the connection is cut, then a proxy answers instead of the server.
    if (looks === 1) response.destroy();
    else if (looks === 2) response.writeHead(502).end();
    else {
      const [path = ''] = Object.keys(answers).filter((known) => url.startsWith(known));
      response.end(JSON.stringify(answers[path]));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const environment = { STEPWELL_URL: `http://127.0.0.1:${listeningPort(server)}` };
  const { code, stdout, stderr } = await runProgram('/nowhere', words.split(' '), environment);
  server.close();
  expect([code, stdout]).toEqual([0, expect.stringContaining(shown)]);
  expect(stderr).toMatch(/^stepwell: no Stepwell answers at .*: it is asked again\n$/);
});

it('tail reads again if a read was refused, even if nothing more happens', async () => {
  let looks = 0;
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/v2/live')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\ndata: {"offset":1}\n\n');
      return;
    }
    looks += 1;
    const row = { messageId: 'msg_1', state: 'CREATED', offset: 1, time: systemClock.now() };
    if (looks === 1) response.writeHead(503).end();
    else response.end(JSON.stringify({ logs: [row] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${listeningPort(server)}`;
  const tail = killedAtLast(spawn(process.execPath, [program, 'tail', '--url', url]));
  const rows = createInterface(tail.stdout)[Symbol.asyncIterator]();
  expect(JSON.parse((await rows.next()).value)).toMatchObject({ state: 'CREATED' });
  tail.kill();
  server.closeAllConnections();
  server.close();
});
