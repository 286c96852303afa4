import { Engine } from '../../../src/engine/engine.js';
import { cursorAt } from '../../../src/http/cursor.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { GatedDisk } from '../../support/program/gated-disk.js';
import { startServer, type TestServer } from '../../support/server.js';

interface Schedule {
  readonly scheduleId: string;
  readonly body?: string;
  readonly isPaused: boolean;
}

interface Page {
  readonly schedules: readonly Schedule[];
  readonly cursor?: string;
}

const schedules = 300;
const ids = Array.from({ length: schedules }, (_, index) => `s${index}`);
let gated: GatedDisk;
let server: TestServer;
/** Calls of `durable` since the server started. */
let waits = 0;

const create = (id: string, body = `body of ${id}`) =>
  callApi(
    server,
    'POST',
    '/v2/schedules/https://example.com/x',
    { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': id },
    body,
  );
const list = (query = '') => callApi(server, 'GET', `/v2/schedules${query}`);
const idsOf = (listed: unknown) => (listed as Schedule[]).map(({ scheduleId }) => scheduleId);

beforeAll(async () => {
  gated = new GatedDisk(nodeDisk);
  server = await startServer({ ports: { disk: gated.disk } });
  for (const id of ids) await create(id);
  const engine = server.application.nest.get(Engine);
  const durable = engine.durable.bind(engine);
  engine.durable = () => {
    waits += 1;
    return durable();
  };
});
afterAll(() => server.remove());

describe('all schedules', () => {
  it('are an array, oldest first, each with its definition', async () => {
    const { body } = await list();
    expect(idsOf(body)).toEqual(ids);
    for (const { scheduleId, body: text } of body as Schedule[]) {
      expect(text).toBe(`body of ${scheduleId}`);
    }
  });

  it('are awaited once and read together', async () => {
    const before = { waits, reads: gated.reads };
    expect(idsOf((await list()).body)).toHaveLength(schedules);
    expect(waits - before.waits).toBe(1);
    expect(gated.reads - before.reads).toBeLessThan(schedules / 5);
  });

  it('are shown once everything that they show is on disk', async () => {
    gated.hold();
    const paused = callApi(server, 'PATCH', '/v2/schedules/s0/pause');
    const before = waits;
    let isAnswered = false;
    const listed = list().finally(() => {
      isAnswered = true;
    });
    while (waits === before) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const wasAnswered = isAnswered;
    gated.release();
    expect(wasAnswered).toBe(false);
    expect((await paused).status).toBe(200);
    expect(((await listed).body as Schedule[])[0]).toMatchObject({ isPaused: true });
    await callApi(server, 'PATCH', '/v2/schedules/s0/resume');
  });
});

describe('pages of schedules', () => {
  async function pages(count: number, between: (page: number) => Promise<unknown>) {
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; ; page += 1) {
      const body = (await list(`?count=${count}${cursor}`)).body as Page;
      seen.push(...idsOf(body.schedules));
      if (body.cursor === undefined) return seen;
      expect(body.schedules).toHaveLength(count);
      cursor = `&cursor=${body.cursor}`;
      await between(page);
    }
  }

  it('together contain every schedule', async () => {
    expect(await pages(7, async () => undefined)).toEqual(ids);
    expect(await pages(100, async () => undefined)).toEqual(ids);
  });

  it('miss and repeat nothing while others are added, removed and changed', async () => {
    const seen = await pages(50, async (page) => {
      await create(`new${page}`);
      await create(ids[page] ?? '', 'overwritten');
      await create(ids[schedules - 1 - page] ?? '', 'overwritten');
      await callApi(server, 'DELETE', `/v2/schedules/new${page - 1}`);
    });
    expect(seen.filter((id) => id.startsWith('s'))).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('have 100 schedules if only a cursor is given', async () => {
    const { schedules: listed } = (await list(`?cursor=${cursorAt(0)}`)).body as Page;
    expect(listed).toHaveLength(100);
  });

  it.each(['cursor=x', 'count=0', 'count=x', 'page=2'])('are refused for ?%s', async (query) => {
    const { status, body } = await list(`?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.any(String) });
  });
});
