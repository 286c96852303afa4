import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { request } from 'undici';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import {
  publishDelivered,
  repeatMoreSlowly,
  sweptRecords,
} from '../../support/clients/swept-messages.js';
import { HeldFolder } from '../../support/program/held-folder.js';
import { startServer, type TestServer } from '../../support/server.js';

const silence = /^the disk of STEPWELL_ARCHIVE_DIR has not answered for \d+ s: /;

let folder: string;
let held: HeldFolder;
let endpoint: RecordingEndpoint;
let server: TestServer;

const lines: string[] = [];

async function start(dataDirectory?: string): Promise<void> {
  const write = (line: string) => lines.push(JSON.parse(line).msg);
  server = await startServer({
    ...(dataDirectory !== undefined && { dataDirectory }),
    environment: { STEPWELL_ARCHIVE_DIR: folder, STEPWELL_LOG_RETENTION: '1s' },
    ports: {
      disk: held.disk,
      fileSizes: { segmentBytes: 64 * 1024, reserveBytes: 0 },
      log: pino({ level: 'warn' }, { write }),
    },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-silent-archive-'));
  held = new HeldFolder(nodeDisk, folder);
  endpoint = await RecordingEndpoint.start();
  await start();
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
  await rm(folder, { recursive: true });
});

async function scraped(): Promise<string> {
  const { statusCode, body } = await request(`${server.url}/metrics`);
  expect(statusCode).toBe(200);
  return body.text();
}

/** The warnings that the server shows to operators. */
async function warnings(): Promise<readonly string[]> {
  const { body } = await callApi(server, 'GET', '/health/ready');
  // The form of the answer is checked by the route's own tests against its description.
  return (body as { warnings?: readonly string[] }).warnings ?? [];
}

const publishUntil = (isDone: () => Promise<boolean>) =>
  repeatMoreSlowly(() => publishDelivered(server, endpoint, 50), isDone);

it('an archive that does not answer causes a warning, and blocks nothing else', async () => {
  await publishUntil(async () => (await sweptRecords(server)) > 0);
  held.hold();
  try {
    await publishUntil(async () => (await warnings()).length > 0);
    expect(await warnings()).toEqual([expect.stringMatching(silence)]);
    await Promise.all(Array.from({ length: 20 }, scraped));
    await scraped();
    // The sweep, the free space and the size: each of these calls holds a thread of the pool.
    expect(held.waiting).toBeLessThanOrEqual(3);
  } finally {
    held.release();
  }
  const before = await sweptRecords(server);
  await publishUntil(async () => (await sweptRecords(server)) > before);
  expect(await warnings()).toEqual([]);
  expect(await scraped()).toMatch(/^stepwell_archive_bytes [1-9]/m);
}, 180_000);

it('a start that waits for its archive says so', async () => {
  await server.stop();
  lines.length = 0;
  held.hold();
  const starting = start(server.dataDirectory);
  while (lines.length === 0) await pause(100);
  expect(lines).toEqual([expect.stringMatching(`${silence.source}the start waits$`)]);
  held.release();
  await starting;
}, 60_000);
