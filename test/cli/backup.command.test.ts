import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { killedAtLast } from '../support/leftovers.js';
import { flipByte } from '../support/program/flipped-byte.js';
import { program, runProgram } from '../support/program/program.js';
import {
  authorization,
  basic,
  freePort,
  ServerProcess,
} from '../support/program/server-process.js';

let folder = '';
let data = '';
let port = 0;
let endpoint: RecordingEndpoint;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-backup-'));
  data = join(folder, 'data');
  port = await freePort();
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await endpoint.stop();
  await rm(folder, { recursive: true });
});

const at = (name: string) => join(folder, name);

async function publish(server: ServerProcess, delay: string): Promise<string> {
  const response = await fetch(`${server.url}/v2/publish/${endpoint.url}`, {
    method: 'POST',
    headers: { authorization, 'svc-delay': delay },
    body: 'a message',
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { messageId: string }).messageId;
}

async function topicCall(server: ServerProcess, path: string, body: unknown) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as { offset: number }[] };
}

const records = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ value: `record ${place}`, key: 'same' }));

/** A partition that holds records: its number and the offset of its end. */
async function fullPartition(server: ServerProcess) {
  const response = await fetch(`${server.url}/admin/topics/orders`, {
    headers: { authorization: basic },
  });
  const { offsets } = (await response.json()) as {
    offsets: { partition: number; latest: number }[];
  };
  const found = offsets.find(({ latest }) => latest > 0);
  if (found === undefined) throw new Error('no partition holds anything');
  return found;
}

/** The largest segment of any log but the journal. */
async function topicSegment(): Promise<string> {
  const files: { path: string; size: number }[] = [];
  for (const log of await readdir(join(data, 'logs'))) {
    if (log === '0000000000') continue;
    for (const name of await readdir(join(data, 'logs', log))) {
      const path = join(data, 'logs', log, name);
      if (name.endsWith('.log')) files.push({ path, size: (await stat(path)).size });
    }
  }
  return files.sort((one, two) => two.size - one.size)[0]?.path ?? '';
}

