import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { HeldFolder } from '../../support/program/held-folder.js';
import { startServer, type TestServer } from '../../support/server.js';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-backups-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function call(server: TestServer, method: string, body?: unknown) {
  const response = await fetch(`${server.url}/admin/backup`, {
    method,
    headers: { authorization: server.basic },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

async function ended(server: TestServer): Promise<Record<string, unknown>> {
  for (;;) {
    const { json } = await call(server, 'GET');
    if (json['state'] !== 'running') return json;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('POST /admin/backup', () => {
  it('makes one backup at a time, in the configured folder', async () => {
    const server = await startServer({ environment: { STEPWELL_BACKUP_DIR: folder } });
    expect(await call(server, 'GET')).toEqual({ status: 200, json: { state: 'idle' } });
    const both = await Promise.all([
      call(server, 'POST', { path: 'first' }),
      call(server, 'POST', { path: 'second' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
    const done = await ended(server);
    expect(done).toMatchObject({ state: 'done', backup: { format: 1, damages: [] } });
    const [made = ''] = await readdir(folder);
    expect(done['path']).toBe(join(folder, made));
    expect(await call(server, 'POST', { path: made })).toMatchObject({ status: 409 });
    for (const path of ['../out', '/tmp/x', 'a/b', '.hidden', '', 'x.partial', 7]) {
      expect(await call(server, 'POST', { path })).toMatchObject({ status: 400 });
    }
    expect(await call(server, 'POST')).toMatchObject({ status: 202 });
    expect(await ended(server)).toMatchObject({ state: 'done' });
    expect(await readdir(folder)).toHaveLength(2);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/stepwell_backup_last_success_timestamp_seconds 1\d+/);
    await server.remove();
  });

  it('removes the partial backups of servers that were killed', async () => {
    const left = join(folder, 'stepwell-2020-01-01T00-00-00-000Z.partial');
    await mkdir(join(left, 'logs', '0000000000'), { recursive: true });
    await writeFile(join(left, 'logs', '0000000000', '0000000000.log'), 'x');
    const later = 'stepwell-2999-01-01T00-00-00-000Z.partial';
    await mkdir(join(folder, later));
    const server = await startServer({ environment: { STEPWELL_BACKUP_DIR: folder } });
    expect(await call(server, 'POST', { path: 'mine' })).toMatchObject({ status: 202 });
    expect(await ended(server)).toMatchObject({ state: 'done' });
    expect(await readdir(folder)).toEqual(['mine', later]);
    await server.remove();
  });

  it('waits with a warning for a disk that does not answer', async () => {
    const held = new HeldFolder(nodeDisk, folder);
    const server = await startServer({
      environment: { STEPWELL_BACKUP_DIR: folder },
      ports: { disk: held.disk },
    });
    const ready = async () => (await fetch(`${server.url}/health/ready`)).text();
    held.hold();
    const begun = call(server, 'POST', { path: 'mine' });
    const silence = 'the disk of a backup has not answered for ';
    while (!(await ready()).includes(silence)) await pause(100);
    held.release();
    expect(await begun).toMatchObject({ status: 202 });
    expect(await ended(server)).toMatchObject({ state: 'done' });
    expect(await ready()).not.toContain(silence);
    await server.remove();
  }, 60_000);

  it('is refused if no folder is configured, and says why a backup has failed', async () => {
    const server = await startServer();
    expect(await call(server, 'POST')).toMatchObject({ status: 422 });
    await server.remove();
    const gone = join(folder, 'gone');
    const other = await startServer({ environment: { STEPWELL_BACKUP_DIR: gone } });
    expect(await call(other, 'POST')).toMatchObject({ status: 422 });
    expect(await ended(other)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/^STEPWELL_BACKUP_DIR .*gone: ENOENT/),
    });
    await mkdir(gone);
    await mkdir(join(gone, 'mine.partial'));
    await mkdir(join(gone, 'mine.partial/other'));
    expect(await call(other, 'POST', { path: 'mine' })).toMatchObject({ status: 202 });
    expect(await ended(other)).toMatchObject({ state: 'failed', reason: expect.any(String) });
    expect(await readdir(join(gone, 'mine.partial'))).toEqual(['other']);
    const metrics = await (await fetch(`${other.url}/metrics`)).text();
    expect(metrics).toContain('stepwell_backup_failures_total 2');
    expect(metrics).toMatch(/^stepwell_backup_last_failure_timestamp_seconds 1\d+/m);
    await other.remove();
  });
});
