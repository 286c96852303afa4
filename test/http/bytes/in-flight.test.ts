import { cp, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { deafClients } from '../../support/clients/deaf-clients.js';
import { callLog } from '../../support/clients/log-client.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startServer, type TestServer } from '../../support/server.js';

const mebibyte = 1024 * 1024;
const valueLength = 8 * mebibyte;

/** A folder with a topic of three long records: created once, then copied. */
let filled = '';
let server: TestServer;
let clock: ManualClock;
let clients: Socket[] = [];

function startOn(dataDirectory: string): Promise<TestServer> {
  clock = new ManualClock();
  // One owner may hold 16 MiB, which is as much as one read claims.
  const environment = { STEPWELL_IN_FLIGHT: '32mb' };
  return startServer({ dataDirectory, environment, ports: { clock } });
}

beforeAll(async () => {
  filled = await mkdtemp(join(tmpdir(), 'stepwell-filled-'));
  const filling = await startOn(filled);
  for (const letter of 'abc') {
    const value = letter.repeat(valueLength);
    const { status } = await callLog(filling, '/produce/long', { value, partition: 0 });
    expect(status).toBe(200);
  }
  await filling.stop();
});

afterAll(() => rm(filled, { recursive: true }));

beforeEach(async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'stepwell-'));
  await cp(filled, dataDirectory, { recursive: true });
  server = await startOn(dataDirectory);
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  clients = [];
  await server.remove();
});

async function metric(name: string): Promise<number> {
  // One that stays open would be counted among the connections of the clients.
  const answer = await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await answer.text())?.[1]);
}

/** Resolves when the server has this many connections besides the one that asks for it. */
async function connections(count: number): Promise<void> {
  while ((await metric('stepwell_connections')) !== count + 1) await pause(20);
}

/** How many answers to fetches have ended. */
async function fetches(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^stepwell_http_requests_total\{.*"\/fetch".*\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Resolves when the bytes in flight are as expected. */
async function inFlight(isSo: (bytes: number) => boolean): Promise<number> {
  for (;;) {
    const bytes = await metric('stepwell_in_flight_bytes');
    if (isSo(bytes)) return bytes;
    await pause(20);
  }
}

async function deaf(text: string | Buffer): Promise<Socket> {
  const [client] = await deafClients(server.port, 1, () => text);
  if (client === undefined) throw new Error('no client');
  clients.push(client);
  return client;
}

/** Everything that a client receives from now on, once the connection has closed. */
function answerOf(client: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    client.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    client.on('close', () => resolve(text));
    client.resume();
  });
}

const fetchAll = JSON.stringify({ topic: 'long', partition: 0, offset: 0 });

function request(line: string, who: string, headers: string, body = ''): string {
  return `${line} HTTP/1.1\r\nhost: here\r\nauthorization: ${who}\r\n${headers}\r\n\r\n${body}`;
}

const fetching = () =>
  request('POST /fetch', server.basic, `content-length: ${fetchAll.length}`, fetchAll);

/** A produce request that has sent `sent` bytes of the body that it announces. */
const halfSent = (announced: number, sent: number) =>
  request('POST /produce/x', server.basic, `content-length: ${announced}`, 'x'.repeat(sent));

