import { Engine } from '../../../src/engine/engine.js';
import { Journal } from '../../../src/engine/journal.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { GatedDisk } from '../../support/program/gated-disk.js';
import { startServer, type TestServer } from '../../support/server.js';

const batches = 10;
const perBatch = 100;

let gated: GatedDisk;
let server: TestServer;
let label = '';
let labels = 0;

beforeAll(async () => {
  gated = new GatedDisk(nodeDisk);
  server = await startServer({ ports: { disk: gated.disk } });
});
afterAll(() => server.remove());

/** A thousand messages with one label, and as many with another one in between. */
beforeEach(async () => {
  labels += 1;
  label = `label${labels}`;
  for (let batch = 0; batch < batches; batch += 1) {
    const items = Array.from({ length: perBatch * 2 }, (_, index) => ({
      destination: 'https://example.com/x',
      headers: { 'svc-delay': '1h', 'svc-label': index % 2 === 0 ? label : 'other' },
      body: 'x',
    }));
    const { status } = await callApi(server, 'POST', '/v2/batch', {}, JSON.stringify(items));
    expect(status).toBe(200);
  }
});

const cancel = (query: string) => callApi(server, 'DELETE', `/v2/messages?${query}`);

it('a bulk cancel reads neighbours together: far fewer reads than messages', async () => {
  const before = gated.reads;
  expect((await cancel(`label=${label}`)).body).toEqual({ cancelled: batches * perBatch });
  expect(gated.reads - before).toBeLessThan((batches * perBatch) / 10);
});

// On any machine, however slow: a first turn of 256, then seven more of at least eight each, may be
// decided before the bulk action waits for the disk.
it('a bulk cancel of many turns waits for the disk once, and then answers', async () => {
  const count = 300;
  const journal = server.application.nest.get(Journal);
  await server.application.nest.get(Engine).durable();
  const end = journal.endOffset;
  gated.hold();
  const answer = cancel(`label=${label}&count=${count}`);
  while (journal.endOffset < end + count) await new Promise((resolve) => setTimeout(resolve, 10));
  const { highWatermark } = journal;
  const first = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 50))]);
  gated.release();
  expect(highWatermark).toBe(end);
  expect(first).toBeUndefined();
  expect((await answer).body).toEqual({ cancelled: count });
  expect(journal.endOffset).toBe(end + count);
});

it('a bulk cancel cancels no more messages than its count', async () => {
  expect((await cancel(`label=${label}&count=300`)).body).toEqual({ cancelled: 300 });
  expect((await cancel(`label=${label}`)).body).toEqual({ cancelled: batches * perBatch - 300 });
});
