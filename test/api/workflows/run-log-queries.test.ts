import type { RunLogRow } from '../../../src/workflows/logs/run-log-row.js';
import { LoggedRunsStage } from '../../support/workflows/logged-runs.js';

let stage: LoggedRunsStage;
/** A run that went through every kind of step. */
let toured: string;
let rows: readonly RunLogRow[];

beforeAll(async () => {
  stage = await LoggedRunsStage.start('logged');
  toured = await stage.toured({
    'svc-label': 'blue,green',
    'svc-flow-control-key': 'k',
    'svc-flow-control-value': 'parallelism=5',
  });
  rows = await stage.rows(`workflowRunId=${toured}`);
});

afterAll(() => stage.end());

const ofStepOne = () => rows.filter(({ stepInfo }) => stepInfo?.stepName === 'one');

describe('a query of the flat log', () => {
  /** The number of rows of the run among the found ones. */
  const found = async (query: string) =>
    (await stage.rows(query)).filter(({ workflowRunId }) => workflowRunId === toured).length;

  it.each<[string, () => string, () => string]>([
    ['workflowUrl', () => stage.workflow.url, () => `${stage.workflow.url}/else`],
    ['host', () => '127.0.0.1', () => 'elsewhere'],
    ['path', () => '/logged', () => '/'],
    ['workflowCreatedAt', () => String(rows[0]?.workflowCreatedAt), () => '1'],
    ['workflowRuns', () => `${toured}@${rows[0]?.workflowCreatedAt}`, () => `${toured}@1`],
    ['callerIp', () => '127.0.0.1', () => '10.0.0.1'],
  ])('finds every row of a run by its %s', async (filter, selected, other) => {
    expect(await found(`${filter}=${encodeURIComponent(selected())}`)).toBe(rows.length);
    expect(await found(`${filter}=${encodeURIComponent(other())}`)).toBe(0);
  });

  it('finds rows by a label and a flow-control key', async () => {
    const labeled = rows.filter(({ label }) => label === 'blue').length;
    expect(labeled).toBeGreaterThan(0);
    expect(await found('label=green')).toBe(labeled);
    expect(await found('label=green&label=red')).toBe(labeled);
    expect(await found('label=red')).toBe(0);
    expect(await found('flowControlKey=k')).toBeGreaterThan(0);
    expect(await found('flowControlKey=other')).toBe(0);
  });

  it('finds rows of a run that was taken over by the labels that they show', async () => {
    const later = { 'svc-delay': '1h', 'svc-label': 'begun' };
    const id = await stage.workflow.trigger(later);
    stage.workflow.script = async (_delivery, workflow) => {
      await workflow.end(id, 'secret');
      return undefined;
    };
    const own = { 'svc-workflow-trigger-by-sdk': 'true', 'svc-label': 'taken' };
    await stage.workflow.trigger({ ...own, 'svc-workflow-runid': id, 'svc-redact-fields': 'body' });
    await stage.ended(id);
    const all = await stage.rows(`workflowRunId=${id}`);
    for (const label of ['begun', 'taken']) {
      for (const order of ['latestFirst', 'earliestFirst']) {
        const rowsFound = await stage.rows(`label=${label}&order=${order}`);
        const shown = all.filter((row) => row.label === label);
        expect([label, rowsFound]).toEqual([
          label,
          order === 'latestFirst' ? shown : [...shown].reverse(),
        ]);
      }
    }
    const [started, ended] = ['RUN_STARTED', 'RUN_SUCCESS'].map((state) =>
      all.find((row) => row.state === state),
    );
    expect([started?.label, ended?.label]).toEqual(['begun', 'taken']);
    expect(ended?.workflowRunResponse).toMatch(/^REDACTED/);
  });

  it('finds rows by state, of runs and of messages, in either spelling', async () => {
    const count = (state: string) => rows.filter((row) => row.state === state).length;
    for (const state of ['RUN_SUCCESS', 'WAITER_ADDED', 'INVOKED', 'CREATED', 'DELIVERED']) {
      expect([state, await found(`state=${state}`)]).toEqual([state, count(state)]);
    }
    expect(await found('state=RUN_STARTED&state=RUN_SUCCESS')).toBe(2);
    expect(await found('state=CANCELLED')).toBe(count('CANCELED'));
    expect(await found('state=IN_PROGRESS')).toBe(count('ACTIVE'));
  });

  it('finds only the rows of one message', async () => {
    const messageId = ofStepOne()[0]?.stepInfo?.messageId ?? '';
    expect(await stage.rows(`messageId=${messageId}`)).toEqual(ofStepOne());
    expect(await stage.rows('messageId=msg_nobody')).toEqual([]);
    expect(await stage.rows('workflowRunId=wfr_nobody')).toEqual([]);
  });

  it('applies dates to the times of rows, both inclusive', async () => {
    const time = ofStepOne()[0]?.time ?? 0;
    const then = rows.filter((row) => row.time === time);
    expect(await found(`fromDate=${time}&toDate=${time}`)).toBe(then.length);
    const later = rows.filter((row) => row.time > time);
    expect(await found(`fromDate=${time + 1}`)).toBe(later.length);
  });

  it('shows the requested length of texts', async () => {
    const query = `workflowRunId=${toured}&state=RUN_SUCCESS&trimBody`;
    expect(await stage.rows(`${query}=3`)).toMatchObject([{ workflowRunResponse: '{"s' }]);
    const [none] = await stage.rows(`${query}=-1`);
    expect(none).not.toHaveProperty('workflowRunResponse');
  });

  it.each([
    ['labeel=x', 'labeel'],
    ['count=0', 'count'],
    ['count=many', 'count'],
    ['cursor=somewhere', 'cursor'],
    ['state=DONE', 'state'],
    ['order=sideways', 'order'],
    ['workflowCreatedAt=yesterday', 'workflowCreatedAt'],
    ['workflowRuns=wfr_1', 'workflowRuns'],
    ['trimBody=-2', 'trimBody'],
    ['fromDate=1&fromDate=2', 'fromDate'],
    ['label=', 'label'],
  ])('is refused if it is %s', async (query, name) => {
    const refused = { status: 400, body: { error: expect.stringContaining(name) } };
    expect(await stage.get(`/v2/workflows/messageLogs?${query}`)).toMatchObject(refused);
    expect(await stage.get(`/v2/workflows/events?${query}`)).toMatchObject(refused);
  });
});
