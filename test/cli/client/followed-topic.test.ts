/** `stepwell topic tail` behind a proxy that cuts the connection before any record has arrived. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { createInterface } from 'node:readline';
import { listeningPort } from '../../../src/http/listening-port.js';
import { callLog } from '../../support/clients/log-api.js';
import { until } from '../../support/cluster/test-cluster.js';
import { killedAtLast } from '../../support/leftovers.js';
import { program } from '../../support/program/program.js';
import { startServer } from '../../support/server.js';

it('topic tail shows records from while it was cut off, even the first ones', async () => {
  const server = await startServer();
  await callLog(server, '/admin/topics', { name: 'rides' });
  let isAway = false;
  let [begun, refused] = [0, 0];
  const proxy = createServer((incoming, outgoing) => {
    const { url = '', method = 'GET', headers } = incoming;
    if (isAway) {
      refused += 1;
      outgoing.writeHead(503).end();
      return;
    }
    const passedOn = request(`${server.url}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.once('data', () => {
        begun += 1;
      });
      answer.pipe(outgoing).on('close', () => answer.destroy());
    });
    incoming.pipe(passedOn);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { restUsername, restPassword } = server.credentials;
  const tail = killedAtLast(
    spawn(process.execPath, [program, 'topic', 'tail', 'rides'], {
      env: {
        PATH: process.env['PATH'],
        STEPWELL_URL: `http://127.0.0.1:${listeningPort(proxy)}`,
        STEPWELL_REST_USERNAME: restUsername,
        STEPWELL_REST_PASSWORD: restPassword,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]();
  await until(() => begun === 1);
  isAway = true;
  proxy.closeAllConnections();
  await until(() => refused > 0);
  await callLog(server, '/produce/rides', { value: 'meanwhile' });
  isAway = false;
  await until(() => begun === 2);
  await callLog(server, '/produce/rides', { value: 'later' });
  const shown = [await lines.next(), await lines.next()].map(
    ({ value }) => JSON.parse(value).value,
  );
  expect(shown).toEqual(['meanwhile', 'later']);
  tail.kill();
  await once(tail, 'exit');
  proxy.close();
  await server.remove();
});
