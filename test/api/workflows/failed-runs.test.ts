import { callApi } from '../../support/clients/api-call.js';
import { type Entry, FailedRunStage, pause } from '../../support/workflows/failed-run-stage.js';

let stage: FailedRunStage;

beforeAll(async () => {
  stage = await FailedRunStage.start('orders');
});

beforeEach(() => stage.clear(stage.sequence('one', 'two', 'three')));

afterAll(() => stage.end());

const idsOf = (entries: readonly Entry[]) => entries.map(({ dlqId }) => dlqId);

describe('a run that failed', () => {
  it('is a dead letter with everything known about it, and not one of a message', async () => {
    stage.broken.add('two');
    const entry = await stage.fail({
      'svc-retries': '1',
      'svc-retry-delay': '1',
      'svc-label': 'blue,green',
      'svc-forward-x-tenant': 'acme',
      'svc-flow-control-key': 'k',
      'svc-flow-control-value': 'parallelism=2, rate=3, period=1m',
    });
    const { url } = stage.workflow;
    expect(entry).toEqual({
      messageId: expect.stringMatching(/^msg_/),
      dlqId: expect.stringMatching(/^\d{13}-\d+s00$/),
      url,
      method: 'POST',
      header: expect.objectContaining({
        'Content-Type': ['application/json'],
        'Svc-Workflow-Runid': [entry.workflowRunId],
        'Svc-Workflow-Url': [url],
        'X-Tenant': ['acme'],
      }),
      body: '{"n":1}',
      maxRetries: 1,
      notBefore: expect.any(Number),
      createdAt: expect.any(Number),
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
      workflowRunId: expect.stringMatching(/^wfr_/),
      workflowCreatedAt: expect.any(Number),
      workflowUrl: url,
      flowControlKey: 'k',
      parallelism: 2,
      rate: 3,
      period: 60,
      responseStatus: 500,
      responseHeader: expect.objectContaining({ 'Svc-Workflow-Sdk-Version': ['1'] }),
      responseBody: '{"message":"boom"}',
      label: 'blue',
      labels: ['blue', 'green'],
    });
    const attempts = stage.workflow.deliveriesOf(entry.workflowRunId);
    expect(attempts.map(({ retried }) => retried)).toEqual([0, 0, 1]);
    expect(await stage.api('GET', `/${entry.dlqId}`)).toMatchObject({ status: 200, body: entry });
    const bySdk = await callApi(stage.server, 'GET', '/v2/dlq?source=workflow');
    expect(bySdk.body).toEqual({ messages: [entry] });
    expect((await callApi(stage.server, 'GET', '/v2/dlq')).body).toEqual({ messages: [] });
  });

  it('fails at once if its endpoint forbids another attempt', async () => {
    const headers = { 'svc-nonretryable-error': 'true' };
    stage.workflow.script = () => ({ status: 489, headers, body: 'never' });
    const entry = await stage.fail({ 'svc-retries': '3' });
    expect(entry).toMatchObject({ maxRetries: 3, responseStatus: 489, responseBody: 'never' });
    expect(stage.workflow.deliveriesOf(entry.workflowRunId)).toHaveLength(1);
  });

  it('reports that its endpoint answered but never submitted a next step', async () => {
    stage.workflow.script = () => undefined;
    const entry = await stage.fail();
    expect(entry).toMatchObject({
      responseStatus: 200,
      error: expect.stringContaining('none of them submitted a next step'),
    });
  });

  it('shows its steps if its endpoint does not support the payload alone', async () => {
    stage.broken.add('two');
    const entry = await stage.fail({ 'svc-feature-set': 'LazyFetch' });
    const steps = JSON.parse(String(entry['body'])) as { body: string }[];
    const texts = steps.map(({ body }) => Buffer.from(body, 'base64').toString());
    expect(texts).toEqual(['{"n":1}', expect.stringContaining('"stepName":"one"')]);
  });

  it('redacts what the run redacts, and nothing else', async () => {
    stage.broken.add('one');
    const hidden = await stage.fail({
      'svc-redact-fields': 'body, header[X-Secret]',
      'svc-forward-x-secret': 'hush',
      'svc-forward-x-tenant': 'acme',
    });
    expect(JSON.stringify(hidden)).not.toContain('hush');
    expect(hidden['body']).toMatch(/^REDACTED:/);
    expect(hidden).toMatchObject({ header: { 'X-Tenant': ['acme'] } });
  });

  it('is the same after a restart of the server', async () => {
    stage.broken.add('two');
    const entry = await stage.fail({ 'svc-label': 'kept' });
    const gone = await stage.fail();
    await stage.api('DELETE', `/${gone.dlqId}`);
    await stage.restart();
    expect(await stage.list()).toEqual({ messages: [entry] });
    expect(await stage.list('?label=kept')).toEqual({ messages: [entry] });
  });

  it('is found and deleted by an old id without the mark of its shard', async () => {
    stage.broken.add('one');
    const { dlqId } = await stage.fail();
    const unmarked = dlqId.replace(/s00$/, '');
    expect((await stage.api('GET', `/${unmarked}`)).body).toMatchObject({ dlqId });
    expect((await stage.api('DELETE', `/${unmarked}`)).body).toEqual({ deleted: 1 });
    expect((await stage.api('GET', `/${dlqId}`)).status).toBe(404);
  });

  it('is deleted only once', async () => {
    stage.broken.add('one');
    const { dlqId } = await stage.fail();
    expect(await stage.api('DELETE', `/${dlqId}`)).toMatchObject({
      status: 200,
      body: { deleted: 1 },
    });
    const gone = { status: 404, body: { error: `failed run ${dlqId} not found` } };
    expect(await stage.api('DELETE', `/${dlqId}`)).toMatchObject(gone);
    expect(await stage.api('GET', `/${dlqId}`)).toMatchObject(gone);
  });

  it.each([
    ['POST', '/resume/1767000000000-1'],
    ['POST', '/restart/1767000000000-1'],
    ['POST', '/callback/1767000000000-1'],
    ['DELETE', '/callback/1767000000000-1'],
    ['GET', '/no-letter'],
    ['DELETE', '/no-letter'],
  ])('that does not exist is answered with 404: %s %s', async (method, path) => {
    expect(await stage.api(method, path)).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('not found') },
    });
  });
});

