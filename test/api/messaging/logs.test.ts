import { Client } from '@upstash/qstash';
import { logRowSchema } from '../../../src/messaging/logs/message-logs.openapi.js';
import { redacted } from '../../../src/messaging/messages/redaction.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';

silenceConsole();

let server: TestServer;
let endpoint: RecordingEndpoint;
let client: Client;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
  client = new Client({ baseUrl: server.url, token: server.token, enableTelemetry: false });
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

interface Row {
  readonly state: string;
  readonly messageId: string;
  readonly time: number;
  readonly [field: string]: unknown;
}

interface Answer {
  readonly status: number;
  readonly body: {
    logs: Row[];
    events: Row[];
    cursor?: string;
    searchedTo?: number;
    error?: string;
  };
}

async function ask(path: string): Promise<Answer> {
  const headers = { authorization: server.bearer };
  const response = await fetch(`${server.url}/v2/${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const logs = async (query: string) => (await ask(`logs?${query}`)).body.logs;

/** The rows of a message, newest first, once one has this state. */
async function rowsUntil(state: string, messageId: string): Promise<Row[]> {
  for (;;) {
    const rows = await logs(`messageIds=${messageId}`);
    if (rows.some((row) => row.state === state)) return rows;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const publish = async (headers: Record<string, string> = {}, body = 'hello') => {
  const response = await fetch(`${server.url}/v2/publish/${endpoint.url}/hook`, {
    method: 'POST',
    headers: { authorization: server.bearer, 'content-type': 'text/plain', ...headers },
    body,
  });
  return ((await response.json()) as { messageId: string }).messageId;
};

it('rows show as much of their bodies as requested, and are found by the rest', async () => {
  endpoint.answer(() => ({ status: 500, body: 'na\u00efve' }));
  const id = await publish({ 'upstash-retries': '0' }, 'hello needle');
  await rowsUntil('FAILED', id);
  const bodies = async (trimBody: string) => {
    const rows = await logs(`messageId=${id}&contains=needle&trimBody=${trimBody}`);
    const failed = rows.find(({ state }) => state === 'ERROR') ?? {};
    const { body, responseBody } = failed as { body?: string; responseBody?: string };
    return [body === undefined ? body : Buffer.from(body, 'base64').toString(), responseBody];
  };
  expect(await bodies('100')).toEqual(['hello needle', 'na\u00efve']);
  expect(await bodies('4')).toEqual(['hell', 'na\u00ef']);
  expect(await bodies('3')).toEqual(['hel', 'na']);
  expect(await bodies('0')).toEqual(['', '']);
  expect(await bodies('-1')).toEqual([undefined, undefined]);
  const { status, body } = await ask('logs?trimBody=-2');
  expect([status, body.error]).toEqual([400, expect.stringContaining('trimBody')]);
});

it('the end of a call by the end of its run is found by what the call was made with', async () => {
  const call = async (method: string, path: string, headers = {}, body?: string) => {
    const sent = { authorization: server.bearer, ...headers };
    const options = { method, headers: sent, ...(body !== undefined && { body }) };
    const response = await fetch(`${server.url}/v2/${path}`, options);
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  };
  const [third, run] = [`${endpoint.url}/third-party`, `${endpoint.url}/run`];
  const later = { 'svc-delay': '1d', 'svc-workflow-runid': 'left' };
  await call('POST', `trigger/${run}`, later, 'x');
  const forwarded = {
    StepId: '1',
    StepName: 'ask',
    StepType: 'Call',
    Concurrent: '1',
    ContentType: 'x',
  };
  const step = Object.fromEntries(
    Object.entries(forwarded).map(([name, value]) => [
      `svc-callback-forward-svc-workflow-${name}`,
      value,
    ]),
  );
  const headers = {
    ...later,
    ...step,
    'svc-workflow-init': 'false',
    'svc-workflow-calltype': 'toCallback',
    'svc-workflow-url': run,
    'svc-callback': run,
    'svc-label': 'asked',
  };
  await call('POST', 'batch', {}, JSON.stringify([{ destination: third, headers, body: 'x' }]));
  await call('DELETE', 'workflows/runs/left');
  for (const query of [`url=${encodeURIComponent(third)}`, 'label=asked']) {
    const states = (await logs(query)).map(({ state }) => state);
    expect([query, states]).toEqual([query, ['CANCELED', 'CANCEL_REQUESTED', 'CREATED']]);
  }
});

it('a page without bodies has as many rows as requested', async () => {
  endpoint.answer(() => ({ status: 500 }));
  const body = 'x'.repeat(3 * 1024 * 1024);
  const id = await publish({ 'upstash-retries': '2', 'upstash-retry-delay': '1' }, body);
  for (;;) {
    const { body: page } = await ask(`logs?messageId=${id}&trimBody=-1`);
    if (page.logs[0]?.state !== 'FAILED') continue;
    // On a busy machine the search may stop for its time budget; such a page proves nothing.
    if (page.searchedTo !== undefined) continue;
    expect([page.logs.length, page.cursor]).toEqual([10, undefined]);
    break;
  }
});

describe('the published client', () => {
  it('reads how a message was delivered, and a single row by its state', async () => {
    const { messageId } = await client.publish({ url: endpoint.url, body: 'x', label: 'blue' });
    await rowsUntil('DELIVERED', messageId);
    const all = await client.logs({ messageIds: [messageId] });
    expect(all.logs.map(({ state }) => state)).toEqual(['DELIVERED', 'ACTIVE', 'CREATED']);
    expect(all.cursor).toBeUndefined();
    const delivered = await client.logs({ filter: { messageId, state: 'DELIVERED' } });
    expect(delivered.logs).toEqual([
      expect.objectContaining({ messageId, state: 'DELIVERED', label: 'blue', labels: ['blue'] }),
    ]);
  });

  it('reads the same rows as events', async () => {
    const { messageId } = await client.publish({ url: endpoint.url, body: 'x' });
    await rowsUntil('DELIVERED', messageId);
    const { events } = await client.events({ messageIds: [messageId] });
    expect(events.map(({ state }) => state)).toEqual(['DELIVERED', 'ACTIVE', 'CREATED']);
  });

  it('turns pages until there is no cursor', async () => {
    const label = 'paged';
    const published = await Promise.all(
      Array.from({ length: 7 }, () =>
        client.publish({ url: endpoint.url, body: 'x', label, delay: '1d' }),
      ),
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.logs({
        count: 3,
        filter: { label },
        ...(cursor !== undefined && { cursor }),
      });
      seen.push(...page.logs.map(({ messageId }) => messageId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen.sort()).toEqual(published.map(({ messageId }) => messageId).sort());
  });
});

describe('the log of messages', () => {
  it('shows everything about a failed delivery', async () => {
    endpoint.answer(() => ({ status: 500, headers: { 'x-why': 'broken' }, body: 'no luck' }));
    const messageId = await publish({
      'upstash-retries': '1',
      'upstash-retry-delay': '10',
      'upstash-timeout': '5s',
      'upstash-forward-x-tenant': 'acme',
    });
    const rows = await rowsUntil('FAILED', messageId);
    const states = ['FAILED', 'ERROR', 'ACTIVE', 'RETRY', 'ERROR', 'ACTIVE', 'CREATED'];
    expect(rows.map(({ state }) => state)).toEqual(states);
    const [failed, , , retry] = rows;
    expect(failed).toMatchObject({
      messageId,
      url: `${endpoint.url}/hook`,
      method: 'POST',
      maxRetries: 1,
      header: { 'Content-Type': ['text/plain'], 'X-Tenant': ['acme'] },
      body: Buffer.from('hello').toString('base64'),
      error: 'the destination answered 500',
      responseStatus: 500,
      responseHeader: { 'X-Why': ['broken'] },
      responseHeaders: { 'X-Why': ['broken'] },
      responseBody: 'no luck',
      timeout: 5000,
      retryDelayExpr: '10',
      retryDelayExpression: '10',
    });
    expect(retry).toMatchObject({ nextDeliveryTime: expect.any(Number) });
    for (const row of rows) expect(logRowSchema().strict().safeParse(row).error).toBeUndefined();
  });

  it('shows an attempt while it is in flight', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    endpoint.answer(() => held.then(() => ({})));
    const messageId = await publish();
    await endpoint.received(1);
    const rows = await logs(`messageIds=${messageId}`);
    expect(rows.map(({ state }) => state)).toEqual(['ACTIVE', 'CREATED']);
    expect(await logs(`messageIds=${messageId}&state=IN_PROGRESS`)).toHaveLength(1);
    const oldestFirst = await logs(`messageIds=${messageId}&order=earliestFirst`);
    expect(oldestFirst.map(({ state }) => state)).toEqual(['CREATED', 'ACTIVE']);
    answer();
    const ended = await rowsUntil('DELIVERED', messageId);
    expect(ended.map(({ state }) => state)).toEqual(['DELIVERED', 'ACTIVE', 'CREATED']);
    // In flight it had no place in the journal yet; now both rows belong to one event.
    expect(rows[0]).toMatchObject({ attempt: 1, time: ended[1]?.time });
    expect(rows[0]).not.toHaveProperty('offset');
    const offset = ended[0]?.['offset'];
    const durationMs = ended[0]?.['durationMs'];
    expect(ended).toMatchObject([
      { attempt: 1 },
      { attempt: 1, offset },
      { offset: rows[1]?.['offset'] },
    ]);
    expect(durationMs).toEqual(expect.any(Number));
    expect(Number(offset)).toBeGreaterThan(Number(rows[1]?.['offset']));
  });

  it.each([
    ['latestFirst', 1],
    ['earliestFirst', 4],
  ])('pages over attempts that end between two pages, %s', async (order, count) => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    endpoint.answer(async () => {
      await held;
      return {};
    });
    const query = `label=held-${order}&order=${order}&count=${count}`;
    const labelled = { 'upstash-label': `held-${order}` };
    const messageIds = await Promise.all([1, 2, 3].map(() => publish(labelled)));
    await endpoint.received(3);
    let page = await ask(`logs?${query}`);
    const shown = [...page.body.logs];
    answer();
    await Promise.all(messageIds.map((messageId) => rowsUntil('DELIVERED', messageId)));
    while (page.body.cursor !== undefined) {
      page = await ask(`logs?${query}&cursor=${page.body.cursor}`);
      shown.push(...page.body.logs);
    }
    const ids = (wanted: string) =>
      shown.filter(({ state }) => state === wanted).map(({ messageId }) => messageId);
    expect(ids('ACTIVE').sort()).toEqual([...messageIds].sort());
    expect(ids('CREATED').sort()).toEqual([...messageIds].sort());
    expect(shown).toHaveLength(6);
  });

  it('keeps the attempt that was in flight when its message was canceled', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    endpoint.answer(() => held.then(() => ({})));
    const messageId = await publish();
    await endpoint.received(1);
    const before = await rowsUntil('ACTIVE', messageId);
    await client.messages.cancel(messageId);
    answer();
    const rows = await rowsUntil('CANCELED', messageId);
    const states = ['CANCELED', 'CANCEL_REQUESTED', 'ACTIVE', 'CREATED'];
    expect(rows.map(({ state }) => state)).toEqual(states);
    expect(rows.slice(2).map(({ time }) => time)).toEqual(before.map(({ time }) => time));
  });

  it('finds a canceled message in either spelling', async () => {
    const messageId = await publish({ 'upstash-delay': '1d' });
    await client.messages.cancel(messageId);
    for (const state of ['CANCELED', 'CANCELLED']) {
      const rows = await logs(`messageIds=${messageId}&state=${state}`);
      expect(rows.map((row) => row.state)).toEqual(['CANCELED']);
    }
    const rows = await logs(`messageIds=${messageId}`);
    expect(rows.map((row) => row.state)).toEqual(['CANCELED', 'CANCEL_REQUESTED', 'CREATED']);
  });

  it('finds rows by the published options of their messages', async () => {
    const later = { 'upstash-delay': '1d' };
    const keyed = await publish({
      ...later,
      'upstash-label': 'one,two',
      'upstash-flow-control-key': 'key',
      'upstash-flow-control-value': 'parallelism=1',
    });
    const other = await publish({ ...later, 'upstash-label': 'three' });
    const ids = async (query: string) => (await logs(query)).map(({ messageId }) => messageId);
    const { host } = new URL(endpoint.url);
    expect(await ids('label=two')).toEqual([keyed]);
    expect(await ids('label=two&label=three')).toEqual([other, keyed]);
    expect(await ids('flowControlKey=key')).toEqual([keyed]);
    expect(await ids(`url=${encodeURIComponent(`${endpoint.url}/hook`)}`)).toEqual([other, keyed]);
    expect(await ids(`host=${host}&path=/hook`)).toEqual([other, keyed]);
    expect(await ids(`host=${host}&path=/elsewhere`)).toEqual([]);
    expect(await ids('label=two&callerIp=127.0.0.1')).toEqual([keyed]);
    expect(await ids('label=two&callerIP=10.1.1.1')).toEqual([]);
    const [{ time } = { time: Number.NaN }] = await logs('label=two');
    expect(await ids(`label=two&fromDate=${time}&toDate=${time}`)).toEqual([keyed]);
    expect(await ids(`label=two&fromDate=${time + 1}`)).toEqual([]);
    expect(await ids(`label=two&toDate=${time - 1}`)).toEqual([]);
  });

  it('finds rows by a text that they show, but not by redacted text', async () => {
    const later = { 'upstash-delay': '1d', 'upstash-forward-x-tenant': 'acme-42' };
    const shown = await publish(later);
    const hidden = await publish({ ...later, 'upstash-redact-fields': 'body,header[X-Tenant]' });
    const ids = async (text: string) =>
      (await logs(`messageIds=${shown},${hidden}&contains=${text}`)).map((row) => row.messageId);
    expect(await ids('ello')).toEqual([shown]);
    expect(await ids('acme-42')).toEqual([shown]);
    expect(await ids('/hook')).toEqual([hidden, shown]);
    expect(await ids('Ello')).toEqual([]);
    endpoint.answer(() => ({ status: 500, body: 'out of stock' }));
    const failed = await publish({ 'upstash-retries': '0' });
    await rowsUntil('FAILED', failed);
    const rows = await logs(`messageIds=${failed}&contains=of%20stock`);
    expect(rows.map(({ state }) => state)).toEqual(['FAILED', 'ERROR']);
    const { status } = await ask(`logs?contains=${'x'.repeat(257)}`);
    expect(status).toBe(400);
  });

  it('counts rows by state and by other properties', async () => {
    const label = `counted-${Date.now()}`;
    const [first] = [await publish({ 'upstash-label': label }), await publish()];
    await rowsUntil('DELIVERED', first ?? '');
    const counts = async (query: string) =>
      (await callApi(server, 'GET', `/v2/logs/counts?${query}`)).body;
    const each = ['ACTIVE', 'CREATED', 'DELIVERED'].map((key) => ({ key, count: 1 }));
    const byState = (await counts(`label=${label}`)) as { by: string; counts: { key: string }[] };
    expect(byState.by).toBe('state');
    expect(byState.counts.sort((one, other) => (one.key < other.key ? -1 : 1))).toEqual(each);
    const { host } = new URL(endpoint.url);
    expect(await counts(`label=${label}&by=host&state=DELIVERED&bucket=1h`)).toEqual({
      by: 'host',
      bucket: 3_600_000,
      counts: [{ time: expect.any(Number), key: host, count: 1 }],
    });
    for (const wrong of ['by=body', 'bucket=0', 'count=5', 'bucket=soon']) {
      const { status, body } = await callApi(server, 'GET', `/v2/logs/counts?${wrong}`);
      expect([wrong, status, body]).toEqual([wrong, 400, { error: expect.any(String) }]);
    }
  });

  it('shows a digest in place of what is redacted', async () => {
    const messageId = await publish({
      'upstash-redact-fields': 'body,header[X-Secret]',
      'upstash-forward-x-secret': 'hidden',
      'upstash-delay': '1d',
    });
    const [row] = await logs(`messageIds=${messageId}`);
    expect(row).toMatchObject({
      body: redacted('hello'),
      header: { 'X-Secret': [redacted('hidden')] },
    });
  });

  it.each([
    ['labeel=x', 'labeel'],
    ['count=0', 'count'],
    ['cursor=somewhere', 'cursor'],
    ['state=DONE', 'state'],
    ['order=sideways', 'order'],
  ])('refuses %s', async (query, name) => {
    for (const path of ['logs', 'events']) {
      const { status, body } = await ask(`${path}?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual({ error: expect.stringContaining(name) });
    }
  });

  it('requires a token', async () => {
    expect((await fetch(`${server.url}/v2/logs`)).status).toBe(401);
  });
});

