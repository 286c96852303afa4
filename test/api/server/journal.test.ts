import fc from 'fast-check';
import { request } from 'undici';
import { Journal } from '../../../src/engine/journal.js';
import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-client.js';
import { startServer, type TestServer } from '../../support/server.js';

interface ShownEvent {
  readonly offset: number;
  readonly kind: string;
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

async function get(path: string, headers: Record<string, string> = {}) {
  const { statusCode, body } = await request(`${server.url}/admin/journal${path}`, {
    headers: { authorization: server.basic, ...headers },
  });
  return { status: statusCode, text: await body.text() };
}

const destination = '/v2/publish/http://127.0.0.1:9000/x';

async function publish(headers: Record<string, string> = {}, body = 'hello'): Promise<string> {
  const published = await callApi(
    server,
    'POST',
    destination,
    { 'svc-delay': '1h', ...headers },
    body,
  );
  expect(published.status).toBe(200);
  return (published.body as { messageId: string }).messageId;
}

/** One page: its events, and the position where the next page begins. */
async function page(query: string): Promise<{ events: ShownEvent[]; cursor: string | null }> {
  const { status, text } = await get(query);
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  const lines = text.split('\n').filter((line) => line !== '');
  const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const last = all.at(-1);
  const cursor = last !== undefined && 'cursor' in last ? String(last['cursor']) : null;
  return { events: (cursor === null ? all : all.slice(0, -1)) as ShownEvent[], cursor };
}

async function allPages(query: string): Promise<ShownEvent[]> {
  const found: ShownEvent[] = [];
  let { events, cursor } = await page(`?${query}`);
  found.push(...events);
  while (cursor !== null) {
    ({ events, cursor } = await page(`?${query}&cursor=${cursor}`));
    found.push(...events);
  }
  return found;
}

const offsetsOf = (events: readonly ShownEvent[]) => events.map(({ offset }) => offset);

describe('GET /admin/journal', () => {
  it('gives every event once, page by page, in either order', async () => {
    for (let count = 0; count < 7; count += 1) await publish();
    const whole = (await page('?count=1000')).events;
    expect(whole.length).toBeGreaterThan(6);
    expect(offsetsOf(whole)).toEqual([...offsetsOf(whole)].sort((one, other) => one - other));
    expect(await allPages('count=2')).toEqual(whole);
    expect(await allPages('count=3&order=newest')).toEqual([...whole].reverse());
  });

  it('filters events by stream, type, offset, time, and credential', async () => {
    const id = await publish({}, 'to be canceled');
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    const of = async (query: string) => (await page(query)).events.map(({ type }) => type);
    expect(await of(`?stream=message/${id}`)).toEqual(['MessagePublished', 'MessageCanceled']);
    expect(await of(`?stream=${id}&type=MessageCanceled,MessageFailed`)).toEqual([
      'MessageCanceled',
    ]);
    const [published] = (await page(`?stream=${id}`)).events;
    const at = published?.offset ?? 0;
    expect(await of(`?stream=${id}&until=${at}`)).toEqual([]);
    expect(await of(`?stream=${id}&from=${at + 1}`)).toEqual(['MessageCanceled']);
    expect(await of(`?stream=${id}&from=2001-01-01`)).toHaveLength(2);
    expect(await of(`?stream=${id}&until=2001-01-01T00:00:00Z`)).toEqual([]);
    expect(await of('?by=token:nothing-of-this-name')).toEqual([]);
    expect(published).toMatchObject({ kind: 'message', id, bodyLength: 14 });
    const bodies = await page(`?stream=${id}&bodies=true`);
    expect(bodies.events[0]?.['bodyBase64']).toBe(Buffer.from('to be canceled').toString('base64'));
  });

  it('shows no redacted content and no secret', async () => {
    const headers = { 'svc-redact-fields': 'body,header', 'svc-forward-password': 'hunter2' };
    const id = await publish(headers, 'sesame');
    await callApi(server, 'POST', '/v2/keys/rotate');
    const { text } = await get('?count=1000&bodies=true');
    expect(text).toContain(id);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(Buffer.from('sesame').toString('base64'));
    const keys = (await page('?type=SigningKeysRotated')).events;
    expect(keys).toMatchObject([{ current: '***', next: '***' }]);
  });

  it('is only for administrators', async () => {
    for (const authorization of ['', `Bearer ${server.readToken}`, 'Basic bm86Ym9keQ==']) {
      for (const path of ['', '/activity', '/entity?stream=a/b']) {
        expect((await get(path, { authorization })).status).toBe(401);
      }
    }
    const name = 'consumer';
    const permissions = { permissions: 'CONSUME', topic: '*' };
    const made = await callLog(server, '/admin/credentials', { name, ...permissions });
    const { password } = made.body as { password: string };
    const basic = Buffer.from(`${name}:${password}`).toString('base64');
    expect((await get('', { authorization: `Basic ${basic}` })).status).toBe(403);
  });

  it.each([
    ['?from=yesterday', 'from is not an offset'],
    ['?count=0', 'count must be at least 1'],
    ['?cursor=x', 'cursor is not a cursor'],
    ['?order=random', 'order must be oldest or newest'],
    ['?sream=x', 'there is no filter'],
    ['?type=Nope', 'type names an unknown event type: Nope'],
    ['/activity?step=10ms', 'step'],
    ['/activity?from=2020-01-01&step=1s', 'step makes more than 1000 counts'],
    ['/activity?from=2020-01-02&until=2020-01-01', 'from is not before until'],
    ['/entity?stream=message', 'stream must be <kind>/<id>'],
  ])('refuses %s', async (query, reason) => {
    const { status, text } = await get(query);
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });
});

describe('GET /admin/journal/activity', () => {
  it('counts the recorded events per time step', async () => {
    await publish();
    const { text } = await get('/activity?step=1h');
    const { stepMs, buckets } = JSON.parse(text) as {
      stepMs: number;
      buckets: { at: number; events: number }[];
    };
    expect(stepMs).toBe(3_600_000);
    expect(buckets).toHaveLength(24);
    const events = (await page('?count=1000')).events;
    const total = buckets.reduce((sum, bucket) => sum + bucket.events, 0);
    // Offsets also count the records that define the shapes of events.
    expect(total).toBeGreaterThanOrEqual(events.length);
    expect(total).toBeLessThanOrEqual((events.at(-1)?.offset ?? 0) + 1);
  });
});

describe('GET /admin/journal/entity', () => {
  it('gives an entity as it was at an offset', async () => {
    const id = await publish({ 'svc-label': 'as-of' });
    const [published] = (await page(`?stream=${id}`)).events;
    const at = published?.offset ?? 0;
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    const as = async (asOf: string) => {
      const { status, text } = await get(`/entity?stream=message/${id}${asOf}`);
      return { status, body: JSON.parse(text) as Record<string, unknown> };
    };
    expect(await as(`&asOf=${at}`)).toMatchObject({ status: 404 });
    const before = { status: 200, body: { kind: 'message', id, events: 1, hasEnded: false } };
    expect(await as(`&asOf=${at + 1}`)).toMatchObject(before);
    const after = { events: 2, hasEnded: true, lastType: 'MessageCanceled' };
    expect(await as('')).toMatchObject({ status: 200, body: after });
    expect((await get('/entity?stream=nothing/x')).status).toBe(404);
  });
});

/** Follows the journal from behind an event until `count` more came, then cuts the connection. */
async function follow(last: number | null, count: number): Promise<number[]> {
  const headers = { authorization: server.basic, accept: 'text/event-stream' };
  const cut = new AbortController();
  const response = await fetch(`${server.url}/admin/journal?from=0`, {
    headers: last === null ? headers : { ...headers, 'last-event-id': `${last}` },
    signal: cut.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const ids: number[] = [];
  let text = '';
  const reader = response.body?.getReader();
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += Buffer.from(value ?? []).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, id, json] = /^id: (\d+)\ndata: (.*)$/s.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (id === undefined || json === undefined) continue;
      expect((JSON.parse(json) as ShownEvent).offset).toBe(Number(id));
      ids.push(Number(id));
      if (ids.length === count) {
        cut.abort();
        return ids;
      }
    }
  }
  throw new Error('the stream has ended by itself');
}

