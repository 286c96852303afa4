import type { EventEnvelope } from '../../../src/engine/decider.js';
import { Journal } from '../../../src/engine/journal.js';
import { principalObject } from '../../../src/engine/principal/shown-principal.js';
import { recordedPerMinute } from '../../../src/server/refusals/refusal-recorder.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { ManualClock } from '../../support/manual-clock.js';
import { Gate } from '../../support/program/gate.js';
import { freePort } from '../../support/program/server-process.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock(Date.now());
  server = await startServer({
    ports: { clock },
    environment: { STEPWELL_TRUSTED_PROXIES: '127.0.0.1' },
  });
});

afterEach(() => server.remove());

const refused = async (authorization: string, path: string, from = '203.0.113.7') => {
  const headers = { authorization, 'x-forwarded-for': from, 'x-request-id': 'r-1' };
  const { status } = await callApi(server, 'GET', path, headers);
  expect([401, 403]).toContain(status);
};

/** The events of refused requests in the journal, once there are this many. */
async function recorded(count: number): Promise<EventEnvelope[]> {
  for (;;) {
    const journal = server.application.nest.get(Journal);
    const found: EventEnvelope[] = [];
    const range = { from: 0, until: journal.highWatermark, order: 'oldest' as const };
    for await (const envelope of journal.query({ terms: [], ...range })) {
      if (envelope.kind === 'refused-requests') found.push(envelope);
    }
    if (found.length >= count) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function metric(reason: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const line = text
    .split('\n')
    .find((each) => each.startsWith(`stepwell_refused_requests_total{reason="${reason}"}`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('a refused request', () => {
  it('is recorded in the journal with its address, its route, and its credential', async () => {
    await refused('', '/v2/queues/a?token=secret-text');
    await refused('Bearer wrong', '/admin/topics');
    await refused(`Bearer ${server.readToken}`, '/v2/keys');
    await refused('Bearer wrong', '/nowhere');
    const events = await recorded(4);
    expect(events.map(({ event }) => event)).toEqual([
      { type: 'RequestRefused', reason: 'missing', method: 'GET', route: '/v2/queues/:name' },
      { type: 'RequestRefused', reason: 'unknown', method: 'GET', route: '/admin/topics' },
      { type: 'RequestRefused', reason: 'forbidden', method: 'GET', route: '/v2/keys' },
      { type: 'RequestRefused', reason: 'unknown', method: 'GET', route: 'unknown' },
    ]);
    const by = { name: null, address: '203.0.113.7', requestId: 'r-1' };
    expect(events.map((each) => principalObject(each.by))).toEqual([
      by,
      by,
      { ...by, name: 'env-read:1' },
      by,
    ]);
    expect(await Promise.all(['missing', 'unknown', 'forbidden'].map(metric))).toEqual([1, 2, 1]);
  });

  it('is recorded only a few times a minute; further ones are counted', async () => {
    const { all, address } = recordedPerMinute;
    const addresses = Array.from({ length: all / address + 2 }, (_, index) => `10.0.0.${index}`);
    for (const from of addresses) {
      for (let count = 0; count < address + 2; count += 1) {
        await refused('Bearer wrong', '/v2/queues', from);
      }
    }
    clock.advance(60_000);
    const sent = addresses.length * (address + 2);
    const events = await recorded(all + 1);
    expect(events).toHaveLength(all + 1);
    expect(events.at(-1)?.event).toMatchObject({ type: 'RefusalsCounted', count: sent - all });
    for (const from of addresses.slice(0, all / address)) {
      expect(events.filter(({ id }) => id === from)).toHaveLength(address);
    }
    expect(await metric('unknown')).toBe(sent);
    await refused('Bearer wrong', '/v2/queues', '10.0.0.1');
    expect(await recorded(all + 2)).toHaveLength(all + 2);
  });

  it('is also counted when the server ends', async () => {
    for (let count = 0; count < recordedPerMinute.address + 3; count += 1) {
      await refused('Bearer wrong', '/v2/queues');
    }
    await server.stop();
    const { dataDirectory } = server;
    server = await startServer({ dataDirectory });
    const events = await recorded(recordedPerMinute.address + 1);
    expect(events.at(-1)?.event).toMatchObject({ type: 'RefusalsCounted', count: 3 });
  });

  it('is only counted while the journal is replayed', async () => {
    const target = '/v2/publish/https://example.com/x';
    const published = await callApi(server, 'POST', target, { 'svc-delay': '1h' }, 'sesame');
    const { messageId } = published.body as { messageId: string };
    await server.stop();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const isOpen = () =>
      fetch(`${url}/health/live`).then(
        () => true,
        () => false,
      );
    const replay = new Gate();
    replay.hold();
    // Reads of replayed data wait; the refused requests before the port is open do not.
    const read: typeof nodeDisk.read = async (...range) => {
      if (await isOpen()) await replay.opened;
      return nodeDisk.read(...range);
    };
    const starting = startServer({
      dataDirectory: server.dataDirectory,
      ports: { disk: { ...nodeDisk, read } },
      environment: { STEPWELL_PORT: String(port) },
    });
    while (!(await isOpen())) await new Promise((resolve) => setTimeout(resolve, 5));
    const wrong = { headers: { authorization: 'Basic d3Jvbmc6d3Jvbmc=' } };
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${url}/admin/cluster`, wrong)).status).toBe(401);
    replay.release();
    server = await starting;
    expect(await metric('unknown')).toBe(1);
    const shown = await callApi(server, 'GET', `/v2/messages/${messageId}`);
    expect(shown).toMatchObject({ status: 200, body: { body: 'sesame' } });
    await refused('Bearer wrong', '/v2/queues');
    expect(await recorded(1)).toHaveLength(1);
  });
});
