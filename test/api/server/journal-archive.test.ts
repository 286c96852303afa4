import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

const ports = { fileSizes: { segmentBytes: 64 * 1024, reserveBytes: 0 } };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-archive-'));
});

afterEach(() => rm(folder, { recursive: true }));

const environmentOf = (archive: string, retention = 'sweep') => ({
  STEPWELL_ARCHIVE_DIR: archive,
  STEPWELL_JOURNAL_RETENTION: retention,
  STEPWELL_LOG_RETENTION: '1s',
});

/** The offsets of whole copies in the archive, oldest first. */
async function ranges(): Promise<(readonly [from: number, until: number])[]> {
  const [store] = await readdir(folder);
  const names = store === undefined ? [] : await readdir(join(folder, store));
  return names
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => {
      const [, from, until] = name.slice(0, -'.log'.length).split('-').map(Number);
      return [from ?? 0, until ?? 0] as const;
    });
}

async function metric(server: TestServer, name: string): Promise<number> {
  const text = await (await request(`${server.url}/metrics`)).body.text();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}

async function publishUntilSwept(server: TestServer, url: string, records: number) {
  const body = JSON.stringify(
    Array.from({ length: 50 }, () => ({ destination: url, body: 'x'.repeat(400) })),
  );
  while (!((await metric(server, 'stepwell_journal_swept_records_total')) >= records)) {
    expect((await callApi(server, 'POST', '/v2/batch', {}, body)).status).toBe(200);
  }
}

it('the archive has the journal up to its last sweep, without a gap', async () => {
  const endpoint = await RecordingEndpoint.start();
  const environment = environmentOf(folder);
  let server = await startServer({ environment, ports });
  await publishUntilSwept(server, `${endpoint.url}/x`, 200);
  expect(await metric(server, 'stepwell_journal_archived_bytes_total')).toBeGreaterThan(50_000);
  await server.stop();
  server = await startServer({ environment, ports, dataDirectory: server.dataDirectory });
  await publishUntilSwept(server, `${endpoint.url}/x`, 200);
  const headers = { authorization: server.basic };
  const answer = await callApi(server, 'GET', '/admin/journal?type=JournalSwept', headers);
  await server.remove();
  await endpoint.stop();

  const untils = String(answer.body).matchAll(/"until":(\d+)/g);
  const until = Math.max(...[...untils].map(([, offset]) => Number(offset)));
  expect(until).toBeGreaterThan(200);
  let next = 0;
  for (const [from, end] of await ranges()) {
    expect(from).toBeLessThanOrEqual(next);
    next = Math.max(next, end);
  }
  expect(next).toBeGreaterThanOrEqual(until);
}, 180_000);

describe('a start is refused where the archive', () => {
  const refused = (archive: string, dataDirectory?: string, retention?: string) =>
    expect(
      startServer({
        environment: environmentOf(archive, retention),
        ...(dataDirectory !== undefined && { dataDirectory }),
      }),
    ).rejects;

  it('is not there', () => refused(join(folder, 'missing')).toThrow(/is not there: make it/));

  it('is a file', async () => {
    await writeFile(join(folder, 'file'), '');
    await refused(join(folder, 'file')).toThrow(/is no folder/);
  });

  it('lies in the data folder', async () => {
    await refused(join(folder, 'archive'), folder).toThrow(/lies in the data folder/);
  });

  it('would never be written', async () => {
    await refused(folder, undefined, 'forever').toThrow(/nothing is swept/);
  });
});
