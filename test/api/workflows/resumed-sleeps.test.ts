import type { RunObject } from '../../../src/workflows/logs/run-object.js';
import { callApi } from '../../support/clients/api-call.js';
import { ManualClock } from '../../support/manual-clock.js';
import {
  boom,
  FailedRunStage,
  planOf,
  resultsOf,
  stepOf,
} from '../../support/workflows/failed-run-stage.js';
import type { WorkflowScript } from '../../support/workflows/scripted-workflow.js';

const minute = 60_000;
const hour = 60 * minute;

let clock: ManualClock;
let stage: FailedRunStage;

beforeEach(async () => {
  clock = new ManualClock();
  stage = await FailedRunStage.start('sleepers', { clock });
});

afterEach(() => stage.end());

const asleep = { 'svc-delay': '1h' };

/** When the pending messages of a run are due. */
async function wakesAt(runId: string): Promise<readonly number[]> {
  const path = `/v2/workflows/logs?workflowRunId=${runId}`;
  const { body } = await callApi(stage.server, 'GET', path);
  const [run] = (body as { runs: readonly RunObject[] }).runs;
  const times = new Set<number>();
  for (const { steps } of run?.steps ?? []) {
    for (const { nextDeliveryTime } of steps) {
      if (nextDeliveryTime !== undefined) times.add(nextDeliveryTime);
    }
  }
  return [...times];
}

/** Whether a delivery of a run is unanswered: it would time out once the clock has moved. */
async function isAsked(runId: string): Promise<boolean> {
  const path = `/v2/messages?state=ACTIVE&workflowRunId=${runId}`;
  const { body } = await callApi(stage.server, 'GET', path);
  return (body as { messages: readonly unknown[] }).messages.length > 0;
}

/** Resolves when a run does nothing but sleep until the given time. */
async function sleeps(runId: string, until: number): Promise<void> {
  for (;;) {
    const [at, ...others] = await wakesAt(runId);
    if (at === until && others.length === 0 && !(await isAsked(runId))) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Sleeps for an hour and then does a step; `answer` is the answer to the first delivery. */
const sleepFirst: WorkflowScript = async ({ runId, steps }, workflow) => {
  if (steps.length === 0) {
    await workflow.submit(runId, [stepOf(1, 'sleep', { stepType: 'SleepFor' })], asleep);
    return stage.broken.has('answer') ? boom : undefined;
  }
  return stage.sequence('sleep', 'after')({ ...delivered, runId, steps }, workflow);
};
const delivered = { role: 'step' } as Parameters<WorkflowScript>[0];

/** A step and a sleep of an hour in parallel. */
const sleepBeside: WorkflowScript = async ({ runId, steps }, workflow) => {
  const last = steps.at(-1);
  const sleep = { stepType: 'SleepFor', concurrent: 2 };
  if (last === undefined) {
    await workflow.submit(runId, [planOf(2, 'sleep', sleep)], asleep);
    await workflow.submit(runId, [planOf(1, 'beside')]);
  } else if (last.targetStep === 1) {
    if (stage.broken.has('beside')) return boom;
    await workflow.submit(runId, [stepOf(1, 'beside', { concurrent: 2 })]);
  } else if (last.targetStep === 2) {
    await workflow.submit(runId, [stepOf(2, 'sleep', sleep)]);
  } else if (resultsOf(steps).length === 2) {
    await workflow.end(runId, 'done');
  }
  return undefined;
};

/** Makes a run fail while it sleeps, and repairs it; the hour begins now. */
async function failAsleep(script: WorkflowScript, broken: string): Promise<string> {
  stage.workflow.script = script;
  stage.broken.add(broken);
  const { dlqId, workflowRunId } = await stage.fail();
  stage.broken.clear();
  expect(await wakesAt(workflowRunId)).toEqual([]);
  return dlqId;
}

describe('a run that had slept when it failed', () => {
  it('does not sleep again', async () => {
    stage.workflow.script = sleepFirst;
    stage.broken.add('after');
    const begun = await stage.workflow.trigger();
    await sleeps(begun, clock.now() + hour);
    expect(stage.delivered(begun)).toEqual([[]]);
    clock.advance(hour);
    const { dlqId } = await stage.letterOf(begun);
    stage.broken.clear();
    const runId = await stage.revive('resume', dlqId);
    await stage.ended(runId);
    expect(stage.delivered(runId)).toEqual([['sleep'], ['sleep', 'after']]);
  });
});

describe('a run that failed while it slept', () => {
  it.each([
    ['after its endpoint had said so, though not answered', sleepFirst, 'answer', ['sleep']],
    ['in a branch', sleepBeside, 'beside', ['plan sleep', 'plan beside', 'beside', 'sleep']],
  ])('%s wakes at its original time, and only once', async (_name, script, broken, delivered) => {
    const wakes = clock.now() + hour;
    const dlqId = await failAsleep(script, broken);
    clock.advance(10 * minute);
    const runId = await stage.revive('resume', dlqId);
    await sleeps(runId, wakes);
    await stage.restart();
    await sleeps(runId, wakes);
    const before = stage.delivered(runId).length;
    clock.advance(50 * minute);
    await stage.ended(runId);
    const since = stage.delivered(runId).slice(before);
    expect(since[0]?.at(-1)).toMatch(/sleep/);
    expect(since.at(-1)).toEqual(script === sleepFirst ? [...delivered, 'after'] : delivered);
    const woken = stage
      .delivered(runId)
      .filter((steps) => /^(plan )?sleep$/.test(steps.at(-1) ?? ''));
    expect(woken.length).toBe(script === sleepFirst ? 1 : 2);
  });

  it.each([
    ['after its endpoint had said so', sleepFirst, 'answer'],
    ['in a branch', sleepBeside, 'beside'],
  ])('%s continues at once if its original time has passed', async (_name, script, broken) => {
    const dlqId = await failAsleep(script, broken);
    clock.advance(2 * hour);
    const runId = await stage.revive('resume', dlqId);
    await stage.ended(runId);
    expect(stage.delivered(runId).filter((steps) => steps.at(-1) === 'sleep').length).toBe(1);
  });

  it('sleeps longer if the resume says so', async () => {
    const dlqId = await failAsleep(sleepFirst, 'answer');
    const runId = await stage.revive('resume', dlqId, { 'svc-delay': '3h' });
    expect(await wakesAt(runId)).toContain(clock.now() + 3 * hour);
    clock.advance(3 * hour);
    await stage.ended(runId);
  });

  it('sleeps again if it is restarted', async () => {
    const dlqId = await failAsleep(sleepFirst, 'answer');
    clock.advance(10 * minute);
    const runId = await stage.revive('restart', dlqId);
    await sleeps(runId, clock.now() + hour);
    clock.advance(hour);
    await stage.ended(runId);
    expect(stage.delivered(runId)).toEqual([[], ['sleep'], ['sleep', 'after']]);
  });
});