describe('an answer that its client does not take', () => {
  it('holds the bytes in flight, and ends with its connection after 30 seconds', async () => {
    const client = await deaf(fetching());
    const closed = new Promise((resolve) => client.on('close', resolve));
    const held = await inFlight((bytes) => bytes > mebibyte && bytes < 16 * mebibyte);
    expect(held).toBeGreaterThan(valueLength);
    clock.advance(29_999);
    await pause(50);
    expect(await metric('stepwell_stalled_clients_total')).toBe(0);
    clock.advance(1);
    await inFlight((bytes) => bytes === 0);
    expect(await metric('stepwell_stalled_clients_total')).toBe(1);
    client.resume();
    await closed;
  });

  it('ends after 30 seconds, too, if each answer is a single write', async () => {
    const value = 'x'.repeat(100_000);
    expect((await callLog(server, '/produce/short', { value, partition: 0 })).status).toBe(200);
    const body = JSON.stringify({ topic: 'short', partition: 0, offset: 0 });
    const one = request('POST /fetch', server.basic, `content-length: ${body.length}`, body);
    // More than the operating system buffers of an answer that a client does not take.
    await deaf(one.repeat(300));
    // No answer has ended for a second: the operating system takes no more.
    for (let [ended, same] = [0, 0]; same < 50; await pause(20)) {
      const before = ended;
      ended = await fetches();
      same = ended > 0 && ended === before ? same + 1 : 0;
    }
    expect(await metric('stepwell_in_flight_bytes')).toBeGreaterThan(0);
    clock.advance(29_999);
    await pause(50);
    expect(await metric('stepwell_stalled_clients_total')).toBe(0);
    clock.advance(1);
    await inFlight((bytes) => bytes === 0);
    expect(await metric('stepwell_stalled_clients_total')).toBeGreaterThan(0);
  });

  it('holds nothing once its client is gone', async () => {
    const client = await deaf(fetching());
    await inFlight((bytes) => bytes > mebibyte && bytes < 16 * mebibyte);
    client.destroy();
    await inFlight((bytes) => bytes === 0);
  });

  it('is cut off, not ended, if the server cannot continue', async () => {
    const client = await deaf(fetching());
    await inFlight((bytes) => bytes > mebibyte && bytes < 16 * mebibyte);
    const other = await deaf(halfSent(16 * mebibyte - valueLength - 1000, 1000));
    await inFlight((bytes) => bytes > 15 * mebibyte);
    const answer = answerOf(client);
    await inFlight((bytes) => bytes < valueLength);
    clock.advance(10_000);
    const text = await answer;
    expect(text).toContain('transfer-encoding: chunked');
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);
    expect(await metric('stepwell_in_flight_refusals_total')).toBe(1);
    other.destroy();
  });
});

/**
 * The answer once ten seconds have passed. They pass again if none comes, because the request
 * itself may have arrived after the first ten: 8 MiB take a while on a busy machine.
 */
async function afterTenSeconds(answer: Promise<string>): Promise<string> {
  clock.advance(10_000);
  const first = await Promise.race([answer, pause(5000).then(() => null)]);
  if (first !== null) return first;
  clock.advance(10_000);
  return answer;
}

describe('a request that finds no room', () => {
  it('waits until there is some', async () => {
    const other = await deaf(halfSent(10 * mebibyte, 1000));
    await inFlight((bytes) => bytes === 10 * mebibyte);
    const waiting = callLog(server, '/fetch', { topic: 'long', partition: 0, offset: 2 });
    await pause(50);
    other.destroy();
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body).toMatchObject([{ offset: 2, value: 'c'.repeat(valueLength) }]);
    await inFlight((bytes) => bytes === 0);
  });

  it('waits, too, if its body would be read from its socket', async () => {
    const other = await deaf(halfSent(16 * mebibyte - 50_000, 1000));
    await inFlight((bytes) => bytes > 15 * mebibyte);
    const waiting = callLog(server, '/produce/x', { value: 'x'.repeat(100_000) });
    await pause(50);
    expect(await metric('stepwell_in_flight_bytes')).toBe(16 * mebibyte - 50_000);
    other.destroy();
    expect((await waiting).status).toBe(200);
    await inFlight((bytes) => bytes === 0);
  });

  it.each([
    ['a fetch', () => fetching()],
    ['a body of known length', () => halfSent(8 * mebibyte, 10)],
    [
      'a body in chunks',
      () => {
        const chunk = `100000\r\n${'x'.repeat(mebibyte)}\r\n`;
        return request(
          'POST /produce/x',
          server.basic,
          'transfer-encoding: chunked',
          chunk.repeat(8),
        );
      },
    ],
  ])('is refused after ten seconds: %s', async (_what, text) => {
    await deaf(halfSent(10 * mebibyte, 1000));
    await inFlight((bytes) => bytes === 10 * mebibyte);
    const answer = answerOf(await deaf(text()));
    await pause(200);
    expect(await metric('stepwell_in_flight_refusals_total')).toBe(0);
    const refusal = (await afterTenSeconds(answer)).toLowerCase();
    expect(refusal).toMatch(/^http\/1\.1 503 /);
    expect(refusal).toContain('\r\nretry-after: 1\r\n');
    expect(refusal).toContain('too many bytes are in flight');
    expect(await metric('stepwell_in_flight_refusals_total')).toBe(1);
    expect(await metric('stepwell_in_flight_bytes')).toBe(10 * mebibyte);
  });

  it('takes no bytes once its client is gone', async () => {
    const other = await deaf(halfSent(10 * mebibyte, 1000));
    await inFlight((bytes) => bytes === 10 * mebibyte);
    const waiting = await deaf(halfSent(8 * mebibyte, 10));
    await connections(2);
    await pause(50);
    waiting.destroy();
    await connections(1);
    clock.advance(10_000);
    expect(await metric('stepwell_in_flight_refusals_total')).toBe(0);
    other.destroy();
    await inFlight((bytes) => bytes === 0);
  });

  it('keeps no other credential waiting, and no small request', async () => {
    await deaf(halfSent(15 * mebibyte, 1000));
    await inFlight((bytes) => bytes === 15 * mebibyte);
    const { status } = await fetch(`${server.url}/v2/publish/http://example.com/x`, {
      method: 'POST',
      headers: { authorization: server.bearer, 'svc-delay': '1h' },
      body: 'x'.repeat(5 * mebibyte),
    });
    expect(status).toBe(200);
    expect((await callLog(server, '/produce/x', { value: 'small' })).status).toBe(200);
    expect((await callLog(server, '/topics')).status).toBe(200);
  });
});