describe('the log of a server that was restarted', () => {
  it('continues after a cursor', async () => {
    const first = await startServer();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const later = { 'svc-delay': '1d' };
      const { body } = await callApi(first, 'POST', `/v2/publish/${endpoint.url}`, later, 'x');
      ids.push((body as { messageId: string }).messageId);
    }
    const page = await callApi(first, 'GET', '/v2/logs?count=2');
    const { logs: newest, cursor } = page.body as Answer['body'];
    await first.stop();
    const second = await startServer({ dataDirectory: first.dataDirectory });
    try {
      const rest = await callApi(second, 'GET', `/v2/logs?cursor=${cursor}`);
      const { logs: oldest, cursor: more } = rest.body as Answer['body'];
      expect([...newest, ...oldest].map(({ messageId }) => messageId)).toEqual(ids.reverse());
      expect(more).toBeUndefined();
    } finally {
      await second.remove();
    }
  });
});

describe('every row of a message', () => {
  const states = (rows: readonly Row[]) => rows.map(({ state }) => state);
  const times = (rows: readonly Row[]) => rows.map((row) => row['nextDeliveryTime']);

  it('has the time of the next delivery or of the last one', async () => {
    endpoint.answerInTurn({ status: 500 }, { status: 200 });
    const messageId = await publish({ 'upstash-retries': '1', 'upstash-retry-delay': '10' });
    const rows = await rowsUntil('DELIVERED', messageId);
    const expected = ['DELIVERED', 'ACTIVE', 'RETRY', 'ERROR', 'ACTIVE', 'CREATED'];
    expect(states(rows)).toEqual(expected);
    const [delivered, active, retry, error, first] = rows;
    expect(delivered?.['nextDeliveryTime']).toBe(active?.time);
    expect(active?.['nextDeliveryTime']).toBe(active?.time);
    expect(retry?.['nextDeliveryTime']).toBeGreaterThanOrEqual((retry?.time ?? 0) + 10);
    expect(error?.['nextDeliveryTime']).toBe(retry?.['nextDeliveryTime']);
    expect(first?.['nextDeliveryTime']).toBe(first?.time);
    expect(times(rows)).toEqual(rows.map(() => expect.any(Number)));
  });

  it('has the time of the last delivery, or of a planned one, if none follows', async () => {
    endpoint.answer(() => ({ status: 500 }));
    const failed = await rowsUntil('FAILED', await publish({ 'upstash-retries': '0' }));
    expect(states(failed)).toEqual(['FAILED', 'ERROR', 'ACTIVE', 'CREATED']);
    const [, , active] = failed;
    expect(times(failed.slice(0, 3))).toEqual([active?.time, active?.time, active?.time]);
    const messageId = await publish({ 'upstash-delay': '1h' });
    await callApi(server, 'DELETE', `/v2/messages/${messageId}`);
    const canceled = await rowsUntil('CANCELED', messageId);
    expect(states(canceled)).toEqual(['CANCELED', 'CANCEL_REQUESTED', 'CREATED']);
    const [, , created] = canceled;
    const notBefore = (created?.time ?? 0) + 3_600_000;
    expect(times(canceled)).toEqual([notBefore, notBefore, notBefore]);
  });

  it.each([
    ['parallelism=3', { parallelism: 3 }],
    ['rate=3', { rate: 3, period: 1 }],
    ['parallelism=2, rate=3, period=1m', { parallelism: 2, rate: 3, period: 60 }],
  ])('shows only the limits that %s sets', async (value, limits) => {
    const messageId = await publish({
      'upstash-flow-control-key': 'limits',
      'upstash-flow-control-value': value,
    });
    const [row] = await rowsUntil('DELIVERED', messageId);
    const names = ['parallelism', 'rate', 'period'].filter((name) => name in (row ?? {}));
    expect(row).toMatchObject(limits);
    expect(names).toEqual(Object.keys(limits));
  });
});

describe('the body of a response', () => {
  const answered = async (body: Buffer) => {
    endpoint.answer(() => ({ body }));
    const [row] = await rowsUntil('DELIVERED', await publish());
    return { text: row?.['responseBody'], base64: row?.['responseBodyBase64'] };
  };

  it('keeps every byte if it is not text', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    expect(await answered(bytes)).toEqual({ text: undefined, base64: bytes.toString('base64') });
    const half = Buffer.from('ü').subarray(0, 1);
    expect(await answered(half)).toEqual({ text: undefined, base64: half.toString('base64') });
  });

  it('is shown as text if it is text, without a partial character at its end', async () => {
    expect(await answered(Buffer.from('\ufeffgrün'))).toEqual({ text: '\ufeffgrün' });
    const { text, base64 } = await answered(Buffer.from(`x${'ü'.repeat(40_000)}`));
    expect(base64).toBeUndefined();
    expect(text).toBe(`x${'ü'.repeat(32_767)}`);
  });
});
