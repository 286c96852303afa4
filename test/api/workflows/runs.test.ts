import { Engine } from '../../../src/engine/engine.js';
import type { StartRun } from '../../../src/workflows/run-state/run.commands.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';
import {
  runConfiguration,
  runTermsOf,
  startRun,
  stepInfo,
  submitStep,
} from '../../support/workflows/run-commands.js';

let server: TestServer;
let endpoint: RecordingEndpoint;
let engine: Engine;

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start();
  engine = server.application.nest.get(Engine, { strict: false });
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
let started = 0;

/** Starts a run whose first delivery is due in an hour; returns its id. */
async function begin(
  changes: Partial<StartRun['configuration']> & { id?: string; at?: number } = {},
): Promise<string> {
  started += 1;
  const { id = `wfr_${started}`, at = Date.now(), ...configuration } = changes;
  const command = startRun({
    id,
    at,
    messageId: `msg_run_${started}`,
    payload: Buffer.from('{"n":1}'),
    notBefore: Date.now() + 3_600_000,
    configuration: runConfiguration({ url: `${endpoint.url}/wf`, ...configuration }),
  });
  const [outcome] = await engine.dispatch([command]);
  expect(outcome).toMatchObject({ ok: true });
  return id;
}

const target = (id: string) => `/v2/workflows/runs/${id}`;
const show = (id: string) => callApi(server, 'GET', target(id));
const end = (id: string, query: string, body?: string) =>
  callApi(server, 'DELETE', `${target(id)}${query}`, {}, body);
const cancelMany = (query: string, body?: string) =>
  callApi(server, 'DELETE', `/v2/workflows/runs${query}`, {}, body);
const statusOf = async (id: string) => (await show(id)).status;

describe('a run', () => {
  it('is not shown to a read-only token, because nothing of it is redacted', async () => {
    const id = await begin();
    const authorization = `Bearer ${server.readToken}`;
    for (const query of ['', '?asOf=1000']) {
      const answer = await callApi(server, 'GET', `${target(id)}${query}`, { authorization });
      expect(answer).toMatchObject({ status: 403, body: { error: expect.any(String) } });
    }
    const logs = `/v2/workflows/logs?workflowRunId=${id}`;
    expect((await callApi(server, 'GET', logs, { authorization })).status).toBe(200);
  });

  it('is shown as its entries, in the order in which they came', async () => {
    const id = await begin();
    const step = submitStep(stepInfo(1), {
      id,
      messageId: 'msg_one',
      body: Buffer.from('{"a":1}'),
    });
    await engine.dispatch([step]);
    const { status, headers, body } = await show(id);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual([
      { messageId: `msg_run_${started}`, body: base64('{"n":1}'), callType: 'step' },
      { messageId: 'msg_one', body: base64('{"a":1}'), callType: 'step' },
    ]);
  });

  it('is shown with a step that came at the same moment', async () => {
    const id = await begin();
    const stored = engine.dispatch([submitStep(stepInfo(1), { id, messageId: 'msg_now' })]);
    const { body } = await show(id);
    expect((body as unknown[]).length).toBe(2);
    await stored;
  });

  it.each(['', '?cancel=true'])('is canceled by DELETE %s, once', async (query) => {
    const id = await begin();
    expect(await end(id, query)).toMatchObject({ status: 200, body: null });
    const gone = { status: 404, body: { error: `workflow run ${id} not found` } };
    expect(await show(id)).toMatchObject(gone);
    expect(await end(id, query)).toMatchObject(gone);
  });

  it('ends with what its function returned, and accepts a second end', async () => {
    const id = await begin();
    const answer = await end(id, '?cancel=false', '{"sum":2}');
    expect(answer).toMatchObject({ status: 200, body: null });
    expect(answer.headers.get('stepwell-durability')).toBe('fsync');
    expect(await statusOf(id)).toBe(404);
    expect(await end(id, '?cancel=false', '{"sum":3}')).toMatchObject({ status: 200 });
    expect(await end('wfr_never', '?cancel=false')).toMatchObject({ status: 200 });
  });

  it('ends without a result', async () => {
    const id = await begin();
    expect(await end(id, '?cancel=false')).toMatchObject({ status: 200 });
    expect(await statusOf(id)).toBe(404);
  });

  it.each(['?cancel=no', '?cancel=', '?cancel=true&cancel=false', '?cancle=true'])(
    'is not affected by DELETE %s',
    async (query) => {
      const id = await begin();
      expect((await end(id, query)).status).toBe(400);
      expect(await statusOf(id)).toBe(200);
      await end(id, '');
    },
  );

  it.each(['order 1/2', 'é?#%', 'a+b', 'wfr_slash/'])('may have the id %j', async (id) => {
    await begin({ id });
    expect(await statusOf(encodeURIComponent(id))).toBe(200);
    expect((await end(encodeURIComponent(id), '')).status).toBe(200);
    expect(await statusOf(encodeURIComponent(id))).toBe(404);
  });

  it('is not found by a long id', async () => {
    expect(await statusOf('x'.repeat(10_000))).toBe(404);
  });
});

