import { callApi } from '../../support/clients/api-call.js';
import type { ScriptedAnswer } from '../../support/clients/recording-endpoint.js';
import { type Entry, FailedRunStage } from '../../support/workflows/failed-run-stage.js';

let stage: FailedRunStage;
/** The answer to the failure callback. */
let answer: () => ScriptedAnswer | Promise<ScriptedAnswer>;

beforeAll(async () => {
  stage = await FailedRunStage.start('failing');
});

beforeEach(async () => {
  answer = () => ({ status: 200, body: '{"result":"handled"}' });
  await stage.clear(({ role }) => (role === 'failureCallback' ? answer() : { status: 500 }));
});

afterAll(() => stage.end());

const callbacksOf = ({ workflowRunId }: Entry) =>
  stage.workflow.deliveriesOf(workflowRunId, 'failureCallback');

const decoded = (base64: unknown) => Buffer.from(String(base64), 'base64').toString();

/** Makes a run fail that has a failure callback, with these headers for the callback. */
const fail = (headers: Readonly<Record<string, string>> = {}) =>
  stage.fail({
    'svc-failure-callback': `${stage.workflow.url}/failed`,
    'svc-failure-callback-retries': '0',
    'svc-failure-callback-forward-svc-workflow-is-failure': 'true',
    'svc-failure-callback-forward-x-tenant': 'acme',
    ...headers,
  });

/** An answer that a test gives later. */
function later() {
  let give: (answered: ScriptedAnswer) => void = () => undefined;
  const promise = new Promise<ScriptedAnswer>((resolve) => {
    give = resolve;
  });
  answer = () => promise;
  return (answered: ScriptedAnswer = {}) => give(answered);
}

