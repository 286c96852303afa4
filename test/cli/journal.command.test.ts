import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { verifyFolder } from '../../src/cli/journal/journal-verify.js';
import { killedAtLast } from '../support/leftovers.js';
import { flipByte } from '../support/program/flipped-byte.js';
import { type Ended, program, runProgram } from '../support/program/program.js';
import {
  authorization,
  basic,
  freePort,
  ServerProcess,
} from '../support/program/server-process.js';

let folder = '';
let data = '';
let running: { readonly print: Ended; readonly verify: Ended };
const ids: string[] = [];

const journal = (...words: string[]) => runProgram(data, ['journal', ...words]);
const linesOf = ({ stdout }: Ended) => stdout.split('\n').filter((line) => line !== '');

/** One server, read while it runs, and its folder after it has stopped. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-journal-'));
  data = join(folder, 'data');
  const server = await ServerProcess.start(data, await freePort());
  const call = async (path: string, headers: Record<string, string>, body: string) => {
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    return (await response.json()) as { messageId: string };
  };
  const publish = (body: string) =>
    call('/v2/publish/http://127.0.0.1:9000/x', { authorization, 'svc-delay': '1h' }, body);
  for (const body of ['one', 'two', 'three']) ids.push((await publish(body)).messageId);
  await fetch(`${server.url}/v2/messages/${ids[0]}`, {
    method: 'DELETE',
    headers: { authorization },
  });
  await call('/v2/keys/rotate', { authorization }, '');
  await call('/produce/rides', { authorization: basic }, JSON.stringify({ value: 'record' }));
  // After 100 ms of silence the watermark, which limits readers, includes the last commit.
  await new Promise((resolve) => setTimeout(resolve, 500));
  running = { print: await journal('print'), verify: await journal('verify') };
  expect(await server.kill('SIGTERM')).toBe(0);
  await rm(join(data, 'RESERVE'), { force: true });
}, 60_000);

afterAll(() => rm(folder, { recursive: true }));

describe('journal replay', () => {
  it.each([
    [['--records', 'rides', '--csv'], 'cannot be used with'],
    [['--records', 'rides', '--until', '3'], 'cannot be used with'],
    [['--offsets', '--records', 'rides'], 'cannot be used with'],
    [['--csv', '--json'], 'cannot be used with'],
    [['--type', ''], 'not a list of types'],
    [['--type', 'MessagePublished,Nope'], 'no events of type Nope'],
  ])('refuses %j, as it would ignore a part of it', async (words, said) => {
    const { code, stdout, stderr } = await journal('replay', ...words);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain(said);
  });
});

describe('journal print', () => {
  it('shows every event of a running server, one line each, and no secret', () => {
    const { code, stderr } = running.print;
    expect([code, stderr]).toEqual([0, '']);
    const types = linesOf(running.print).map((line) => line.split(' ')[3]);
    expect(types).toEqual([
      ...['MessagePublished', 'MessagePublished', 'MessagePublished', 'MessageCanceled'],
      ...['SigningKeysRotated', 'TopicCreated'],
    ]);
    expect(running.print.stdout).not.toContain('sig_');
  });

  it('shows the same for the folder of a stopped server', async () => {
    expect((await journal('print')).stdout).toBe(running.print.stdout);
  });

  it('shows one stream, by its name or by its id', async () => {
    const lines = linesOf(await journal('print', '--stream', `message/${ids[0]}`));
    expect(lines.map((line) => line.split(' ').slice(2, 4).join(' '))).toEqual([
      `message/${ids[0]}#0 MessagePublished`,
      `message/${ids[0]}#1 MessageCanceled`,
    ]);
    expect(linesOf(await journal('print', '--stream', `${ids[0]}`))).toEqual(lines);
  });

  it('says that a stream does not exist, and which one may be meant', async () => {
    const hint = `did you mean message/${ids[0]}?`;
    expect(await journal('print', '--stream', `topic/${ids[0]}`)).toEqual({
      code: 1,
      stdout: '',
      stderr: `stepwell: no stream "topic/${ids[0]}" in this journal; ${hint}\n`,
    });
    const { code, stderr } = await journal('print', '--stream', 'msg_nothing');
    expect([code, stderr]).toEqual([1, 'stepwell: no stream "msg_nothing" in this journal\n']);
  });

  it('shows a range of offsets, whose end is exclusive', async () => {
    const all = linesOf(running.print);
    const [, second = '', , fourth = ''] = all.map((line) => line.split(' ')[0]);
    const range = await journal('print', '--from', second, '--until', fourth);
    expect(linesOf(range)).toEqual(all.slice(1, 3));
    expect(linesOf(await journal('print', '--from', fourth))).toEqual(all.slice(3));
    const { code, stdout, stderr } = await journal('print', '--from', '1000000');
    const said = expect.stringMatching(/^stepwell: the journal ends at \d+, before 1000000\n$/);
    expect([code, stdout, stderr]).toEqual([1, '', said]);
  });

  it('can print one JSON object per event, with bodies in base64', async () => {
    const [event] = linesOf(await journal('print', '--json')).map((line) => JSON.parse(line));
    expect(event).toMatchObject({ kind: 'message', id: ids[0], type: 'MessagePublished' });
    expect(Buffer.from(event.bodyBase64, 'base64').toString()).toBe('one');
  });

  it('shows secrets with --reveal', async () => {
    expect((await journal('print', '--reveal')).stdout).toContain('sig_');
  });

  it.each(['print', 'verify'])('ends with 0 when its reader is gone: %s', async (word) => {
    const env = { PATH: process.env['PATH'], STEPWELL_DATA_DIR: data };
    const child = killedAtLast(spawn(process.execPath, [program, 'journal', word], { env }));
    child.stdout.destroy();
    const [code] = await once(child, 'exit');
    expect([code, await text(child.stderr)]).toEqual([0, '']);
  });

  it.each([[['--from', 'x']], [['--until', '-1']], [['--stream']]])('refuses %j', async (words) => {
    const { code, stderr } = await journal('print', ...words);
    expect([code, stderr]).toEqual([64, expect.stringMatching(/^error: option/)]);
  });

  it('says that a folder holds no data of Stepwell', async () => {
    for (const word of ['print', 'verify']) {
      const { code, stderr } = await runProgram(join(folder, 'nothing'), ['journal', word]);
      expect([code, stderr]).toEqual([64, expect.stringContaining('contains no data of Stepwell')]);
    }
  });
});

describe('journal verify', () => {
  it('finds the folder of a running server intact', () => {
    const { code, stderr } = running.verify;
    expect([code, stderr]).toEqual([0, '']);
  });

  it('prints a line per log and one for the events', async () => {
    const ended = await journal('verify');
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(linesOf(ended)).toEqual([
      expect.stringMatching(
        /^__journal \[0, \d+\): segments 1, batches \d+, .* indexes 1: intact$/,
      ),
      expect.stringMatching(/^topic\/__consumer_offsets\/0 \[0, 0\): .*: intact$/),
      expect.stringMatching(/^topic\/rides\/0 \[0, [01]\): .*: intact$/),
      expect.stringMatching(/^topic\/rides\/1 \[0, [01]\): .*: intact$/),
      expect.stringMatching(/^topic\/rides\/2 \[0, [01]\): .*: intact$/),
      '6 events, 5 streams: every chain holds',
    ]);
  });

  it.each([
    ['MANIFEST', 50],
    ['MANIFEST.copy', 50],
    ['WATERMARKS', 10],
    ['logs/0000000000/0000000000.log', 20],
    ['logs/0000000000/0000000000.log', 300],
    ['logs/0000000000/0000000000.index', 40],
  ])('finds a flipped byte in %s at %i', async (path, position) => {
    const damaged = join(folder, 'damaged');
    await cp(data, damaged, { recursive: true });
    await flipByte(join(damaged, path), position);
    const { problems } = await verifyFolder(damaged);
    await rm(damaged, { recursive: true });
    expect(problems).toEqual([
      expect.stringContaining(`damaged data: ${join(damaged, path)} bytes`),
    ]);
    expect(problems[0]).toMatch(/bytes \d+ to \d+: .*; last good offset (none|\d+)$/);
  });

  it('ends with 65 on damage, after it has checked the other logs', async () => {
    const damaged = join(folder, 'damaged');
    await cp(data, damaged, { recursive: true });
    await flipByte(join(damaged, 'logs/0000000000/0000000000.log'), -1);
    await flipByte(join(damaged, 'logs/0000000000/0000000000.log'), 400);
    const ended = await runProgram(damaged, ['journal', 'verify']);
    expect([ended.code, ended.stderr]).toEqual([65, expect.stringContaining('last good offset')]);
    expect(linesOf(ended).map((line) => line.split(' ').at(-1))).toEqual([
      ...['DAMAGED', ...Array(4).fill('intact')],
    ]);
  });
});