describe('a bulk cancel of runs', () => {
  afterEach(() => cancelMany(''));

  const flowControl = { key: 'k', parallelism: null, rate: 1, periodSeconds: 1 };

  it.each([
    ['label', '?label=blue', { terms: runTermsOf({ labels: ['green', 'blue'] }) }],
    ['flow-control key', '?flowControlKey=k', { terms: runTermsOf({ flowControl }) }],
    ['caller', '?callerIp=10.0.0.1', { callerIp: '10.0.0.1' }],
    ['caller, spelt otherwise', '?callerIP=10.0.0.1', { callerIp: '10.0.0.1' }],
    ['host', '?host=other.example', { url: 'https://other.example/wf' }],
    ['path', '?path=/other', { url: 'https://app.example/other?x=1' }],
    ['URL', '?workflowUrl=https://app.example/ex', { url: 'https://app.example/exact' }],
    [
      'exact URL',
      '?workflowUrlExactMatch=true&workflowUrl=https://app.example/e',
      { url: 'https://app.example/e' },
    ],
    ['date', '?fromDate=5&toDate=7', { at: 7 }],
  ])('cancels those of one %s, and no other', async (_name, query, changes) => {
    const selected = await begin(changes);
    const other = await begin({ url: 'https://app.example/else' });
    expect(await cancelMany(query)).toMatchObject({ status: 200, body: { cancelled: 1 } });
    expect(await statusOf(selected)).toBe(404);
    expect(await statusOf(other)).toBe(200);
  });

  it('does not match a URL by its prefix if the match must be exact', async () => {
    const longer = await begin({ url: 'https://app.example/exact/more' });
    const query = '?workflowUrl=https://app.example/exact&workflowUrlExactMatch=true';
    expect((await cancelMany(query)).body).toEqual({ cancelled: 0 });
    expect(await statusOf(longer)).toBe(200);
  });

  it('cancels those that are named, whatever the other filters are', async () => {
    const ids = [await begin(), await begin(), await begin()];
    const left = await begin();
    const query = `?workflowRunIds=${ids[0]},${ids[1]}&workflowRunIds=${ids[2]}&label=none&count=1`;
    expect((await cancelMany(`${query}&workflowRunIds=wfr_never`)).body).toEqual({ cancelled: 3 });
    expect((await cancelMany(query)).body).toEqual({ cancelled: 0 });
    expect(await statusOf(left)).toBe(200);
  });

  it('accepts filters in the body, as older clients send them', async () => {
    const one = await begin();
    const two = await begin({ url: 'https://app.example/old' });
    const byId = JSON.stringify({ workflowRunIds: [one] });
    expect((await cancelMany('', byId)).body).toEqual({ cancelled: 1 });
    const byUrl = JSON.stringify({ workflowUrl: 'https://app.example' });
    expect((await cancelMany('', byUrl)).body).toEqual({ cancelled: 1 });
    expect(await statusOf(two)).toBe(404);
  });

  it('cancels the requested number, and all of them without a filter', async () => {
    for (let index = 0; index < 5; index += 1) await begin();
    expect((await cancelMany('?count=2')).body).toEqual({ cancelled: 2 });
    expect((await cancelMany('?count=0')).status).toBe(400);
    expect((await cancelMany('')).body).toEqual({ cancelled: 3 });
    expect((await cancelMany('')).body).toEqual({ cancelled: 0 });
  });

  it('cancels more than fit in one turn', async () => {
    const commands = Array.from({ length: 300 }, (_, index) =>
      startRun({
        id: `wfr_many_${index}`,
        messageId: `msg_many_${index}`,
        at: Date.now(),
        notBefore: Date.now() + 3_600_000,
      }),
    );
    await engine.dispatch(commands.slice(0, 256));
    await engine.dispatch(commands.slice(256));
    expect((await cancelMany('')).body).toEqual({ cancelled: 300 });
  });

  it.each(['?labeel=blue', '?label=', '?workflowUrlExactMatch=yes', '?fromDate=now'])(
    'cancels nothing with the query %s',
    async (query) => {
      const id = await begin();
      expect((await cancelMany(query)).status).toBe(400);
      expect(await statusOf(id)).toBe(200);
    },
  );
});
