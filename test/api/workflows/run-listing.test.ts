import type { Clock } from '../../../src/engine/clock.js';
import { Engine } from '../../../src/engine/engine.js';
import { provided } from '../../../src/engine/provided.js';
import { runSchema } from '../../../src/workflows/logs/run-logs.openapi.js';
import type { RunObject } from '../../../src/workflows/logs/run-object.js';
import type {
  CancelRun,
  InvokeRun,
  RunCommand,
} from '../../../src/workflows/run-state/run.commands.js';
import { LoggedRunsStage, oneStepThen, type Runs } from '../../support/workflows/logged-runs.js';
import {
  runConfiguration,
  startRun,
  stepInfo,
  toRun,
} from '../../support/workflows/run-commands.js';

const hourMs = 3_600_000;

let stage: LoggedRunsStage;
/** A run that went through every kind of step, and the one that it invoked. */
let toured: RunObject;
let child: RunObject;

beforeAll(async () => {
  stage = await LoggedRunsStage.start('listed');
  const id = await stage.toured({ 'svc-label': 'blue,green', 'svc-retry-delay': '1' });
  toured = await stage.ended(id);
  child = await stage.ended(`${id}_child`);
});

afterAll(() => stage.end());

const messageId = expect.stringMatching(/^msg_/);
const time = expect.any(Number);

/** The newest page of runs, by either of its addresses. */
const idsOf = async (query: string) =>
  (await stage.runs(query)).map(({ workflowRunId }) => workflowRunId);

