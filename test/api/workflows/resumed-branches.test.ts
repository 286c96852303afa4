import { callApi } from '../../support/clients/api-call.js';
import {
  RecordingEndpoint,
  type ScriptedAnswer,
} from '../../support/clients/recording-endpoint.js';
import {
  FailedRunStage,
  planOf,
  type RunReference,
  resultsOf,
  stepOf,
} from '../../support/workflows/failed-run-stage.js';
import type { Step, WorkflowScript } from '../../support/workflows/scripted-workflow.js';
import { askToWait } from '../../support/workflows/waiting-runs.js';

let stage: FailedRunStage;
let thirdParty: RecordingEndpoint;
/** An answer that does not come during the test. */
let held: Promise<ScriptedAnswer>;
let release: () => void;

beforeAll(async () => {
  stage = await FailedRunStage.start('branches');
});

beforeEach(async () => {
  thirdParty = await RecordingEndpoint.start();
  held = new Promise((resolve) => {
    release = () => resolve({});
  });
  await stage.clear(stage.sequence());
});

afterEach(() => {
  release();
  return thirdParty.stop();
});

afterAll(() => stage.end());

const done = (runId: string, name: string) =>
  stage.delivered(runId).some((steps) => steps.at(-1) === name);
const typesOf = (steps: readonly Step[]) => resultsOf(steps).map(({ stepType }) => stepType);

/** Two branches: one does `other`, the other fails as soon as `isTime`, if it is broken. */
function besideFailure(
  other: (runId: string) => Promise<unknown>,
  isTime: (runId: string) => boolean | Promise<boolean>,
): WorkflowScript {
  const { workflow } = stage;
  return async ({ role, runId, steps, payload }) => {
    if (role !== 'step' || payload === 'child') return undefined;
    const last = steps.at(-1);
    if (last === undefined) {
      await workflow.submit(runId, [planOf(1, 'fails'), planOf(2, 'other')]);
    } else if (last.targetStep === 2) {
      await other(runId);
    } else if (last.targetStep === 1) {
      if (stage.broken.has('fails')) {
        while (!(await isTime(runId))) await new Promise((resolve) => setTimeout(resolve, 5));
        return { status: 500 };
      }
      await workflow.submit(runId, [stepOf(1, 'fails', { concurrent: 2 })]);
    } else if (resultsOf(steps).length === 2) {
      await workflow.end(runId, 'done');
    }
    return undefined;
  };
}

describe('a parallel step of which one branch failed', () => {
  it('keeps the results of the others, and runs only that branch', async () => {
    stage.broken.add('two');
    const script = stage.parallel('one', 'two', 'three');
    stage.workflow.script = async (delivery, workflow) => {
      const isBroken = stage.broken.has('two') && delivery.steps.at(-1)?.targetStep === 2;
      const { runId } = delivery;
      if (isBroken) await stage.until(() => done(runId, 'one') && done(runId, 'three'));
      return script(delivery, workflow);
    };
    const { dlqId } = await stage.fail();
    stage.broken.clear();
    const runId = await stage.revive('resume', dlqId);
    await stage.ended(runId);
    const [plan, result] = stage.delivered(runId);
    expect(plan).toEqual(['plan one', 'plan two']);
    expect(result?.toSorted()).toEqual(
      ['plan one', 'plan two', 'plan three', 'one', 'two', 'three'].toSorted(),
    );
    expect(result?.at(-1)).toBe('two');
    expect(stage.delivered(runId)).toHaveLength(2);
  });

  it('also runs the branches that had not been answered', async () => {
    const script = stage.parallel('one', 'two', 'three');
    stage.broken.add('two');
    stage.workflow.script = (delivery, workflow) => {
      const target = delivery.steps.at(-1)?.targetStep;
      const isHeld = stage.broken.has('two') && target !== undefined && target !== 2;
      return isHeld ? held : script(delivery, workflow);
    };
    const { dlqId } = await stage.fail({ 'svc-timeout': '30s' });
    stage.broken.clear();
    const runId = await stage.revive('resume', dlqId);
    await stage.ended(runId);
    const plans = stage.delivered(runId).flatMap((steps) => {
      const last = steps.at(-1) ?? '';
      return last.startsWith('plan') ? [last] : [];
    });
    expect(plans.toSorted()).toEqual(['plan one', 'plan three', 'plan two']);
    expect(stage.delivered(runId)).toHaveLength(6);
  });

  it('runs again a branch that was answered but never had a result', async () => {
    const script = stage.parallel('one', 'two', 'three');
    stage.workflow.script = (delivery, workflow) =>
      delivery.steps.at(-1)?.targetStep === 2 ? undefined : script(delivery, workflow);
    const { dlqId, error } = await stage.fail();
    expect(error).toMatch(/none of them submitted a next step/);
    stage.workflow.script = script;
    const runId = await stage.revive('resume', dlqId);
    await stage.ended(runId);
    expect(stage.delivered(runId).map((steps) => steps.at(-1))).toEqual(['plan two', 'two']);
  });
});

