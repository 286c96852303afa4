import { Engine } from '../../../src/engine/engine.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { GatedDisk } from '../../support/program/gated-disk.js';
import { startServer, type TestServer } from '../../support/server.js';

interface Row {
  readonly state: string;
  readonly messageId: string;
  readonly body: string;
  readonly time: number;
}

const messages = 200;
let gated: GatedDisk;
let server: TestServer;
let endpoint: RecordingEndpoint;
/** The body of each published message, by its id. */
const bodies = new Map<string, string>();

beforeAll(async () => {
  gated = new GatedDisk(nodeDisk);
  server = await startServer({ ports: { disk: gated.disk } });
  endpoint = await RecordingEndpoint.start();
  const items = Array.from({ length: messages }, (_, index) => ({
    destination: endpoint.url,
    headers: { 'svc-label': 'blue' },
    body: `body ${index}`,
  }));
  const { body } = await callApi(server, 'POST', '/v2/batch', {}, JSON.stringify(items));
  for (const [index, { messageId }] of (body as { messageId: string }[]).entries()) {
    bodies.set(messageId, `body ${index}`);
  }
  while ((await rows('state=DELIVERED')).length < messages) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

async function rows(query: string): Promise<readonly Row[]> {
  const { body } = await callApi(server, 'GET', `/v2/logs?count=1000&label=blue&${query}`);
  return (body as { logs: Row[] }).logs;
}

/** The reads of the disk for a page. */
async function readsFor(query: string) {
  const before = gated.reads;
  const page = await rows(query);
  return { page, reads: gated.reads - before };
}

it('a page reads adjacent events together, and each message once', async () => {
  const { page, reads } = await readsFor('order=earliestFirst');
  expect(page).toHaveLength(messages * 3);
  expect(reads).toBeLessThan(messages / 2);
});

it.each(['latestFirst', 'earliestFirst'])(
  'a page reads together what its rows need: %s',
  async (order) => {
    const { page, reads } = await readsFor(`state=DELIVERED&order=${order}`);
    expect(page).toHaveLength(messages);
    // A separate lookup of each message would be one read for each, besides the reads of their
    // ends.
    expect(reads).toBeLessThan(messages);
  },
);

it.each(['latestFirst', 'earliestFirst'])(
  'rows come in order, each with its own body: %s',
  async (order) => {
    const page = await rows(`order=${order}`);
    for (const { messageId, body } of page) {
      expect(Buffer.from(body, 'base64').toString()).toBe(bodies.get(messageId));
    }
    // Short pages together give the same as one page.
    const pieces: Row[] = [];
    for (let cursor = ''; ; ) {
      const path = `/v2/logs?count=37&label=blue&order=${order}${cursor}`;
      const { logs, cursor: next } = (await callApi(server, 'GET', path)).body as {
        readonly logs: Row[];
        readonly cursor?: string;
      };
      pieces.push(...logs);
      if (next === undefined) break;
      cursor = `&cursor=${next}`;
    }
    expect(pieces).toEqual(page);
  },
);

it('a page waits for the disk once', async () => {
  const engine = server.application.nest.get(Engine);
  const durable = engine.durable.bind(engine);
  let waits = 0;
  engine.durable = () => {
    waits += 1;
    return durable();
  };
  expect(await rows('')).toHaveLength(messages * 3);
  expect(waits).toBeLessThanOrEqual(1);
});
