import { redacted } from '../../../src/messaging/messages/redaction.js';
import type { RunLogRow } from '../../../src/workflows/logs/run-log-row.js';
import { runLogRowSchema } from '../../../src/workflows/logs/run-logs.openapi.js';
import { callApi } from '../../support/clients/api-call.js';
import {
  isWaiting,
  LoggedRunsStage,
  oneStepThen,
  type Rows,
} from '../../support/workflows/logged-runs.js';

let stage: LoggedRunsStage;
/** A run that went through every kind of step, and its configuration. */
let toured: string;
let rows: readonly RunLogRow[];

const options = {
  'svc-label': 'blue,green',
  'svc-forward-x-tenant': 'acme',
  'svc-flow-control-key': 'k',
  'svc-flow-control-value': 'parallelism=5',
};

beforeAll(async () => {
  stage = await LoggedRunsStage.start('logged');
  toured = await stage.toured(options);
  rows = await stage.rows(`workflowRunId=${toured}`);
});

afterAll(() => stage.end());

const ofRun = (row: RunLogRow) => row.stepInfo?.messageId === undefined;
const ofStep = (name: string, callType = 'step') =>
  rows.filter(({ stepInfo }) => stepInfo?.stepName === name && stepInfo.callType === callType);
const statesOf = (of: readonly RunLogRow[]) => of.map(({ state }) => state);
const started = (id: string) =>
  stage.rows(`workflowRunId=${id}&state=RUN_STARTED`).then(([row]) => row);