describe('when a branch failed', () => {
  const call = { stepId: 2, stepName: 'other', stepType: 'Call', concurrent: 2 };

  it('a call without an answer is made again', async () => {
    thirdParty.answer((_request, count) => (count === 0 ? held : { body: 'answered' }));
    const script = besideFailure(
      (runId) => stage.workflow.call(runId, call, thirdParty.url),
      () => thirdParty.requests.length === 1,
    );
    stage.workflow.script = answeringCalls(script);
    stage.broken.add('fails');
    const { dlqId } = await stage.fail();
    stage.broken.clear();
    const runId = await stage.revive('resume', dlqId, { 'svc-retries': '2' });
    await stage.ended(runId);
    expect(thirdParty.requests.map(({ body }) => body.toString())).toEqual(['B', 'B']);
    const last = stage.workflow.deliveriesOf(runId, 'step').at(-1);
    expect(typesOf(last?.steps ?? []).toSorted()).toEqual(['Call', 'Run']);
  });

  it('the answer to a call that the endpoint had not accepted is delivered again', async () => {
    thirdParty.answer(() => ({ body: 'answered' }));
    const script = answeringCalls(
      besideFailure(
        (runId) => stage.workflow.call(runId, call, thirdParty.url),
        (runId) => stage.workflow.deliveriesOf(runId, 'callResult').length === 1,
      ),
    );
    stage.workflow.script = (delivery, workflow) =>
      stage.broken.has('fails') && delivery.role === 'callResult'
        ? held
        : script(delivery, workflow);
    stage.broken.add('fails');
    const { dlqId } = await stage.fail();
    stage.broken.clear();
    const runId = await stage.revive('resume', dlqId);
    await stage.ended(runId);
    expect(thirdParty.requests).toHaveLength(1);
    const [result] = stage.workflow.deliveriesOf(runId, 'callResult');
    const answer = JSON.parse(String(result?.request.body)) as { status: number; body: string };
    expect(answer.status).toBe(200);
    expect(Buffer.from(answer.body, 'base64').toString()).toBe('answered');
  });

  it('a wait stays open, and gets the event', async () => {
    const waiters = async (eventId: string) =>
      (await callApi(stage.server, 'GET', `/v2/waiters/${eventId}`)).body as unknown[];
    stage.workflow.script = besideFailure(
      (runId) =>
        askToWait(stage.server, runId, 'paid', 2, {
          url: stage.workflow.url,
          step: { stepId: 2, stepName: 'other', stepType: 'Wait', concurrent: 2 },
        }),
      async () => (await waiters('paid')).length === 1,
    );
    stage.broken.add('fails');
    const { dlqId } = await stage.fail();
    expect(await waiters('paid')).toEqual([]);
    stage.broken.clear();
    const runId = await stage.revive('resume', dlqId);
    expect(await waiters('paid')).toHaveLength(1);
    await stage.until(() => done(runId, 'fails'));
    await stage.restart();
    const { body } = await callApi(stage.server, 'POST', '/v2/notify/paid', {}, '{"sum":1}');
    expect(body).toMatchObject([{ workflowRunId: runId }]);
    await stage.ended(runId);
    const last = stage.workflow.deliveriesOf(runId, 'step').at(-1);
    expect(typesOf(last?.steps ?? []).toSorted()).toEqual(['Run', 'Wait']);
  });
});

describe('a run that was invoked by one that failed', () => {
  const step = { stepId: 2, stepName: 'other', stepType: 'Invoke', concurrent: 2 };
  let children = 0;

  /** A parent that failed while its child was active, and the child's id. */
  async function failedParent() {
    children += 1;
    const childId = `child ${children}`;
    stage.workflow.script = besideFailure(
      (runId) => stage.workflow.invoke(runId, step, childId),
      async () => (await stage.runStatus(childId)) === 200,
    );
    // The endpoint leaves the child unanswered, so that a test can end it.
    const script = stage.workflow.script;
    stage.workflow.script = (delivery, workflow) =>
      delivery.runId === childId ? held : script(delivery, workflow);
    stage.broken.add('fails');
    const { dlqId } = await stage.fail();
    stage.broken.clear();
    return { dlqId, childId };
  }

  const outcomeOf = (runId: string) => {
    const { steps = [] } = stage.workflow.deliveriesOf(runId, 'step').at(-1) ?? {};
    const invoked = resultsOf(steps).find(({ stepType }) => stepType === 'Invoke');
    return JSON.parse(invoked?.out ?? 'null') as unknown;
  };

  it('reports its end to the run that continues in its place', async () => {
    const { dlqId, childId } = await failedParent();
    const runId = await stage.revive('resume', dlqId);
    await stage.until(() => done(runId, 'fails'));
    await stage.workflow.end(childId, 'of the child');
    await stage.ended(runId);
    expect(outcomeOf(runId)).toMatchObject({ workflowRunId: childId, body: 'of the child' });
  });

  it('reports its end to the continuing run even if it had ended before', async () => {
    const { dlqId, childId } = await failedParent();
    await stage.workflow.end(childId, 'too early');
    release();
    await stage.restart();
    const runId = await stage.revive('resume', dlqId);
    await stage.ended(runId);
    expect(outcomeOf(runId)).toMatchObject({ workflowRunId: childId, body: 'too early' });
  });

  it('reports its end to one run, however many resumes come at the same time', async () => {
    const { dlqId, childId } = await failedParent();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => stage.api('POST', `/resume/${dlqId}`)),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
    const body = answers.find(({ status }) => status === 200)?.body as RunReference;
    await stage.until(() => done(body.workflowRunId, 'fails'));
    await stage.workflow.end(childId, 'of the child');
    await stage.ended(body.workflowRunId);
    expect(outcomeOf(body.workflowRunId)).toMatchObject({ body: 'of the child' });
  });
});

/** Submits the result of a call, as SDKs do when they get its answer. */
function answeringCalls(script: WorkflowScript): WorkflowScript {
  return async (delivery, workflow) => {
    if (delivery.role !== 'callResult') return script(delivery, workflow);
    const result = stepOf(2, 'other', { stepType: 'Call', concurrent: 2 });
    await workflow.submit(delivery.runId, [result]);
    return undefined;
  };
}