describe('a body in chunks', () => {
  it('counts as it grows, and no longer once it is answered', async () => {
    const head = request('POST /produce/x', server.basic, 'transfer-encoding: chunked');
    const chunk = `100000\r\n${' '.repeat(mebibyte)}\r\n`;
    const client = await deaf(head + chunk.repeat(4));
    await inFlight((bytes) => bytes >= 4 * mebibyte && bytes <= 12 * mebibyte);
    client.write('e\r\n{"value":"it"}\r\n0\r\n\r\n');
    await inFlight((bytes) => bytes === 0);
    expect((await callLog(server, '/fetch', { topic: 'x', partition: 0, offset: 0 })).status).toBe(
      200,
    );
    client.destroy();
  });
});

describe('a long answer', () => {
  it('of a consume is whole, and is repeated if it was not taken to its end', async () => {
    const path = '/consume/g/1/long?timeout=0';
    const earliest = 'stream-auto-offset-reset: earliest';
    const client = await deaf(request(`GET ${path}`, server.basic, earliest));
    await inFlight((bytes) => bytes > mebibyte && bytes < 16 * mebibyte);
    client.destroy();
    await inFlight((bytes) => bytes === 0);
    const { body, headers } = await callLog(server, path);
    expect(headers.get('transfer-encoding')).toBe('chunked');
    expect((body as { offset: number }[]).map(({ offset }) => offset)).toEqual([0, 1, 2]);
    expect((await callLog(server, path)).body).toEqual([]);
  });

  it('of the logs is whole, and says where the next page begins', async () => {
    for (let count = 0; count < 20; count += 1) {
      const { status } = await fetch(`${server.url}/v2/publish/http://example.com/${count}`, {
        method: 'POST',
        headers: { authorization: server.bearer, 'svc-delay': '1h' },
        body: 'x'.repeat(500_000),
      });
      expect(status).toBe(200);
    }
    type Page = { logs: { messageId: string }[]; cursor?: string };
    const page = async (query: string): Promise<Page> => {
      const url = `${server.url}/v2/logs?${query}`;
      const answer = await fetch(url, { headers: { authorization: server.bearer } });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Page;
    };
    const first = await page('count=1000');
    expect(first.logs.length).toBeGreaterThan(11);
    const next = await page(`count=1000&cursor=${first.cursor}`);
    const ids = [...first.logs, ...next.logs].map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(20);
    expect(next.cursor).toBeUndefined();
    expect((await page('count=5')).logs).toHaveLength(5);
    await inFlight((bytes) => bytes === 0);
  });
});
