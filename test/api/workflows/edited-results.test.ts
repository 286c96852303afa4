import { callApi } from '../../support/clients/api-call.js';
import {
  FailedRunStage,
  type RunReference,
  stepOf,
} from '../../support/workflows/failed-run-stage.js';

let stage: FailedRunStage;

beforeAll(async () => {
  stage = await FailedRunStage.start('edited');
});

beforeEach(() => stage.clear(stage.sequence('one', 'two', 'three')));

afterAll(() => stage.end());

/** A run that failed at its third step, which is repaired afterwards. */
async function failed(headers: Readonly<Record<string, string>> = {}) {
  stage.broken.add('three');
  const entry = await stage.fail(headers);
  stage.broken.clear();
  return entry;
}

const resume = (dlqId: string, body: unknown, headers = {}) =>
  stage.api('POST', `/resume/${dlqId}`, headers, JSON.stringify(body));

async function resumed(dlqId: string, steps: readonly object[]): Promise<string> {
  const { status, body } = await resume(dlqId, { steps });
  expect([status, body]).toEqual([200, expect.anything()]);
  return (body as RunReference).workflowRunId;
}

/** The results that the endpoint got, delivery by delivery. */
const resultsOf = (runId: string) =>
  stage.workflow
    .deliveriesOf(runId, 'step')
    .map(({ steps }) => Object.fromEntries(steps.map(({ stepName, out }) => [stepName, out])));

interface Shown {
  readonly steps: readonly {
    readonly steps: readonly { stepName?: string; out?: string; editedAt?: number }[];
  }[];
}

/** The steps of a run in the listing. */
async function shown(runId: string) {
  const path = `/v2/workflows/logs?workflowRunId=${runId}`;
  const response = await fetch(`${stage.server.url}${path}`, {
    headers: { authorization: stage.server.bearer },
  });
  const { runs } = (await response.json()) as { runs: readonly Shown[] };
  return runs[0]?.steps.flatMap(({ steps }) => steps) ?? [];
}

/** The events of replaced results in the journal, each with the client that requested it. */
async function editsOf(runId: string) {
  const path = `/admin/journal?stream=run/${runId}&type=StepEdited&count=100`;
  const headers = { authorization: stage.server.basic };
  const { body } = await callApi(stage.server, 'GET', path, headers);
  const lines = String(body).trim().split('\n');
  return lines.map(
    (line) => JSON.parse(line) as { type: string; by: { name: string }; bodyLength: number },
  );
}

