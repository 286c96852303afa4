/** The real server, killed, with a byte flipped in what its topic was growing: it starts. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flipByte } from '../support/program/flipped-byte.js';
import { runProgram } from '../support/program/program.js';
import { basic, freePort, ServerProcess } from '../support/program/server-process.js';

const recordCount = 20;
const damagedOffset = 7;
const valueAt = (offset: number) => `value ${offset};`.padEnd(300, '.');

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-damaged-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function call(url: string, path: string, body: unknown) {
  const headers = { authorization: basic };
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

/** The growing segment of the topic: the journal's log is number 0. */
async function growingSegment(data: string): Promise<string> {
  for (const log of (await readdir(join(data, 'logs'))).sort().slice(1)) {
    const names = (await readdir(join(data, 'logs', log))).filter((name) => name.endsWith('.log'));
    for (const name of names) {
      const path = join(data, 'logs', log, name);
      if ((await readFile(path)).includes(valueAt(0))) return path;
    }
  }
  throw new Error('no segment holds the records');
}

describe('a topic of a server that was killed', () => {
  it('costs a flipped bit of its growing segment one record, and the server starts', async () => {
    const data = join(folder, 'data');
    const first = await ServerProcess.start(data, await freePort());
    for (let offset = 0; offset < recordCount; offset += 1) {
      const record = { value: valueAt(offset), partition: 0 };
      expect(await call(first.url, '/produce/rides', record)).toMatchObject({ status: 200 });
    }
    // Soon after, the watermark says how far the log is durable.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await first.kill('SIGKILL');
    const path = await growingSegment(data);
    await flipByte(path, (await readFile(path)).indexOf(valueAt(damagedOffset)));

    const second = await ServerProcess.start(data, await freePort());
    const fetchAt = (offset: number) =>
      call(second.url, '/fetch', { topic: 'rides', partition: 0, offset, timeout: 0 });
    const offsets: number[] = [];
    for (let at = 0; at < recordCount; ) {
      const { status, body } = await fetchAt(at);
      if (status === 200) {
        for (const { offset, value } of body as { offset: number; value: string }[]) {
          expect(value).toBe(valueAt(offset));
          offsets.push(offset);
        }
        at = (offsets.at(-1) ?? 0) + 1;
      } else {
        expect(body).toMatchObject({ code: 'DATA_DAMAGED', topic: 'rides', partition: 0 });
        at = damagedOffset + 1;
      }
    }
    const all = Array.from({ length: recordCount }, (_, offset) => offset);
    expect(offsets).toEqual(all.filter((offset) => offset !== damagedOffset));
    expect(await call(second.url, '/produce/rides', { value: 'new', partition: 0 })).toMatchObject({
      body: [{ offset: recordCount }],
    });
    expect(second.output).toMatch(/of log .* offsets 7 to 7 cannot be read/);
    expect(await second.kill('SIGTERM')).toBe(0);
    const verified = await runProgram(data, ['journal', 'verify']);
    expect([verified.code, verified.stderr]).toEqual([65, expect.stringContaining(path)]);
  }, 60_000);
});