describe('the flat log of a run', () => {
  it('has a row for everything that happened to the run, newest first', () => {
    const states = ['RUN_SUCCESS', 'INVOKED', 'WAITER_ADDED', 'RUN_STARTED'];
    expect(statesOf(rows.filter(ofRun))).toEqual(states);
    const [success, invoked, waiter, start] = rows.filter(ofRun);
    const run = {
      time: expect.any(Number),
      offset: expect.any(Number),
      workflowRunId: toured,
      workflowUrl: stage.workflow.url,
      workflowCreatedAt: start?.time,
      label: 'blue',
      labels: ['blue', 'green'],
      callerIp: '127.0.0.1',
    };
    expect(start).toEqual({ ...run, state: 'RUN_STARTED' });
    const step = { callType: 'step', concurrent: 1 };
    expect(waiter).toEqual({
      ...run,
      state: 'WAITER_ADDED',
      stepInfo: {
        ...step,
        stepName: 'wait 3',
        stepType: 'Wait',
        createdAt: waiter?.time,
        waitEventId: 'paid',
        waitTimeoutDuration: '1h',
        waitTimeoutDeadline: Number(waiter?.time) + 3_600_000,
      },
    });
    expect(invoked).toEqual({
      ...run,
      state: 'INVOKED',
      stepInfo: {
        ...step,
        stepName: 'inv',
        stepType: 'Invoke',
        createdAt: invoked?.time,
        invokedWorkflowRunId: `${toured}_child`,
        invokedWorkflowUrl: stage.workflow.url,
        invokedWorkflowCreatedAt: invoked?.time,
      },
    });
    expect(success).toEqual({ ...run, state: 'RUN_SUCCESS', workflowRunResponse: '{"sum":2}' });
  });

  it('has the life of each of its messages, with the step of the message', () => {
    const delivered = ['DELIVERED', 'ACTIVE', 'CREATED'];
    expect(statesOf(ofStep('init'))).toEqual(delivered);
    expect(statesOf(ofStep('one'))).toEqual(delivered);
    expect(statesOf(ofStep('third', 'toCallback'))).toEqual(delivered);
    expect(statesOf(ofStep('third', 'fromCallback'))).toEqual(delivered);
    expect(ofStep('init').at(-1)).toEqual({
      time: expect.any(Number),
      offset: expect.any(Number),
      state: 'CREATED',
      workflowRunId: toured,
      workflowUrl: stage.workflow.url,
      workflowCreatedAt: rows.at(-1)?.time,
      stepInfo: {
        stepName: 'init',
        stepType: 'Initial',
        callType: 'step',
        messageId: expect.stringMatching(/^msg_/),
        concurrent: 1,
        createdAt: rows.at(-1)?.time,
        out: '{"n":1}',
      },
      nextDeliveryTime: expect.any(Number),
      headers: { 'Content-Type': ['application/json'] },
      label: 'blue',
      labels: ['blue', 'green'],
      callerIp: '127.0.0.1',
    });
    expect(ofStep('init')[0]).toMatchObject({
      responseStatus: 200,
      responseHeaders: { 'Svc-Workflow-Sdk-Version': ['1'] },
      responseBody: '{"finishCondition":"success"}',
    });
    expect(ofStep('left').map(({ stepInfo }) => stepInfo?.concurrent)).toContain(2);
  });

  it('names the steps that each attempt executed', () => {
    const executed = [...rows].reverse().flatMap(({ executed, stepInfo, state, durationMs }) => {
      if (executed === undefined || stepInfo === undefined) return [];
      expect([state, typeof durationMs]).toEqual(['DELIVERED', 'number']);
      return [[stepInfo.stepName, executed.map(({ stepName }) => stepName)]];
    });
    expect(executed.slice(0, 6)).toEqual([
      ['init', ['one']],
      ['one', ['third']],
      ['third', ['third']],
      ['third', ['wait 3']],
      ['wait 3', ['inv']],
      ['inv', ['left', 'right']],
    ]);
    // Each branch runs in the delivery of its plan, in any order.
    const branches = executed.slice(6);
    expect(branches).toContainEqual(['left', ['left']]);
    expect(branches).toContainEqual(['right', ['right']]);
  });

  it('shows the fields of all types of steps', () => {
    const infoOf = (name: string, callType?: string) => ofStep(name, callType).at(-1)?.stepInfo;
    expect(infoOf('one')).toMatchObject({ stepType: 'Run', out: '"one"' });
    expect(infoOf('third', 'toCallback')).toMatchObject({
      stepType: 'Call',
      callUrl: `${stage.third.url}/x`,
      callMethod: 'POST',
      callBody: 'B',
    });
    expect(infoOf('third')).toMatchObject({
      callResponseStatus: 201,
      callResponseBody: 'made',
      callResponseHeaders: { 'X-Made': ['yes'] },
    });
    const [wait] = ofStep('wait 3');
    const out = Buffer.from('money').toString('base64');
    expect(wait?.stepInfo).toMatchObject({ waitEventId: 'paid', waitTimeout: false, out });
    const [invoke] = ofStep('inv');
    expect(JSON.parse(invoke?.stepInfo?.out ?? '')).toMatchObject({ body: '"grown"' });
  });

  it('ends the message that the end of the run answers, without another answer', () => {
    const [last] = rows.filter((row) => !ofRun(row));
    expect(last).toMatchObject({ state: 'DELIVERED' });
    expect(last).not.toHaveProperty('responseStatus');
  });

  it('names the run that invoked a run', async () => {
    const [parent, child] = [await started(toured), await started(`${toured}_child`)];
    expect(child).toMatchObject({
      invokerWorkflowRunId: toured,
      invokerWorkflowRunUrl: stage.workflow.url,
      invokerWorkflowRunCreatedAt: parent?.workflowCreatedAt,
    });
  });

  it('is described in full', async () => {
    for (const row of await stage.rows('')) expect(runLogRowSchema().parse(row)).toEqual(row);
  });

  it('is the same as ungrouped events, and older rows come first on demand', async () => {
    const query = `workflowRunId=${toured}`;
    const events = await stage.get(`/v2/workflows/events?${query}`);
    expect(events).toMatchObject({ status: 200, body: { events: rows } });
    expect(events.body).not.toHaveProperty('cursor');
    expect(await stage.rows(`${query}&order=earliestFirst`)).toEqual([...rows].reverse());
  });

  it('is available page by page', async () => {
    const seen: RunLogRow[] = [];
    for (let cursor = ''; ; ) {
      const query = `workflowRunId=${toured}&count=4${cursor}`;
      const { body } = await stage.get(`/v2/workflows/messageLogs?${query}`);
      const page = body as Rows;
      expect(page.events.length).toBeLessThanOrEqual(4);
      seen.push(...page.events);
      if (page.cursor === undefined) break;
      cursor = `&cursor=${page.cursor}`;
    }
    expect(seen).toEqual(rows);
  });

  it('shows its messages in the logs of messages like any others', async () => {
    const { messageId = '' } = ofStep('one')[0]?.stepInfo ?? {};
    const { body } = await callApi(stage.server, 'GET', `/v2/logs?messageId=${messageId}`);
    expect((body as { logs: object[] }).logs).toMatchObject([
      { state: 'DELIVERED', messageId, url: stage.workflow.url },
      { state: 'ACTIVE' },
      { state: 'CREATED' },
    ]);
  });
});