describe('the listing of runs', () => {
  it('shows a run with its id, its course and its result', () => {
    const { steps: _, ...run } = toured;
    expect(run).toEqual({
      workflowRunId: expect.stringMatching(/^wfr_/),
      workflowUrl: stage.workflow.url,
      workflowState: 'RUN_SUCCESS',
      state: 'succeeded',
      workflowRunCreatedAt: time,
      workflowRunCompletedAt: time,
      workflowRunCallerIp: '127.0.0.1',
      label: 'blue',
      labels: ['blue', 'green'],
      workflowRunResponse: '{"sum":2}',
    });
    expect(child.invoker).toEqual({
      workflowRunId: run.workflowRunId,
      workflowUrl: run.workflowUrl,
      workflowRunCreatedAt: run.workflowRunCreatedAt,
    });
    expect(runSchema().parse(toured)).toEqual(toured);
    expect(runSchema().parse(child)).toEqual(child);
  });

  it('shows all types of steps, each with its own fields', () => {
    const done = { messageId, state: 'STEP_SUCCESS', createdAt: time, retries: 0 };
    const text = Buffer.from('money').toString('base64');
    expect(toured.steps).toMatchObject([
      {
        type: 'sequential',
        steps: [{ ...done, stepName: 'init', stepType: 'Initial', out: '{"n":1}' }],
      },
      { type: 'sequential', steps: [{ ...done, stepId: 1, stepName: 'one', out: '"one"' }] },
      {
        type: 'sequential',
        steps: [
          {
            ...done,
            stepType: 'Call',
            callUrl: `${stage.third.url}/x`,
            callMethod: 'POST',
            callBody: 'B',
            callResponseStatus: 201,
            callResponseHeaders: { 'X-Made': ['yes'] },
            callResponseBody: 'made',
          },
        ],
      },
      {
        type: 'sequential',
        steps: [
          {
            ...done,
            stepType: 'Wait',
            waitEventId: 'paid',
            waitTimeoutDuration: '1h',
            waitTimeoutDeadline: time,
            waitTimeout: false,
            out: text,
          },
        ],
      },
      {
        type: 'sequential',
        steps: [
          {
            ...done,
            stepType: 'Invoke',
            invokedWorkflowRunId: child.workflowRunId,
            invokedWorkflowUrl: stage.workflow.url,
            invokedWorkflowCreatedAt: child.workflowRunCreatedAt,
            invokedWorkflowRunBody: 'child',
          },
        ],
      },
      {
        type: 'parallel',
        steps: [
          { ...done, stepId: 5, stepName: 'left', concurrent: 2, out: '"left"' },
          { ...done, stepId: 6, stepName: 'right', concurrent: 2, out: '"right"' },
        ],
      },
    ]);
    expect(toured.steps).toHaveLength(6);
  });

  it('shows why a run failed, which callback was called, and its dead letter', async () => {
    stage.workflow.script = async (delivery, workflow) =>
      delivery.role === 'failureCallback'
        ? { body: '{"result":"sorry"}' }
        : oneStepThen({ status: 500, body: 'boom' })(delivery, workflow);
    const id = await stage.workflow.trigger({
      'svc-failure-callback': stage.workflow.url,
      'svc-failure-callback-retries': '2',
    });
    const hasCalledBack = ({ failureFunction }: RunObject) =>
      failureFunction?.state === 'CALLBACK_SUCCESS';
    const run = await stage.runOnce(id, hasCalledBack);
    const error = { status: 500, error: 'the destination answered 500', body: 'boom', time };
    expect(run).toMatchObject({ workflowState: 'RUN_FAILED', workflowRunCompletedAt: time });
    expect(run.steps).toMatchObject([
      { type: 'sequential', steps: [{ stepName: 'init' }] },
      { type: 'sequential', steps: [{ stepName: 'one', state: 'STEP_SUCCESS' }] },
      { type: 'next', steps: [{ messageId, state: 'STEP_FAILED', errors: [error] }] },
    ]);
    expect(run.failureFunction).toMatchObject({
      messageId,
      url: stage.workflow.url,
      failStatus: 500,
      failResponse: 'boom',
      dlqId: run.dlqId,
      maxRetries: 2,
      responseStatus: 200,
      responseBody: '{"result":"sorry"}',
    });
    const letter = await stage.get(`/v2/workflows/dlq/${run.dlqId}`);
    expect(letter).toMatchObject({ status: 200, body: { workflowRunId: id } });
    expect(runSchema().parse(run)).toEqual(run);
  });

  it('shows in a resumed run what the failed run had done', async () => {
    stage.workflow.script = oneStepThen({ status: 500 });
    const failed = await stage.ended(await stage.workflow.trigger());
    stage.workflow.script = async ({ runId }, workflow) => {
      await workflow.end(runId, 'at last');
      return undefined;
    };
    const { body } = await stage.post(`/v2/workflows/dlq/resume/${failed.dlqId}`);
    const resumed = await stage.ended((body as { workflowRunId: string }).workflowRunId);
    expect(resumed.workflowRunId).not.toBe(failed.workflowRunId);
    expect(resumed).toMatchObject({
      workflowState: 'RUN_SUCCESS',
      workflowRunResponse: 'at last',
      steps: [
        { steps: [{ stepName: 'init', out: '{"n":1}' }] },
        { steps: [{ stepName: 'one', state: 'STEP_SUCCESS', out: '"one"' }] },
      ],
    });
    expect(resumed.workflowRunCreatedAt).toBeGreaterThanOrEqual(failed.workflowRunCreatedAt);
  });

  it('shows an active run, and that it was canceled', async () => {
    const id = await stage.workflow.trigger({ 'svc-delay': '1h' });
    const next = (state: string) => ({ type: 'next', steps: [{ messageId, state }] });
    const [run] = await stage.runs(`workflowRunId=${id}`);
    expect(run).toMatchObject({ workflowState: 'RUN_STARTED', state: 'sleeping' });
    expect(run).not.toHaveProperty('workflowRunCompletedAt');
    expect(run?.steps[1]).toMatchObject(next('STEP_PROGRESS'));
    await stage.cancel(id);
    const canceled = await stage.ended(id);
    expect(canceled).toMatchObject({ workflowState: 'RUN_CANCELED', state: 'canceled' });
    expect(canceled).toMatchObject({ workflowRunCompletedAt: time });
    expect(canceled.steps[1]).toMatchObject(next('STEP_CANCELED'));
  });
});

