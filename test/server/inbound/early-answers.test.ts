/**
 * Requests that are refused before they have arrived completely: their clients can read the answer.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorization, freePort, ServerProcess } from '../../support/program/server-process.js';

const bodyBytes = 20 * 1024 * 1024;
const path = '/v2/publish/http://127.0.0.1:9/';

let folder = '';
let server: ServerProcess;

// A process of its own, as it must be able to close a connection while its client writes.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-early-'));
  server = await ServerProcess.start(folder, await freePort());
});
afterAll(async () => {
  await server.kill();
  await rm(folder, { recursive: true });
});

function post(): ClientRequest {
  const headers = { authorization };
  return request(server.url + path, { method: 'POST', headers, agent: false });
}

it.each([
  ['of a known length', (sent: ClientRequest) => sent.end(Buffer.alloc(bodyBytes))],
  [
    'in chunks',
    (sent: ClientRequest) => {
      for (let left = bodyBytes; left > 0; left -= 65_536) sent.write(Buffer.alloc(65_536));
      sent.end();
    },
  ],
])('a client that keeps sending a body %s reads why it is too large', async (_what, send) => {
  for (let round = 0; round < 12; round += 1) {
    const sent = post();
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    send(sent);
    const [answer] = await answered;
    // From here on the client sends in vain.
    sent.on('error', () => undefined);
    expect(answer.statusCode).toBe(413);
    expect(Buffer.concat(await answer.toArray()).toString()).toMatch(/too large|longer than/i);
  }
});

it('bytes after a refused request are not taken for another request', async () => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const head = (length: number) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: a',
      `Authorization: ${authorization}`,
      'Svc-Delay: 1h',
      `Content-Length: ${length}`,
      '\r\n',
    ].join('\r\n');
  socket.write(head(bodyBytes));
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1\.1 413 /);
  socket.on('error', () => undefined).resume();
  socket.write(Buffer.alloc(bodyBytes));
  socket.write(`${head(1)}x`);
  await once(socket, 'close');
  const listed = await fetch(`${server.url}/v2/messages`, { headers: { authorization } });
  expect(await listed.json()).toMatchObject({ messages: [] });
});