describe('the journal as a stream', () => {
  it('gives each event once and in order, however often the connection is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 8 }),
        async (cuts) => {
          const wanted = cuts.reduce((sum, count) => sum + count, 0);
          const publishing = (async () => {
            for (let count = 0; count < wanted; count += 1) await publish();
          })();
          const seen: number[] = [];
          for (const count of cuts) seen.push(...(await follow(seen.at(-1) ?? null, count)));
          await publishing;
          const all = offsetsOf(await allPages('count=1000'));
          expect(seen).toEqual(all.slice(0, seen.length));
        },
      ),
      { numRuns: 8 },
    );
  });

  it('begins now unless a start is given, waits for events, and ends as asked', async () => {
    const headers = { authorization: server.basic, accept: 'text/event-stream' };
    const open = await fetch(`${server.url}/admin/journal`, { headers });
    const ids = [await publish(), await publish()];
    const reader = open.body?.getReader();
    let text = '';
    while (!text.includes(ids[1] ?? '-')) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    const shown = [...text.matchAll(/"id":"(msg_\w+)"/g)].map(([, id]) => id);
    expect(shown).toEqual(ids);
    await reader?.cancel();
    const part = await fetch(`${server.url}/admin/journal?from=0&until=3`, { headers });
    expect((await part.text()).match(/^id: /gm)?.length).toBeLessThanOrEqual(3);
  });

  it('is refused if it is to begin behind an event that has not happened', async () => {
    const headers = { authorization: server.basic, accept: 'text/event-stream' };
    const behind = (last: number | 'x') =>
      fetch(`${server.url}/admin/journal`, { headers: { ...headers, 'last-event-id': `${last}` } });
    const { highWatermark } = server.application.nest.get(Journal);
    expect((await behind('x')).status).toBe(400);
    const refused = await behind(highWatermark);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: 'Last-Event-ID lies after the end of the journal: it comes from another journal',
    });
    const known = await behind(highWatermark - 1);
    expect(known.status).toBe(200);
    await known.body?.cancel();
  });

  it('is refused beyond a maximum of clients, and ends with the server', async () => {
    const headers = { authorization: server.basic, accept: 'text/event-stream' };
    const opened: Response[] = [];
    for (;;) {
      const response = await fetch(`${server.url}/admin/journal`, { headers });
      if (response.status === 503) break;
      opened.push(response);
      expect(opened.length).toBeLessThanOrEqual(32);
    }
    expect(opened.length).toBeGreaterThan(25);
    await server.stop();
    for (const response of opened) await response.text().catch(() => undefined);
  });
});
