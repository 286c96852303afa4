import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readerOptions } from '../../../src/cli/journal/journal-reader.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { openStore } from '../../../storage/store.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { runProgram } from '../../support/program/program.js';
import { authorization, freePort, ServerProcess } from '../../support/program/server-process.js';

let folder = '';
let endpoint: RecordingEndpoint;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-drain-'));
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await endpoint.stop();
  await rm(folder, { recursive: true });
});

async function publish(server: ServerProcess, url: string): Promise<string> {
  const response = await fetch(`${server.url}/v2/publish/${url}`, {
    method: 'POST',
    headers: { authorization },
    body: 'a message',
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { messageId: string }).messageId;
}

/** Takes over ten seconds, the grace period for attempts in flight. */
test('SIGTERM lets attempts in flight end and count; a cut attempt does not count', async () => {
  const data = join(folder, 'data');
  const port = await freePort();
  endpoint.answer(async ({ url }) => {
    if (url === '/stuck') return new Promise(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return {};
  });

  const first = await ServerProcess.start(data, port);
  const slow = await publish(first, `${endpoint.url}/slow`);
  const stuck = await publish(first, `${endpoint.url}/stuck`);
  await endpoint.received(2);
  expect(await first.kill('SIGTERM')).toBe(0);

  const printed = async (id: string) => {
    const { stdout } = await runProgram(data, ['journal', 'print', '--stream', id]);
    return stdout.split('\n').flatMap((line) => line.split(' ')[3] ?? []);
  };
  expect(await printed(slow)).toEqual(['MessagePublished', 'MessageDelivered']);
  expect(await printed(stuck)).toEqual(['MessagePublished']);
  const store = await openStore(nodeDisk, data, readerOptions);
  expect(store.report.wasClean).toBe(true);
  await store.close();

  endpoint.answer(() => ({}));
  const second = await ServerProcess.start(data, port);
  const [, , third] = await endpoint.received(3);
  expect(third?.headers).toMatchObject({ 'svc-message-id': stuck, 'svc-retried': '0' });
  expect(await second.kill('SIGTERM')).toBe(0);
  expect(await printed(stuck)).toEqual(['MessagePublished', 'MessageDelivered']);
  expect(endpoint.requests).toHaveLength(3);
}, 60_000);