/** Filters that match only the run with these properties among the runs below. */
const filters: readonly (readonly [string, (entry: Entry) => string])[] = [
  ['dlqIds', ({ dlqId }) => dlqId],
  ['workflowRunId', ({ workflowRunId }) => workflowRunId],
  ['workflowRunId', () => 'of its'],
  ['workflowCreatedAt', ({ workflowCreatedAt }) => String(workflowCreatedAt)],
  ['workflowUrl', ({ workflowUrl }) => encodeURIComponent(workflowUrl)],
  ['label', () => 'blue'],
  ['label', () => 'nothing&label=green'],
  ['label', () => 'nothing,green'],
  ['failureFunctionState', () => 'CALLBACK_FAIL'],
  ['failureCallbackState', () => 'CALLBACK_SUCCESS,CALLBACK_FAIL'],
  ['flowControlKey', () => 'k'],
  ['responseStatus', () => '503'],
  ['fromDate', ({ dlqId }) => `${timeOf(dlqId)}&toDate=${timeOf(dlqId)}`],
  ['callerIp', () => '127.0.0.1&label=blue&count=1'],
];

function timeOf(dlqId: string): string {
  return dlqId.split('-')[0] ?? '';
}

describe('the failed runs', () => {
  /** Three failed runs that differ in every filtered property, oldest first. */
  let entries: readonly [Entry, Entry, Entry];
  let named = 0;

  beforeEach(async () => {
    stage.workflow.script = ({ role, payload }) =>
      role === 'failureCallback' ? { status: 500 } : { status: payload === 'b' ? 503 : 500 };
    const first = await stage.fail({}, 'a');
    await pause();
    named += 1;
    const headers = {
      'svc-workflow-runid': `of its own ${named}`,
      'svc-label': 'blue,green',
      'svc-flow-control-key': 'k',
      'svc-flow-control-value': 'parallelism=1',
      'svc-failure-callback': stage.workflow.url,
      'svc-failure-callback-retries': '0',
    };
    const { dlqId } = await stage.fail(headers, 'b', `${stage.workflow.url}/other`);
    const second = await stage.inState(dlqId, 'CALLBACK_FAIL');
    await pause();
    entries = [first, second, await stage.fail({ 'svc-label': 'red' }, 'c')];
  });

  it('are listed the newest first, or the oldest', async () => {
    expect(idsOf((await stage.list()).messages)).toEqual(idsOf(entries).reverse());
    const { messages } = await stage.list('?order=earliestFirst');
    expect(idsOf(messages)).toEqual(idsOf(entries));
  });

  it('are listed page by page', async () => {
    const { messages, cursor } = await stage.list('?count=2');
    expect(idsOf(messages)).toEqual(idsOf([entries[2], entries[1]]));
    const rest = await stage.list(`?count=2&cursor=${cursor}`);
    expect(rest).toEqual({ messages: [entries[0]] });
    const whole = await stage.list('?count=3');
    expect(whole.messages).toHaveLength(3);
    expect(whole.cursor).toBeUndefined();
  });

  it('are found by their own properties, and by no others', async () => {
    for (const [name, wanted] of filters) {
      const query = `?${name}=${wanted(entries[1])}`;
      expect([query, await stage.list(query)]).toEqual([query, { messages: [entries[1]] }]);
    }
    for (const query of ['?callerIp=10.0.0.1', '?label=blue&label=red&responseStatus=404']) {
      expect(await stage.list(query)).toEqual({ messages: [] });
    }
    const either = await stage.list('?label=blue,red');
    expect(idsOf(either.messages)).toEqual(idsOf([entries[2], entries[1]]));
  });

  it.each(filters)('are deleted by %s', async (name, wanted) => {
    const deleted = await stage.api('DELETE', `?${name}=${wanted(entries[1])}`);
    expect(deleted).toMatchObject({ status: 200, body: { deleted: 1 } });
    const { messages } = await stage.list();
    expect(idsOf(messages)).toEqual(idsOf([entries[2], entries[0]]));
  });

  it('are deleted by their ids whatever the other filters are, in a query or a body', async () => {
    const [first, second, third] = idsOf(entries);
    const query = `?dlqIds=${first}&dlqIds=0-1&label=nothing&count=1`;
    expect((await stage.api('DELETE', query)).body).toEqual({ deleted: 1 });
    const body = JSON.stringify({ dlqIds: [second, third] });
    expect((await stage.api('DELETE', '', {}, body)).body).toEqual({ deleted: 2 });
    expect(await stage.list()).toEqual({ messages: [] });
  });

  it('are deleted oldest first, batch by batch', async () => {
    const batch = await stage.api('DELETE', '?count=2');
    expect(batch.body).toEqual({ deleted: 2, cursor: expect.any(String) });
    const { cursor } = batch.body as { cursor: string };
    expect(idsOf((await stage.list()).messages)).toEqual([entries[2].dlqId]);
    const rest = await stage.api('DELETE', `?count=2&cursor=${encodeURIComponent(cursor)}`);
    expect(rest.body).toEqual({ deleted: 1 });
  });

  it.each([
    ['GET', '?labeel=blue'],
    ['GET', '?order=newest'],
    ['GET', '?count=0'],
    ['GET', '?count=many'],
    ['GET', '?cursor=here'],
    ['GET', '?failureFunctionState=CALLBACK_LOST'],
    ['GET', '?responseStatus=ok'],
    ['GET', '?host=127.0.0.1'],
    ['DELETE', '?labeel=blue'],
    ['DELETE', '?order=earliestFirst'],
    ['DELETE', '?label='],
    ['POST', '/resume?labeel=blue'],
    ['POST', '/restart?labeel=blue'],
  ])('are not affected by an invalid query: %s %s', async (method, path) => {
    expect(await stage.api(method, path)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/./) },
    });
    expect((await stage.list()).messages).toHaveLength(3);
  });

  it('are not affected by an invalid body', async () => {
    for (const body of ['[]', '{', '{"labeel":"blue"}', '{"dlqIds":[]}', '{"dlqIds":{}}']) {
      for (const [method, path] of [
        ['DELETE', ''],
        ['POST', '/resume'],
        ['POST', '/restart'],
      ] as const) {
        expect((await stage.api(method, path, {}, body)).status).toBe(400);
      }
    }
    expect((await stage.list()).messages).toHaveLength(3);
  });
});