describe('the flat log of a run that failed', () => {
  it('shows every attempt, the failure, and the failure callback', async () => {
    const answer = { status: 500, body: '{"message":"boom"}' };
    stage.workflow.script = oneStepThen(answer);
    const id = await stage.workflow.trigger({
      'svc-retries': '1',
      'svc-retry-delay': '1',
      'svc-failure-callback': stage.workflow.url,
      'svc-failure-callback-workflow-calltype': 'failureCall',
      'svc-failure-callback-workflow-runid': 'ignored',
    });
    await stage.runOnce(id, ({ failureFunction }) => failureFunction?.state === 'CALLBACK_SUCCESS');
    const failed = await stage.rows(`workflowRunId=${id}`);
    const own = failed.filter(({ stepInfo }) => stepInfo?.stepName === 'one');
    const attempt = ['ERROR', 'ACTIVE'];
    expect(statesOf(own)).toEqual(['FAILED', ...attempt, 'RETRY', ...attempt, 'CREATED']);
    const error = { error: 'the destination answered 500', responseStatus: 500 };
    expect(own[0]).toMatchObject({ ...error, responseBody: answer.body });
    expect(own[3]).toMatchObject({ nextDeliveryTime: expect.any(Number) });
    const [end] = failed.filter(({ state }) => state === 'RUN_FAILED');
    expect(end).not.toHaveProperty('error');
    const letter = await stage.get(`/v2/workflows/dlq/${end?.dlqId}`);
    expect(letter).toMatchObject({ status: 200, body: { workflowRunId: id } });
    const calls = failed.filter(({ stepInfo }) => stepInfo?.callType === 'failureCall');
    expect(statesOf(calls)).toEqual(['DELIVERED', 'ACTIVE', 'CREATED']);
    for (const row of failed) expect(runLogRowSchema().parse(row)).toEqual(row);
  });

  it('reports a run that stalled without any failed attempt', async () => {
    stage.workflow.script = oneStepThen(undefined);
    const id = await stage.workflow.trigger();
    await stage.ended(id);
    const [end] = await stage.rows(`workflowRunId=${id}&state=RUN_FAILED`);
    expect(end).toMatchObject({
      error: expect.stringContaining('none of them submitted a next step'),
    });
  });

  it('shows that it was canceled, together with its messages', async () => {
    stage.workflow.script = oneStepThen(undefined);
    const id = await stage.workflow.trigger({ 'svc-delay': '1h' });
    await stage.cancel(id);
    const states = ['CANCELED', 'CANCEL_REQUESTED', 'RUN_CANCELED', 'CREATED', 'RUN_STARTED'];
    expect(statesOf(await stage.rows(`workflowRunId=${id}`))).toEqual(states);
  });
});

it('every log row of a message of a run names its next delivery, or its last one', () => {
  const ofMessages = rows.filter((row) => !ofRun(row));
  expect(new Set(ofMessages.map(({ state }) => state))).toContain('DELIVERED');
  expect(ofMessages.every(({ nextDeliveryTime }) => (nextDeliveryTime ?? 0) > 0)).toBe(true);
  expect(rows.filter(ofRun).some((row) => 'nextDeliveryTime' in row)).toBe(false);
});

it('the flat log redacts what a run redacts', async () => {
  stage.workflow.script = stage.tour('hidden');
  const id = await stage.workflow.trigger(
    { 'svc-redact-fields': 'body,header[X-Secret]', 'svc-forward-x-secret': 'hush' },
    'hush',
  );
  await stage.runOnce(id, isWaiting);
  const all = await stage.rows(`workflowRunId=${id}`);
  expect(JSON.stringify(all)).not.toContain('hush');
  expect(all.at(-2)?.stepInfo?.out).toBe(redacted('hush'));
});