describe('a query of the listing of runs', () => {
  it('has two addresses', async () => {
    const query = `workflowRunId=${toured.workflowRunId}`;
    for (const path of ['events?groupBy=workflowRunId&', 'logs?groupBy=workflowRunId&', 'logs?']) {
      const { status, body } = await stage.get(`/v2/workflows/${path}${query}`);
      expect([path, status, body]).toEqual([path, 200, { runs: [toured] }]);
    }
  });

  it.each<[string, () => string]>([
    ['workflowRunId', () => toured.workflowRunId],
    ['workflowCreatedAt', () => String(toured.workflowRunCreatedAt)],
    ['workflowRuns', () => `${toured.workflowRunId}@${toured.workflowRunCreatedAt}`],
    ['label', () => 'green'],
    ['messageId', () => toured.steps[2]?.steps[0]?.messageId ?? ''],
  ])('finds one run by its %s', async (filter, value) => {
    const since = `fromDate=${toured.workflowRunCreatedAt}`;
    const query = `${filter}=${encodeURIComponent(value())}&${since}`;
    expect(await idsOf(query)).toContain(toured.workflowRunId);
    const none = { status: 200, body: { runs: [] } };
    const other = filter === 'workflowRuns' ? 'wfr_nobody@1' : '1234567';
    expect(await stage.get(`/v2/workflows/logs?${filter}=${other}`)).toEqual(
      expect.objectContaining(none),
    );
  });

  it('finds runs by their endpoint, their caller and their state', async () => {
    const all = await idsOf('count=10');
    expect(all.length).toBeGreaterThan(4);
    const url = encodeURIComponent(stage.workflow.url);
    for (const query of [
      `workflowUrl=${url}`,
      'host=127.0.0.1',
      'path=/listed',
      'callerIp=127.0.0.1',
    ])
      expect([query, await idsOf(query)]).toEqual([query, all]);
    for (const query of ['workflowUrl=http://a', 'host=a', 'path=/', 'flowControlKey=a'])
      expect([query, await idsOf(query)]).toEqual([query, []]);
    const states = await stage.runs('state=RUN_FAILED,RUN_CANCELED');
    expect(states.length).toBeGreaterThan(0);
    expect(new Set(states.map(({ workflowState }) => workflowState))).toEqual(
      new Set(['RUN_FAILED', 'RUN_CANCELED']),
    );
  });

  it('returns the newest runs first, page by page', async () => {
    const all = await stage.runs('');
    const starts = all.map(({ workflowRunCreatedAt }) => workflowRunCreatedAt);
    expect(starts).toEqual([...starts].sort((one, other) => other - one));
    expect(await stage.runs('order=earliestFirst')).toEqual([...all].reverse());
    const seen: RunObject[] = [];
    for (let cursor = ''; ; ) {
      const page = (await stage.get(`/v2/workflows/logs?count=2${cursor}`)).body as Runs;
      expect(page.runs.length).toBeLessThanOrEqual(2);
      seen.push(...page.runs);
      if (page.cursor === undefined) break;
      cursor = `&cursor=${page.cursor}`;
    }
    expect(seen).toEqual(all);
  });

  it('returns at most ten runs', async () => {
    for (let count = 0; count < 11; count += 1) {
      await stage.workflow.trigger({ 'svc-delay': '1h', 'svc-label': 'many' });
    }
    const { body } = await stage.get('/v2/workflows/logs?label=many&count=100');
    expect((body as Runs).runs).toHaveLength(10);
    expect(body).toHaveProperty('cursor');
  });

  it('finds a run that was taken over by its labels before and after, once', async () => {
    const later = { 'svc-delay': '1h' };
    const id = await stage.workflow.trigger({ ...later, 'svc-label': 'begun,both' });
    const [begun] = await stage.runs(`workflowRunId=${id}`);
    const own = { 'svc-workflow-trigger-by-sdk': 'true', 'svc-label': 'taken,both' };
    await stage.workflow.trigger({ ...own, 'svc-workflow-runid': id });
    for (const order of ['latestFirst', 'earliestFirst']) {
      for (const query of ['label=begun', 'label=taken', 'label=both', `workflowRunId=${id}`]) {
        expect([query, await idsOf(`${query}&order=${order}`)]).toEqual([query, [id]]);
      }
    }
    expect(await idsOf('label=begun,taken,both')).toEqual([id]);
    expect(await idsOf(`label=taken&fromDate=${begun?.workflowRunCreatedAt}`)).toEqual([id]);
    expect(await idsOf(`label=taken&toDate=${(begun?.workflowRunCreatedAt ?? 0) - 1}`)).toEqual([]);
    expect(await stage.runs('label=taken')).toMatchObject([{ labels: ['taken', 'both'] }]);
  });

  it('shows the right one of two runs with the same id for each invoking step', async () => {
    const { nest } = stage.server.application;
    const engine = nest.get(Engine);
    const now = nest.get<Clock>(provided.clock).now();
    const configuration = runConfiguration({ url: 'http://127.0.0.1:9/twice' });
    const ask = (command: RunCommand) => engine.dispatch([command]);
    const invoke = (id: number, at: number) => {
      const step = stepInfo(id, { type: 'Invoke' });
      const changes = { id: 'twice', messageId: `msg_twice_${id}`, at, notBefore: now + hourMs };
      const child = startRun({ configuration, payload: Buffer.from(`${id}`), ...changes });
      return ask(toRun<InvokeRun>({ type: 'InvokeRun', id: 'wfr_twice', at, step, child }));
    };
    await ask(startRun({ id: 'wfr_twice', configuration, at: now - hourMs }));
    await invoke(1, now - hourMs);
    await ask(toRun<CancelRun>({ type: 'CancelRun', id: 'twice', at: now }));
    await invoke(2, now);
    const [run] = await stage.runs('workflowRunId=wfr_twice');
    const invoked = run?.steps.flatMap(({ type, steps }) => (type === 'next' ? [] : steps));
    expect(invoked?.slice(1)).toMatchObject([
      { invokedWorkflowRunBody: '1', invokedWorkflowCreatedAt: now - hourMs },
      { invokedWorkflowRunBody: '2', invokedWorkflowCreatedAt: now },
    ]);
  });

  it('returns the requested length of texts', async () => {
    const query = `workflowRunId=${toured.workflowRunId}&trimBody`;
    const [cut] = await stage.runs(`${query}=3`);
    expect(cut).toMatchObject({ workflowRunResponse: '{"s' });
    expect(cut?.steps[0]).toMatchObject({ steps: [{ out: '{"n' }] });
    const [none] = await stage.runs(`${query}=-1`);
    expect(JSON.stringify(none)).not.toMatch(/"(out|callBody|workflowRunResponse)"/);
  });

  it.each([
    ['groupBy=messageId', 'groupBy'],
    ['groupBy=workflowRunId&cursor=somewhere', 'cursor'],
    ['groupBy=workflowRunId&state=STARTED', 'state'],
    ['groupBy=workflowRunId&state=DELIVERED', 'state'],
    ['groupBy=workflowRunId&labeel=x', 'labeel'],
    ['groupBy=workflowRunId&count=0', 'count'],
  ])('is refused if it is %s', async (query, name) => {
    const refused = { status: 400, body: { error: expect.stringContaining(name) } };
    expect(await stage.get(`/v2/workflows/events?${query}`)).toMatchObject(refused);
    expect(await stage.get(`/v2/workflows/logs?${query}`)).toMatchObject(refused);
  });
});