describe('a failure callback', () => {
  it('gets the error of the run', async () => {
    const script = stage.workflow.script;
    stage.workflow.script = (delivery, workflow) =>
      delivery.role === 'step'
        ? { status: 500, headers: { 'x-why': 'boom' }, body: '{"message":"boom"}' }
        : script(delivery, workflow);
    const failed = await fail({ 'svc-forward-x-source': 'delivered' });
    const entry = await stage.inState(failed.dlqId, 'CALLBACK_SUCCESS');
    const { url } = stage.workflow;
    expect(entry).toMatchObject({
      failureCallback: `${url}/failed`,
      failureCallbackHeader: { 'X-Tenant': ['acme'] },
      failureCallbackInfo: {
        state: 'CALLBACK_SUCCESS',
        responseStatus: 200,
        responseBody: '{"result":"handled"}',
        responseHeaders: { 'Svc-Workflow-Sdk-Version': ['1'] },
      },
    });
    const [callback, ...others] = callbacksOf(entry);
    expect(others).toEqual([]);
    expect(callback?.request.url).toBe('/failing/failed');
    expect(callback?.request.headers).toMatchObject({
      'svc-workflow-is-failure': 'true',
      'svc-workflow-calltype': 'failureCall',
      'svc-workflow-runid': entry.workflowRunId,
      'svc-workflow-url': url,
      'svc-workflow-init': 'false',
      'x-tenant': 'acme',
    });
    const body = JSON.parse(String(callback?.request.body)) as Record<string, unknown>;
    expect(body).toEqual({
      status: 500,
      header: expect.objectContaining({ 'X-Why': ['boom'] }),
      body: expect.any(String),
      retried: 0,
      maxRetries: 0,
      sourceMessageId: entry['messageId'],
      url,
      method: 'POST',
      // The headers of the delivery to the endpoint: the forwarded ones, and those about the run.
      sourceHeader: {
        'Content-Type': ['application/json'],
        'X-Source': ['delivered'],
        'Svc-Workflow-Runid': [entry.workflowRunId],
        'Svc-Workflow-Url': [url],
        'Svc-Workflow-Createdat': [String(entry.workflowCreatedAt)],
        'Svc-Workflow-Init': ['true'],
        'Svc-Workflow-Sdk-Version': ['1'],
      },
      sourceBody: expect.any(String),
      notBefore: String(entry['notBefore']),
      createdAt: String(entry['createdAt']),
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
      dlqId: entry.dlqId,
      workflowRunId: entry.workflowRunId,
      workflowCreatedAt: entry.workflowCreatedAt,
      workflowUrl: url,
    });
    expect(decoded(body['body'])).toBe('{"message":"boom"}');
    expect(decoded(body['sourceBody'])).toBe('{"n":1}');
  });

  it('is in progress until it is answered', async () => {
    const give = later();
    const { dlqId } = await fail();
    const entry = await stage.inState(dlqId, 'CALLBACK_INPROGRESS');
    expect(entry['failureCallbackInfo']).toEqual({ state: 'CALLBACK_INPROGRESS' });
    expect(await stage.api('POST', `/callback/${dlqId}`)).toMatchObject({
      status: 400,
      body: { error: 'only a failure callback that failed can be called again' },
    });
    give();
    await stage.inState(dlqId, 'CALLBACK_SUCCESS');
  });

  it('for which its endpoint has no function counts as called', async () => {
    const headers = { 'svc-workflow-failure-callback-notfound': 'true' };
    answer = () => ({ headers, body: '{}' });
    const entry = await stage.inState((await fail()).dlqId, 'CALLBACK_SUCCESS');
    expect(entry).toMatchObject({ failureCallbackInfo: { responseStatus: 200 } });
    expect((await stage.api('POST', `/callback/${entry.dlqId}`)).status).toBe(400);
  });

  it('is tried as often as allowed, and then has failed', async () => {
    answer = () => ({ status: 503, body: 'busy' });
    const { dlqId } = await fail({
      'svc-failure-callback-retries': '1',
      'svc-failure-callback-retry-delay': '1',
    });
    const entry = await stage.inState(dlqId, 'CALLBACK_FAIL');
    expect(entry).toMatchObject({
      responseStatus: 500,
      failureCallbackInfo: { responseStatus: 503, responseBody: 'busy' },
    });
    expect(callbacksOf(entry).map(({ retried }) => retried)).toEqual([0, 1]);
    expect((await callApi(stage.server, 'GET', '/v2/dlq')).body).toEqual({ messages: [] });
  });

  it('shows an answer that is not text as Base64', async () => {
    answer = () => ({ status: 503, body: Buffer.from([0xff, 0xfe]) });
    const { dlqId } = await fail({ 'svc-failure-callback-retries': '0' });
    const { failureCallbackInfo } = await stage.inState(dlqId, 'CALLBACK_FAIL');
    expect(failureCallbackInfo).toMatchObject({ responseBodyBase64: '//4=' });
    expect(failureCallbackInfo).not.toHaveProperty('responseBody');
  });

  it('that failed is called again on request, also after a restart', async () => {
    answer = () => ({ status: 500 });
    const { dlqId } = await fail({ 'svc-forward-x-source': 'delivered' });
    const entry = await stage.inState(dlqId, 'CALLBACK_FAIL');
    await stage.restart();
    expect(await stage.api('GET', `/${dlqId}`)).toMatchObject({ body: entry });
    const give = later();
    const { workflowRunId, workflowCreatedAt } = entry;
    expect(await stage.api('POST', `/callback/${dlqId}`)).toMatchObject({
      status: 200,
      body: { workflowRunId, workflowCreatedAt },
    });
    await stage.inState(dlqId, 'CALLBACK_INPROGRESS');
    give({ body: '{"result":"at last"}' });
    expect(await stage.inState(dlqId, 'CALLBACK_SUCCESS')).toMatchObject({
      failureCallbackInfo: { responseBody: '{"result":"at last"}' },
    });
    const [first, second] = callbacksOf(entry);
    expect(JSON.parse(String(second?.request.body))).toMatchObject({
      sourceHeader: { 'X-Source': ['delivered'], 'Svc-Workflow-Runid': [workflowRunId] },
    });
    expect(second?.request.body.toString()).toBe(first?.request.body.toString());
    expect(second?.messageId).not.toBe(first?.messageId);
    expect((await stage.api('POST', `/callback/${dlqId}`)).status).toBe(400);
  });

  it('that failed is called again once, however many request it at the same time', async () => {
    answer = () => ({ status: 500 });
    const { dlqId } = await fail();
    const entry = await stage.inState(dlqId, 'CALLBACK_FAIL');
    const give = later();
    const requests = [1, 2, 3].map(() => stage.api('POST', `/callback/${dlqId}`));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400, 400]);
    await stage.until(() => callbacksOf(entry).length === 2);
    give();
    await stage.inState(dlqId, 'CALLBACK_SUCCESS');
    expect(callbacksOf(entry)).toHaveLength(2);
  });

  it('in progress can be canceled, once', async () => {
    const give = later();
    const entry = await fail();
    const { dlqId, workflowRunId, workflowCreatedAt } = entry;
    await stage.until(() => callbacksOf(entry).length === 1);
    expect(await stage.api('DELETE', `/callback/${dlqId}`)).toMatchObject({
      status: 200,
      body: { workflowRunId, workflowCreatedAt },
    });
    const canceled = await stage.inState(dlqId, 'CALLBACK_CANCELED');
    expect(canceled['failureCallbackInfo']).toEqual({ state: 'CALLBACK_CANCELED' });
    expect((await stage.api('DELETE', `/callback/${dlqId}`)).status).toBe(400);
    expect((await stage.api('POST', `/callback/${dlqId}`)).status).toBe(400);
    give();
    await stage.restart();
    expect((await stage.api('GET', `/${dlqId}`)).body).toEqual(canceled);
  });

  it('that the run does not have is neither called again nor canceled', async () => {
    const { dlqId } = await stage.fail();
    for (const method of ['POST', 'DELETE']) {
      expect((await stage.api(method, `/callback/${dlqId}`)).status).toBe(400);
    }
  });

  it('continues if its letter was deleted meanwhile', async () => {
    const give = later();
    const entry = await fail();
    await stage.until(() => callbacksOf(entry).length === 1);
    expect((await stage.api('DELETE', `/${entry.dlqId}`)).status).toBe(200);
    give();
    for (const method of ['POST', 'DELETE']) {
      expect((await stage.api(method, `/callback/${entry.dlqId}`)).status).toBe(404);
    }
    expect(await stage.list()).toEqual({ messages: [] });
  });
});
