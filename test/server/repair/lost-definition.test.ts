import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readerOptions } from '../../../src/cli/journal/journal-reader.js';
import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { restore } from '../../../src/server/backup/restore.js';
import { exportGood } from '../../../src/server/repair/export-good.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { flipByteOf } from '../../support/program/flipped-byte.js';
import { startServer, type TestServer } from '../../support/server.js';

const tools = { disk: nodeDisk, options: readerOptions, onProgress: () => undefined };
const cron = '0 0 1 1 *';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-definition-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function ask(server: TestServer, method: string, path: string, more = {}, body = '') {
  const headers = { authorization: server.bearer, ...more };
  const init = { method, headers, ...(body !== '' && { body }) };
  const response = await fetch(`${server.url}/v2/schedules${path}`, init);
  expect(response.status).toBe(200);
  return response;
}

function create(server: TestServer, id: string, body: string) {
  const headers = { 'svc-cron': cron, 'svc-schedule-id': id };
  return ask(server, 'POST', '/https://example.com/', headers, body);
}

/** Three schedules, each with a checkpoint behind every fourth event. */
async function made(dataDirectory: string): Promise<void> {
  await mkdir(dataDirectory);
  const streamSizes = { liveStates: 1024, eventsPerCheckpoint: 4 };
  const server = await startServer({ dataDirectory, ports: { streamSizes } });
  for (const id of ['kept', 'lost', 'anew']) await create(server, id, `the body of ${id}`);
  for (const verb of ['pause', 'resume', 'pause', 'resume']) {
    for (const id of ['kept', 'lost']) await ask(server, 'PATCH', `/${id}/${verb}`);
  }
  await ask(server, 'PATCH', '/anew/pause');
  await create(server, 'anew', 'another body');
  await ask(server, 'PATCH', '/anew/resume');
  await ask(server, 'PATCH', '/anew/pause');
  await server.stop();
}

it('an export has a schedule exactly if it has the definition to which it refers', async () => {
  const [data, good, next] = [join(folder, 'data'), join(folder, 'good'), join(folder, 'next')];
  await made(data);
  await flipByteOf('the body of lost', data);
  await flipByteOf('the body of anew', data);
  const { changed } = await exportGood(tools, data, good);
  expect(changed).toEqual([
    { stream: 'schedule/lost', outcome: 'dropped', kept: 0, removed: 5 },
    { stream: 'schedule/anew', outcome: 'cut back', kept: 4, removed: 1 },
  ]);
  await restore(tools, good, next, { skip: 100 });
  for (let start = 0; start < 2; start += 1) {
    const server = await startServer({ dataDirectory: next });
    const listed = (await (await ask(server, 'GET', '')).json()) as { body: string }[];
    expect(listed.map(({ body }) => body)).toEqual(['the body of kept', 'another body']);
    await server.stop();
  }
  expect((await verifyFolder(next)).problems).toEqual([]);
});