describe('a run that is resumed with other results', () => {
  it('delivers them in place of the old ones, and reports that', async () => {
    const old = await failed();
    const before = Date.now();
    const runId = await resumed(old.dlqId, [
      { stepId: 1, out: { total: 12 } },
      { stepId: 2, out: null },
    ]);
    await stage.ended(runId);
    const edited = { one: '{"total":12}', two: 'null' };
    expect(resultsOf(runId)).toEqual([edited, { ...edited, three: '"three is done"' }]);
    expect(stage.delivered(runId)).toEqual([
      ['one', 'two'],
      ['one', 'two', 'three'],
    ]);
    const steps = await shown(runId);
    expect(steps.map(({ stepName }) => stepName)).toEqual(['init', 'one', 'two', 'three']);
    const [, one, two, three] = steps;
    expect([one?.out, two?.out, three?.out]).toEqual(['{"total":12}', 'null', '"three is done"']);
    expect(one?.editedAt).toBeGreaterThanOrEqual(before);
    expect([two?.editedAt, three?.editedAt]).toEqual([one?.editedAt, undefined]);
    // The results of the failed run are unchanged.
    const [, first] = await shown(old.workflowRunId);
    expect([first?.out, first?.editedAt]).toEqual(['"one is done"', undefined]);
    expect(await editsOf(runId)).toMatchObject(
      [1, 2].map(() => ({
        type: 'StepEdited',
        by: { name: 'env:1' },
        bodyLength: expect.any(Number),
      })),
    );
  });

  it('shows them for the message that delivers them, and after a restart', async () => {
    const old = await failed();
    stage.broken.add('three');
    const runId = await resumed(old.dlqId, [{ stepId: 2, out: 'mended' }]);
    const again = await stage.letterOf(runId);
    await stage.restart();
    const path = `/v2/workflows/messageLogs?workflowRunId=${runId}`;
    const response = await fetch(`${stage.server.url}${path}`, {
      headers: { authorization: stage.server.bearer },
    });
    const { events } = (await response.json()) as {
      events: { stepInfo?: { stepName: string; out?: string } }[];
    };
    const outs = events.filter(({ stepInfo }) => stepInfo?.stepName === 'two');
    expect(outs.length).toBeGreaterThan(0);
    for (const { stepInfo } of outs) expect(stepInfo?.out).toBe('"mended"');
    // Edited results are inherited, and may be edited again.
    stage.broken.clear();
    const last = await resumed(again.dlqId, [{ stepId: 1, out: [1] }]);
    await stage.ended(last);
    const edited = { one: '[1]', two: '"mended"' };
    expect(resultsOf(last)).toEqual([edited, { ...edited, three: '"three is done"' }]);
    const steps = await shown(last);
    expect(steps.map(({ stepName }) => stepName)).toEqual(['init', 'one', 'two', 'three']);
    expect(steps.map(({ editedAt }) => editedAt !== undefined)).toEqual([false, true, true, false]);
  });

  it('delivers them as they came, so that long numbers keep their digits', async () => {
    const { dlqId } = await failed();
    const body = '{"steps": [{"out": {"id": 9007199254740993, "at": 1.0 }, "stepId": 2}]}';
    const answer = await stage.api('POST', `/resume/${dlqId}`, {}, body);
    const { workflowRunId } = answer.body as RunReference;
    await stage.ended(workflowRunId);
    expect(resultsOf(workflowRunId)[0]).toEqual({
      one: '"one is done"',
      two: '{"id": 9007199254740993, "at": 1.0 }',
    });
  });

  it('replaces those of parallel steps', async () => {
    stage.workflow.script = stage.parallel('left', 'right');
    stage.broken.add('right');
    const old = await stage.fail();
    stage.broken.clear();
    const runId = await resumed(old.dlqId, [{ stepId: 1, out: 7 }]);
    await stage.ended(runId);
    expect(resultsOf(runId).at(-1)).toMatchObject({ left: '7', right: '"right is done"' });
  });

  it.each([
    [{ steps: [{ stepId: 9, out: 1 }] }, 'steps: the run has no result of step 9'],
    [{ steps: [{ stepId: 3, out: 1 }] }, 'steps: the run has no result of step 3'],
    [{ steps: [1, 1].map((stepId) => ({ stepId, out: 1 })) }, 'steps: step 1 is given twice'],
    [{ steps: [{ stepId: 1 }] }, 'out'],
    [{ steps: [{ stepId: 0, out: 1 }] }, 'stepId'],
    [{ step: [] }, 'step'],
    [[], 'object'],
  ])('is refused if %j names no result, and the failed run stays', async (body, words) => {
    const { dlqId } = await failed();
    const answer = await resume(dlqId, body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(words) }]);
    expect((await stage.api('GET', `/${dlqId}`)).status).toBe(200);
  });

  it('is refused if the step is of another type', async () => {
    stage.workflow.script = async ({ role, runId, steps }) => {
      if (role !== 'step') return undefined;
      if (steps.length > 0) return { status: 500 };
      const sleeping = stepOf(1, 'nap', { stepType: 'SleepFor', sleepFor: 0 } as object);
      await stage.workflow.submit(runId, [sleeping]);
      return undefined;
    };
    const { dlqId } = await stage.fail();
    const answer = await resume(dlqId, { steps: [{ stepId: 1, out: 1 }] });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'steps: step 1 is a SleepFor: only results of Run are replaced' },
    ]);
  });
});
