import { cursorAt } from '../../../src/http/cursor.js';
import { callApi } from '../../support/clients/api-call.js';
import { startHoldingEndpoint } from '../../support/clients/holding-endpoint.js';
import type { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;
/** Lets everything go that the endpoint holds open. */
let release: () => void;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  ({ endpoint, release } = await startHoldingEndpoint());
});

afterEach(async () => {
  release();
  await callApi(server, 'DELETE', '/v2/messages');
  await endpoint.stop();
});

type Row = Record<string, unknown> & { readonly messageId: string; readonly offset: number };
interface Page {
  readonly messages: readonly Row[];
  readonly cursor?: string;
}

const later = { 'svc-delay': '1h' };

async function publish(
  path: string,
  headers: Record<string, string> = later,
  way = 'publish',
): Promise<string> {
  const { body } = await callApi(server, 'POST', `/v2/${way}/${endpoint.url}${path}`, headers, 'x');
  return (body as { messageId: string }).messageId;
}

const list = async (query = '') =>
  (await callApi(server, 'GET', `/v2/messages${query}`)).body as Page;
const idsOf = ({ messages }: Page) => messages.map(({ messageId }) => messageId);

/** Asks until the answer is as it is to be; the test's time limit ends a wait for another one. */
async function once<Value>(ask: () => Promise<Value>, isSelected: (value: Value) => boolean) {
  for (;;) {
    const value = await ask();
    if (isSelected(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('the listing of messages', () => {
  it('has those that are pending, newest first, without their bodies', async () => {
    const one = await publish('/one');
    const two = await publish('/two');
    const gone = await publish('/gone');
    await callApi(server, 'DELETE', `/v2/messages/${gone}`);
    const page = await list();
    expect(idsOf(page)).toEqual([two, one]);
    expect(page).not.toHaveProperty('cursor');
    const [row] = page.messages;
    expect(row).toMatchObject({
      url: `${endpoint.url}/two`,
      state: 'DELAYED',
      attempts: 0,
      nextDeliveryTime: row?.['notBefore'],
      offset: expect.any(Number),
    });
    expect(row).not.toHaveProperty('body');
  });

  it('comes in pages that miss nothing and repeat nothing', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) ids.unshift(await publish(`/${index}`));
    const seen: string[] = [];
    let query = '?count=3';
    for (let pages = 1; ; pages += 1) {
      const page = await list(query);
      expect(page.messages.length).toBeLessThanOrEqual(3);
      seen.push(...idsOf(page));
      if (page.cursor === undefined) {
        expect(pages).toBe(3);
        break;
      }
      // What comes meanwhile is newer than all pages that follow.
      await publish('/meanwhile');
      query = `?count=3&cursor=${page.cursor}`;
    }
    expect(seen).toEqual(ids);
  });

  it('tells apart what is delayed, called, held back and tried again', async () => {
    const delayed = await publish('/');
    const active = await publish('/hangs', {}, 'enqueue/states');
    await endpoint.received(1);
    const waiting = await publish('/', {}, 'enqueue/states');
    const retry = await publish('/fails', { 'svc-retries': '1', 'svc-retry-delay': '3600000' });
    await once(
      () => list('?state=RETRY'),
      (page) => idsOf(page).includes(retry),
    );
    const states = { DELAYED: delayed, ACTIVE: active, WAITING: waiting, RETRY: retry };
    for (const [state, id] of Object.entries(states)) {
      const page = await list(`?state=${state}`);
      expect([state, idsOf(page)]).toEqual([state, [id]]);
      expect(page.messages[0]?.['state']).toBe(state);
    }
    const both = await list('?state=DELAYED,RETRY');
    expect(idsOf(both)).toEqual([retry, delayed]);
    const called = await list('?state=ACTIVE');
    expect(called.messages[0]).toMatchObject({ attempts: 0, startedAt: expect.any(Number) });
    const tried = await list('?state=RETRY');
    expect(tried.messages[0]).toMatchObject({ attempts: 1 });
  });

  it('goes by label, URL, queue, key, group, schedule and ids', async () => {
    await publish('/other');
    const limits = { 'svc-flow-control-key': 'k', 'svc-flow-control-value': 'rate=1' };
    const labeled = await publish('/a', { ...later, 'svc-label': 'blue' });
    const queued = await publish('/b', later, 'enqueue/listed');
    const limited = await publish('/c', { ...later, ...limits });
    const endpoints = JSON.stringify({ endpoints: [{ url: `${endpoint.url}/g` }] });
    await callApi(server, 'POST', '/v2/topics/listed/endpoints', {}, endpoints);
    const sent = await callApi(server, 'POST', '/v2/publish/listed', later, 'x');
    const [grouped] = (sent.body as { messageId: string }[]).map(({ messageId }) => messageId);
    const found = async (query: string) => idsOf(await list(`?${query}`));
    expect(await found('label=blue')).toEqual([labeled]);
    expect(await found(`url=${encodeURIComponent(`${endpoint.url}/a`)}`)).toEqual([labeled]);
    expect(await found('path=/b')).toEqual([queued]);
    expect(await found('queueName=listed')).toEqual([queued]);
    expect(await found('flowControlKey=k')).toEqual([limited]);
    expect(await found('topicName=listed')).toEqual([grouped]);
    expect(await found(`messageIds=${labeled},${queued},msg_none`)).toEqual([queued, labeled]);
    expect(await found('label=blue&queueName=listed')).toEqual([]);
    expect(await found('workflowRunId=wfr_none')).toEqual([]);
  });

  it('goes by the run that a message belongs to', async () => {
    const body = JSON.stringify({ hello: 'run' });
    const target = `/v2/trigger/${endpoint.url}/workflow`;
    const started = await callApi(server, 'POST', target, later, body);
    const { workflowRunId } = started.body as { workflowRunId: string };
    await publish('/other');
    const page = await list(`?workflowRunId=${workflowRunId}`);
    expect(page.messages.map(({ url }) => url)).toEqual([`${endpoint.url}/workflow`]);
    await callApi(server, 'DELETE', `/v2/workflows/runs/${workflowRunId}?cancel=true`);
  });

  it('finds callbacks by the message that they report on, pending and in the logs', async () => {
    const callback = `${endpoint.url}/fails`;
    const options = {
      'svc-callback': callback,
      'svc-callback-retries': '1',
      'svc-callback-retry-delay': '3600000',
    };
    const source = await publish('/', options);
    await publish('/', options);
    const page = await once(
      () => list(`?sourceMessageId=${source}&state=RETRY`),
      ({ messages }) => messages.length > 0,
    );
    expect(page.messages).toMatchObject([{ url: callback, sourceMessageId: source, attempts: 1 }]);
    const { body } = await callApi(server, 'GET', `/v2/logs?sourceMessageId=${source}`);
    const { logs } = body as { logs: { messageId: string; state: string }[] };
    expect(logs.map(({ state }) => state)).toEqual(['RETRY', 'ERROR', 'ACTIVE', 'CREATED']);
    expect(new Set(logs.map(({ messageId }) => messageId))).toEqual(new Set(idsOf(page)));
  });

  it.each([
    ['?state=DELIVERED', 'state'],
    ['?labeel=blue', 'labeel'],
    ['?count=0', 'count'],
    [`?cursor=${cursorAt('1-2-msg_1')}`, 'cursor'],
  ])('is refused with %s', async (query, named) => {
    const { status, body } = await callApi(server, 'GET', `/v2/messages${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.stringContaining(named) });
  });
});

describe('a message that is final', () => {
  const show = (id: string, query = '') => callApi(server, 'GET', `/v2/messages/${id}${query}`);
  const shownFinal = (id: string) =>
    once(
      () => show(id, '?final=true'),
      ({ body }) => 'endedAt' in (body as object),
    );

  it('is shown with how it ended where that is asked for', async () => {
    const delivered = await publish('/', {});
    expect(await shownFinal(delivered)).toMatchObject({
      status: 200,
      body: {
        messageId: delivered,
        state: 'DELIVERED',
        attempts: 1,
        responseStatus: 200,
        body: 'x',
      },
    });
    const failed = await publish('/fails', { 'svc-retries': '0' });
    const { body } = await shownFinal(failed);
    expect(body).toMatchObject({ state: 'FAILED', attempts: 1, responseStatus: 500 });
    const { dlqId } = body as { dlqId: string };
    expect(await callApi(server, 'GET', `/v2/dlq/${dlqId}`)).toMatchObject({ status: 200 });
    const canceled = await publish('/');
    await callApi(server, 'DELETE', `/v2/messages/${canceled}`);
    expect((await shownFinal(canceled)).body).toMatchObject({ state: 'CANCELED', attempts: 0 });
    const gone = { status: 404, body: { error: `message ${canceled} not found` } };
    expect(await show(canceled)).toMatchObject(gone);
    expect(await show('msg_none', '?final=true')).toMatchObject({ status: 404 });
    expect(await show(canceled, '?final=maybe')).toMatchObject({ status: 400 });
  });

  it('is shown with the attempts that failed before it was canceled', async () => {
    const id = await publish('/fails', { 'svc-retry-delay': '3600000' });
    await once(
      () => show(id),
      ({ body }) => (body as { attempts: number }).attempts === 1,
    );
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    const { body } = await shownFinal(id);
    expect(body).toMatchObject({ state: 'CANCELED', attempts: 1, responseStatus: 500 });
    const { body: why } = await callApi(server, 'GET', `/v2/messages/${id}/why`);
    expect(why).toMatchObject({ reason: 'canceled' });
  });

  it('shows nothing that it hides', async () => {
    const id = await publish('/', { 'svc-redact-fields': 'body' });
    const { body } = await shownFinal(id);
    expect((body as { body: string }).body).toMatch(/^REDACTED:/);
  });
});