describe('stepwell backup and restore', () => {
  it('copies a folder while it is written to, and a server can run on the copy', async () => {
    const server = await ServerProcess.start(data, port);
    const waiting = await publish(server, '1s');
    await topicCall(server, '/produce/orders', records(5));
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await publish(server, '1h');
    })();
    const made = await runProgram(data, ['backup', at('copy')]);
    isOver = true;
    await writing;
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^backed up .*\nmade at .* of store [0-9a-f]{32}, start 1\n/);
    const manifest = JSON.parse(await readFile(join(at('copy'), 'backup.json'), 'utf8'));
    expect(manifest).toMatchObject({ format: 1, epoch: 1, lost: [], damages: [] });
    const { partition, latest } = await fullPartition(server);
    expect(manifest.logs).toContainEqual({ name: `topic/orders/${partition}`, until: latest });
    await server.kill();

    const served = await runProgram(at('copy'), ['start']);
    expect(served).toMatchObject({ code: 64, stderr: expect.stringMatching('is a backup') });
    const again = await runProgram(data, ['backup', at('copy')]);
    expect(again).toMatchObject({ code: 73, stderr: expect.stringMatching('is not empty') });

    const restored = await runProgram(data, ['restore', at('copy'), at('new')]);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    await rm(data, { recursive: true });
    const next = await ServerProcess.start(at('new'), port);
    expect(next.output).toContain('this folder was restored');
    while (!endpoint.requests.some(({ headers }) => headers['svc-message-id'] === waiting)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { json: read } = await topicCall(next, '/fetch', {
      ...{ topic: 'orders', partition, offset: 0 },
    });
    expect(read).toHaveLength(5);
    const { json } = await topicCall(next, '/produce/orders', records(1));
    expect(json[0]?.offset).toBe(latest + 1_000_000);
    // A reader that was ahead of the copy in the old folder finds the next record.
    const { json: ahead } = await topicCall(next, '/fetch', {
      ...{ topic: 'orders', partition, offset: latest + 7 },
    });
    expect(ahead[0]?.offset).toBe(latest + 1_000_000);
    expect(await next.kill('SIGTERM')).toBe(0);
    expect(await runProgram(at('new'), ['journal', 'verify'])).toMatchObject({ code: 0 });
    const second = await ServerProcess.start(at('new'), port);
    expect(second.output).not.toContain('this folder was restored');
    await second.kill();
  }, 60_000);

  it('refuses a folder that is no backup, is not empty, overlaps, or is damaged', async () => {
    const server = await ServerProcess.start(data, port);
    await publish(server, '1h');
    await server.kill('SIGTERM');
    expect(await runProgram(data, ['backup', at('copy')])).toMatchObject({ code: 0 });
    await mkdir(at('full'));
    await writeFile(join(at('full'), 'mine'), 'mine');
    const restore = (backup: string, to: string) => runProgram(data, ['restore', backup, to]);
    expect(await restore(at('copy'), at('full'))).toMatchObject({ code: 73 });
    expect(await readdir(at('full'))).toEqual(['mine']);
    expect(await restore(data, at('new'))).toMatchObject({ code: 64 });
    expect(await restore(at('copy'), at('copy'))).toMatchObject({ code: 64 });
    expect(await restore(at('copy'), join(at('copy'), 'inside'))).toMatchObject({ code: 64 });
    const [journal = ''] = await readdir(join(at('copy'), 'logs/0000000000'));
    await cp(at('copy'), at('damaged'), { recursive: true });
    await flipByte(join(at('damaged'), 'logs/0000000000', journal), 200);
    expect(await restore(at('damaged'), at('new'))).toMatchObject({ code: 65 });
    const manifest = await readFile(join(at('copy'), 'backup.json'), 'utf8');
    const more = manifest.replace(/"until": (\d+)/, (_, until) => `"until": ${Number(until) + 1}`);
    await writeFile(join(at('copy'), 'backup.json'), more);
    const short = await restore(at('copy'), at('new'));
    expect(short).toMatchObject({ code: 65, stderr: expect.stringMatching('does not hold') });
    expect((await readdir(folder)).sort()).toEqual(['copy', 'damaged', 'data', 'full']);
  }, 60_000);

  it('refuse a target in or around the data folder; a start keeps folders in tmp/', async () => {
    const server = await ServerProcess.start(data, port);
    const id = await publish(server, '1h');
    const within = ['.', 'tmp/mon', 'logs/mon', 'mon', '..'].map((name) => join(data, name));
    for (const verb of [['backup'], ['journal', 'export', '--good']]) {
      for (const to of within) {
        const { code, stderr } = await runProgram(data, [...verb, to]);
        expect([to, code, stderr]).toEqual([
          to,
          64,
          expect.stringContaining('must not contain each other'),
        ]);
      }
    }
    await symlink(data, at('link'));
    const behindLink = await runProgram(data, ['backup', join(at('link'), 'mon')]);
    expect(behindLink).toMatchObject({ code: 64 });
    await server.kill('SIGTERM');
    expect(await readdir(join(data, 'tmp'))).toEqual([]);
    await mkdir(join(data, 'tmp/mine'));
    await writeFile(join(data, 'tmp/mine/kept'), 'kept');
    await writeFile(join(data, 'tmp/left'), 'left');
    const next = await ServerProcess.start(data, port);
    const response = await fetch(`${next.url}/v2/messages/${id}`, { headers: { authorization } });
    expect(response.status).toBe(200);
    expect(await readdir(join(data, 'tmp'), { recursive: true })).toEqual(['mine', 'mine/kept']);
    expect(await next.kill('SIGTERM')).toBe(0);
  }, 60_000);

  it('refuses a backup that is incomplete or of a later version, and an empty path', async () => {
    const server = await ServerProcess.start(data, port);
    await publish(server, '1h');
    await server.kill('SIGTERM');
    expect(await runProgram(data, ['backup', at('whole')])).toMatchObject({ code: 0 });
    const restoreChanged = async (change: (copy: string) => Promise<void>) => {
      const copy = await mkdtemp(at('cut-'));
      await cp(at('whole'), copy, { recursive: true });
      await change(copy);
      return runProgram(data, ['restore', copy, at('new')]);
    };
    const missing = { code: 65, stderr: expect.stringMatching('the file is missing') };
    const removing = (name: string) => (copy: string) => rm(join(copy, name), { recursive: true });
    expect(await restoreChanged(removing('logs/0000000000'))).toMatchObject(missing);
    const unlisted = await restoreChanged(async (copy) => {
      for (const name of ['MANIFEST', 'MANIFEST.copy']) await rm(join(copy, name));
    });
    expect(unlisted).toMatchObject(missing);
    const later = await restoreChanged((copy) =>
      writeFile(join(copy, 'backup.json'), JSON.stringify({ format: 2 })),
    );
    expect(later).toMatchObject({ code: 65, stderr: expect.stringMatching('has format 2') });
    for (const words of [
      ['backup', ''],
      ['restore', at('whole'), ''],
      ['restore', '', at('new')],
    ]) {
      const refused = await runProgram(data, words);
      expect(refused).toMatchObject({ code: 64, stderr: expect.stringMatching('It is empty') });
    }
    expect(await readdir(folder)).not.toContain('new');
  }, 60_000);

  it('copies the intact part of a damaged topic, names the rest, and exits with 65', async () => {
    const server = await ServerProcess.start(data, port);
    for (let count = 0; count < 3; count += 1) {
      await topicCall(server, '/produce/orders', records(100));
    }
    const { partition, latest } = await fullPartition(server);
    await server.kill();
    // A start seals the segment that the crash has left unsealed.
    await (await ServerProcess.start(data, port)).kill('SIGTERM');
    await flipByte(await topicSegment(), 300);
    const made = await runProgram(data, ['backup', at('copy')]);
    expect(made.code).toBe(65);
    const lost = /topic\/orders\/\d+: missing are offsets (\d+) to (\d+)/.exec(made.stderr);
    expect(lost?.[1]).toBe('0');
    const until = Number(lost?.[2]) + 1;
    expect(until).toBeLessThan(latest);
    expect(await runProgram(data, ['restore', at('copy'), at('new')])).toMatchObject({ code: 65 });
    const next = await ServerProcess.start(at('new'), port);
    const place = { topic: 'orders', partition };
    const hurt = await topicCall(next, '/fetch', { ...place, offset: 0 });
    expect(hurt.status).toBe(500);
    const { json } = await topicCall(next, '/fetch', { ...place, offset: until });
    expect(json.map(({ offset }) => offset).slice(0, 3)).toEqual([until, until + 1, until + 2]);
    await next.kill();
  }, 60_000);

  it('accept the current folder, a link, and a volume as an existing target', async () => {
    const server = await ServerProcess.start(data, port);
    await publish(server, '1h');
    await server.kill('SIGTERM');
    await mkdir(at('here'));
    await mkdir(at('volume/lost+found'), { recursive: true });
    await symlink(at('volume'), at('link'));
    const within = ['env', '-C', at('here')];
    expect(await runProgram(data, ['backup', '.'], {}, within)).toMatchObject({ code: 0 });
    const words = ['restore', at('here'), at('link')];
    expect(await runProgram(data, words)).toMatchObject({ code: 0, stderr: '' });
    expect((await readdir(folder)).sort()).toEqual(['data', 'here', 'link', 'volume']);
    expect(await readdir(at('volume'))).not.toContain('copy.partial');
    const next = await ServerProcess.start(at('link'), port);
    await next.kill('SIGTERM');
    const full = await runProgram(data, ['restore', at('here'), '..'], {}, within);
    expect(full).toMatchObject({ code: 64 });
    const again = await runProgram(data, ['restore', at('here'), '.'], {}, ['env', '-C', data]);
    expect(again).toMatchObject({ code: 73 });
  }, 60_000);

  it('leave no folder of the final name if they are killed, and can be repeated', async () => {
    const server = await ServerProcess.start(data, port);
    for (let count = 0; count < 20; count += 1) await publish(server, '1h');
    await server.kill('SIGTERM');
    const killedIn = async (words: readonly string[], name: string) => {
      const env = { PATH: process.env['PATH'], STEPWELL_DATA_DIR: data };
      const child = killedAtLast(
        spawn(process.execPath, [program, ...words], { env, stdio: 'ignore' }),
      );
      const gone = once(child, 'exit');
      while (child.exitCode === null && !(await readdir(folder)).includes(`${name}.partial`)) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      child.kill('SIGKILL');
      await gone;
      return (await readdir(folder)).includes(name);
    };
    expect(await killedIn(['backup', at('copy')], 'copy')).toBe(false);
    expect(await runProgram(data, ['backup', at('copy')])).toMatchObject({ code: 0 });
    expect(await killedIn(['restore', at('copy'), at('new')], 'new')).toBe(false);
    expect(await runProgram(data, ['restore', at('copy'), at('new')])).toMatchObject({ code: 0 });
    expect((await readdir(folder)).sort()).toEqual(['copy', 'data', 'new']);
    expect(await runProgram(at('new'), ['journal', 'verify'])).toMatchObject({ code: 0 });
  }, 60_000);
});
