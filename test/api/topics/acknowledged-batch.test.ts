/** The next consume call acknowledges the previous batch, which no kill may undo. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basic, freePort, ServerProcess } from '../../support/program/server-process.js';

const groups = Array.from({ length: 8 }, (_, index) => `group-${index}`);
const topic = 'batches';
const batchRecords = 10;
const kills = 2;

/** An interval that is longer than the test, so that only calls acknowledge. */
const headers = {
  authorization: basic,
  'stream-auto-offset-reset': 'earliest',
  'stream-auto-commit-interval': '3600000',
};

async function produce(server: ServerProcess, from: number, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, index) => {
    return { value: String(from + index), partition: 0 };
  });
  const { status } = await fetch(`${server.url}/produce/${topic}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(records),
  });
  expect(status).toBe(200);
}

/** The offsets of the next batch of a group. */
async function consume(server: ServerProcess, group: string): Promise<number[]> {
  const response = await fetch(`${server.url}/consume/${group}/one`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ topic, timeout: 0, maxRecords: batchRecords }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { offset: number }[]).map(({ offset }) => offset);
}

const from = (first: number) => Array.from({ length: batchRecords }, (_, index) => first + index);

it('a batch of records comes again only if no later call has followed it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-acknowledged-'));
  const port = await freePort();
  let server = await ServerProcess.start(folder, port);
  await produce(server, 0, batchRecords * (kills + 2));
  let next = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const [acknowledged, last] = [next, next + batchRecords];
    for (const offset of [acknowledged, last]) {
      const batches = await Promise.all(groups.map((group) => consume(server, group)));
      expect(batches).toEqual(groups.map(() => from(offset)));
    }
    await server.kill();
    server = await ServerProcess.start(folder, port);
    next = last;
  }
  const batches = await Promise.all(groups.map((group) => consume(server, group)));
  expect(batches).toEqual(groups.map(() => from(next)));
  await server.kill();
  await rm(folder, { recursive: true, force: true });
}, 120_000);
