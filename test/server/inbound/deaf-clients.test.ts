/**
 * Clients that read no answer, or never finish a request, against the real program: memory stays
 * bounded, and other clients are served meanwhile. The bounds are generous: without a budget, each
 * of these clients grew the process by more than a gigabyte.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { rounds } from '../../storage/rounds.js';
import { deafClients, residentMiB } from '../../support/clients/deaf-clients.js';
import {
  authorization,
  basic,
  freePort,
  ServerProcess,
} from '../../support/program/server-process.js';

const growthMiBMax = 500;
const budgetBytes = 256 * 1024 * 1024;
const readToken = 'test-read-token-of-the-deaf';

/** `some` by default, and `all` if `npm test` is to run everything. */
const sampled = (some: number, all: number): number => (rounds < 1 ? some : all);

let server: ServerProcess;
let folder: string;
let port: number;
let before: number;
let clients: readonly Socket[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-deaf-'));
  port = await freePort();
  server = await ServerProcess.start(folder, port, { STEPWELL_READ_TOKEN: readToken });
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

async function post(path: string, body: string, who: string): Promise<number> {
  const headers = { authorization: who, 'svc-delay': '1h' };
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Expects that `others` can publish and produce, and that the server is ready. */
async function serves(others: { publish: string; produce: string }): Promise<void> {
  expect(await post('/v2/publish/http://example.com/x', 'hello', others.publish)).toBe(200);
  const large = JSON.stringify({ value: 'x'.repeat(100_000) });
  expect(await post('/produce/other', large, others.produce)).toBe(200);
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
}

/** Sends requests and reads no answers, and watches memory until it stops growing. */
async function connectMany(
  count: number,
  text: (index: number) => string | Buffer,
  growthMax = growthMiBMax,
): Promise<void> {
  before = await residentMiB(server.child.pid);
  clients = await deafClients(port, count, text);
  let highest = 0;
  for (let calm = 0; calm < 10; ) {
    await pause(200);
    const resident = await residentMiB(server.child.pid);
    calm = resident > highest + 5 ? 0 : calm + 1;
    highest = Math.max(highest, resident);
    expect(highest - before).toBeLessThan(growthMax);
    expect(await metric('stepwell_in_flight_bytes')).toBeLessThanOrEqual(budgetBytes);
  }
}

const head = (line: string, who: string, more = '') =>
  `${line} HTTP/1.1\r\nhost: here\r\nauthorization: ${who}\r\n${more}`;

test('many fetches of 25 MB and more that are not read leave the server its memory', async () => {
  for (let count = 0; count < sampled(25, 50); count += 1) {
    const value = 'x'.repeat(1024 * 1024);
    expect(await post('/produce/long', JSON.stringify({ value, partition: 0 }), basic)).toBe(200);
  }
  const sent = JSON.stringify({ topic: 'long', partition: 0, offset: 0 });
  const request = head('POST /fetch', basic, `content-length: ${sent.length}\r\n\r\n${sent}`);
  await connectMany(sampled(50, 100), () => request);
  expect(await metric('stepwell_in_flight_bytes')).toBeGreaterThan(0);
  await serves({ publish: authorization, produce: basic });
}, 120_000);

test('many pages of the logs that are not read leave the server its memory', async () => {
  for (let count = 0; count < 60; count += 1) {
    const body = 'x'.repeat(200_000);
    expect(await post('/v2/publish/http://example.com/x', body, authorization)).toBe(200);
  }
  const request = head('GET /v2/logs?count=1000', `Bearer ${readToken}`, '\r\n');
  await connectMany(sampled(60, 100), () => request);
  expect(await metric('stepwell_in_flight_bytes')).toBeGreaterThan(0);
  await serves({ publish: authorization, produce: basic });
}, 120_000);

test('many readers of a message of 10 MiB leave the server its memory', async () => {
  const url = `${server.url}/v2/publish/http://example.com/x`;
  const headers = { authorization, 'svc-delay': '1h' };
  const body = 'é"'.repeat((10 * 1024 * 1024) / 3);
  const published = await fetch(url, { method: 'POST', headers, body });
  const { messageId } = (await published.json()) as { messageId: string };
  const path = `/v2/messages/${messageId}`;
  const reader = `Bearer ${readToken}`;
  // Their bodies alone would be 350 MiB.
  const readers = sampled(35, 50);
  await connectMany(readers, () => head(`GET ${path}`, reader, '\r\n'), 300);
  expect(await metric('stepwell_in_flight_bytes')).toBeGreaterThan(0);
  // Each reader takes one piece and not the whole body, so there is space for one more.
  const shown = await fetch(`${server.url}${path}`, { headers: { authorization: reader } });
  expect(shown.status).toBe(200);
  expect(((await shown.json()) as { body: string }).body === body).toBe(true);
  await serves({ publish: authorization, produce: basic });
}, 120_000);

/** Creates a credential that may read topics, beside the server's own. */
async function readerOfTopics(): Promise<string> {
  const body = JSON.stringify({ name: 'reader', topic: '*', permissions: 'CONSUME' });
  const sent = { method: 'POST', headers: { authorization: basic }, body };
  const created = await fetch(`${server.url}/admin/credentials`, sent);
  const { username, password } = (await created.json()) as { username: string; password: string };
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

// Each record is larger than the buffers of the system, and its text is held until it is read: 1 GB
// for 200 readers, if none of them had to wait for space.
test('two hundred streams that are not read leave the server its memory', async () => {
  const reader = await readerOfTopics();
  for (let count = 0; count < 3; count += 1) {
    const value = 'x'.repeat(5_000_000);
    expect(await post('/produce/stream', JSON.stringify({ value, partition: 0 }), basic)).toBe(200);
  }
  const accept = 'accept: text/event-stream\r\nstream-auto-offset-reset: earliest\r\n\r\n';
  await connectMany(200, (index) => head(`GET /consume/g${index}/i/stream`, reader, accept));
  expect(await metric('stepwell_in_flight_bytes')).toBeGreaterThan(0);
  await serves({ publish: authorization, produce: basic });
}, 120_000);

test('150 publishes of 10 MB that stop half way leave the server its memory', async () => {
  const line = 'POST /v2/publish/http://example.com/x';
  const start = head(line, authorization, 'svc-delay: 1h\r\ncontent-length: 10000000\r\n\r\n');
  const half = Buffer.concat([Buffer.from(start), Buffer.alloc(5_000_000, 'x')]);
  await connectMany(150, () => half);
  const share = await metric('stepwell_in_flight_bytes');
  expect(share).toBeGreaterThan(100_000_000);
  expect(share).toBeLessThanOrEqual(budgetBytes / 2);
  await serves({ publish: authorization, produce: basic });
  // Requests that found no space are refused.
  const answers = clients.map(
    (client) =>
      new Promise<string>((resolve) => {
        client.on('data', (chunk: Buffer) => resolve(chunk.toString()));
        client.on('close', () => resolve(''));
        client.resume();
      }),
  );
  const refusal = await Promise.any(
    answers.map(async (answer) => {
      const text = await answer;
      if (!text.startsWith('HTTP/1.1 503')) throw new Error(text);
      return text.toLowerCase();
    }),
  );
  expect(refusal).toContain('\r\nretry-after: 1\r\n');
  expect(await metric('stepwell_in_flight_refusals_total')).toBeGreaterThan(0);
}, 120_000);
