import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  authorization,
  basic,
  freePort,
  ServerProcess,
} from '../support/program/server-process.js';
import { seed } from '../support/seed.js';

/** More rounds for longer runs: `KILL_ROUNDS=1000 npm run jest -- test/crash`. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 2);
const publishers = 6;
const producers = 4;
/** Messages and records of a round that are acknowledged before the kill. */
const leastEach = 10;
const topic = 'kills';

/** Small, seeded and good enough to choose moments (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An endpoint that remembers every body and refuses some calls, so that retries are under way. */
async function sink(random: () => number) {
  const bodies = new Map<string, string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (random() < 0.1) response.statusCode = 503;
      else {
        const id = String(request.headers['svc-message-id']);
        bodies.set(id, Buffer.concat(chunks).toString());
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sink`;
  return { url, bodies, close: () => server.close() };
}

describe('a server that is killed at random moments', () => {
  it(`delivers every acknowledged message and keeps every record (seed ${seed})`, async () => {
    const random = randomFrom(seed);
    const folder = await mkdtemp(join(tmpdir(), 'stepwell-kill-'));
    const port = await freePort();
    const endpoint = await sink(random);
    const published = new Map<string, string>();
    const produced = new Map<string, string>();
    let counter = 0;

    const publish = async (server: ServerProcess) => {
      const body = `message ${++counter} ${'x'.repeat(Math.floor(random() * 2000))}`;
      const response = await fetch(`${server.url}/v2/publish/${endpoint.url}`, {
        method: 'POST',
        headers: { authorization, 'svc-retries': '20', 'svc-retry-delay': '50' },
        body,
      });
      if (!response.ok) throw new Error(`publish answered ${response.status}`);
      const { messageId } = (await response.json()) as { messageId: string };
      published.set(messageId, body);
    };
    const produce = async (server: ServerProcess) => {
      const records = Array.from({ length: 1 + Math.floor(random() * 5) }, () => ({
        value: `record ${++counter} ${'y'.repeat(Math.floor(random() * 500))}`,
        key: random() < 0.5 ? `k${Math.floor(random() * 10)}` : '',
      }));
      const response = await fetch(`${server.url}/produce/${topic}`, {
        method: 'POST',
        headers: { authorization: basic },
        body: JSON.stringify(records),
      });
      if (!response.ok) throw new Error(`produce answered ${response.status}`);
      const results = (await response.json()) as { partition: number; offset: number }[];
      results.forEach(({ partition, offset }, index) => {
        produced.set(`${partition}/${offset}`, records[index]?.value ?? '');
      });
    };

    for (let round = 0; round < rounds; round += 1) {
      const server = await ServerProcess.start(folder, port);
      const [sent, stored] = [published.size, produced.size];
      let running = true;
      const clients = [
        ...Array.from({ length: publishers }, () => publish),
        ...Array.from({ length: producers }, () => produce),
      ].map(async (call) => {
        while (running) {
          try {
            await call(server);
          } catch (error) {
            // A client that was cut off got nothing; a refusal would be a failure.
            if (/answered/.test(String(error))) throw error;
            return;
          }
        }
      });
      await pause(300 + random() * 1200);
      // However slow the machine is, a kill finds something to lose.
      while (published.size < sent + leastEach || produced.size < stored + leastEach) {
        await pause(10);
      }
      await server.kill();
      running = false;
      await Promise.all(clients);
    }

    const server = await ServerProcess.start(folder, port);
    const missing = () => [...published.keys()].filter((id) => !endpoint.bodies.has(id));
    const deadline = Date.now() + 30_000;
    while (missing().length > 0 && Date.now() < deadline) {
      await pause(50);
    }
    expect(missing()).toEqual([]);
    expect([...published].filter(([id, body]) => endpoint.bodies.get(id) !== body)).toEqual([]);
    const read = await everyRecord(server.url);
    expect([...produced].filter(([place, value]) => read.get(place) !== value)).toEqual([]);
    expect(await server.kill('SIGTERM')).toBe(0);
    endpoint.close();
    await rm(folder, { recursive: true });
  }, 600_000);
});

async function everyRecord(url: string): Promise<Map<string, string>> {
  const call = async (path: string, body: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: basic },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return (await response.json()) as { partition: number; offset: number; value: string }[];
  };
  const partitions = [0, 1, 2].map((partition) => ({ topic, partition }));
  const ends = await call('/offsets/latest', partitions);
  const read = new Map<string, string>();
  for (const { partition, offset: end } of ends) {
    for (let offset = 0; offset < end; ) {
      const records = await call('/fetch', { topic, partition, offset, timeout: 0 });
      if (records.length === 0) throw new Error(`nothing at ${partition}/${offset} of ${end}`);
      for (const record of records) read.set(`${record.partition}/${record.offset}`, record.value);
      offset = (records.at(-1)?.offset ?? offset) + 1;
    }
  }
  return read;
}
