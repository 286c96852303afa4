import { callApi } from '../../support/clients/api-call.js';
import {
  FailedRunStage,
  type Revived,
  type RunReference,
} from '../../support/workflows/failed-run-stage.js';

let stage: FailedRunStage;

beforeAll(async () => {
  stage = await FailedRunStage.start('revived');
});

beforeEach(() => stage.clear(stage.sequence('one', 'two', 'three')));

afterAll(() => stage.end());

/** A run that failed at its second step, which is repaired afterwards. */
async function failed(headers: Readonly<Record<string, string>> = {}, body?: string) {
  stage.broken.add('two');
  const entry = await stage.fail(headers, body);
  stage.broken.clear();
  return entry;
}

const deliveriesOf = (runId: string) => stage.workflow.deliveriesOf(runId, 'step');

describe('a run that is resumed', () => {
  it('continues where it failed, with its old configuration, and leaves no letter', async () => {
    const old = await failed({ 'svc-forward-x-tenant': 'acme' }, '{"n":2}');
    const before = Date.now();
    const { status, body } = await stage.api('POST', `/resume/${old.dlqId}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      workflowRunId: expect.stringMatching(/^wfr_/),
      workflowCreatedAt: expect.any(Number),
    });
    const { workflowRunId, workflowCreatedAt } = body as RunReference;
    expect(workflowCreatedAt).toBeGreaterThanOrEqual(before);
    expect(workflowRunId).not.toBe(old.workflowRunId);
    await stage.ended(workflowRunId);
    expect(stage.delivered(workflowRunId)).toEqual([
      ['one'],
      ['one', 'two'],
      ['one', 'two', 'three'],
    ]);
    const [first] = deliveriesOf(workflowRunId);
    expect(first?.payload).toBe('{"n":2}');
    expect(first?.retried).toBe(0);
    expect(first?.request.headers).toMatchObject({ 'x-tenant': 'acme' });
    expect(first?.entryIds.at(-1)).toBe(first?.messageId);
    const delivered = deliveriesOf(old.workflowRunId).map(({ messageId }) => messageId);
    expect(delivered).not.toContain(first?.messageId);
    expect((await stage.api('GET', `/${old.dlqId}`)).status).toBe(404);
    expect(await stage.list()).toEqual({ messages: [] });
  });

  it('continues by the other spelling of the path', async () => {
    const { dlqId } = await failed();
    const { status, body } = await callApi(stage.server, 'POST', `/v2/dlq/resume/${dlqId}`);
    expect(status).toBe(200);
    await stage.ended((body as RunReference).workflowRunId);
  });

  it('starts at the beginning if nothing was finished', async () => {
    stage.broken.add('one');
    const { dlqId } = await stage.fail();
    stage.broken.clear();
    const runId = await stage.revive('resume', dlqId);
    await stage.ended(runId);
    expect(stage.delivered(runId)[0]).toEqual([]);
    expect(deliveriesOf(runId)[0]?.request.headers).toMatchObject({ 'svc-workflow-init': 'true' });
  });

  it('gets its last step again if its endpoint had not continued', async () => {
    stage.workflow.script = (delivery, workflow) =>
      delivery.steps.length === 1 ? undefined : stage.sequence('one', 'two')(delivery, workflow);
    const { dlqId } = await stage.fail();
    stage.workflow.script = stage.sequence('one', 'two');
    const runId = await stage.revive('resume', dlqId);
    await stage.ended(runId);
    expect(stage.delivered(runId)).toEqual([['one'], ['one', 'two']]);
  });

  it('may fail again, and be resumed again, with each step run once', async () => {
    stage.broken.add('two').add('three');
    const first = await stage.fail();
    stage.broken.delete('two');
    const second = await stage.letterOf(await stage.revive('resume', first.dlqId));
    expect(second).toMatchObject({ body: '{"n":1}' });
    stage.broken.clear();
    const runId = await stage.revive('resume', second.dlqId);
    await stage.ended(runId);
    expect(stage.delivered(runId)).toEqual([
      ['one', 'two'],
      ['one', 'two', 'three'],
    ]);
    expect(deliveriesOf(runId)[0]?.payload).toBe('{"n":1}');
  });

  it('gets the requested id, unless another run has or had this id', async () => {
    const { dlqId, workflowRunId } = await failed();
    const taken = await stage.api('POST', `/resume/${dlqId}`, {
      'svc-workflow-runid': workflowRunId,
    });
    expect(taken).toMatchObject({
      status: 409,
      body: { error: `workflow run ${workflowRunId} has been started before` },
    });
    expect((await stage.api('GET', `/${dlqId}`)).status).toBe(200);
    const named = { 'svc-workflow-runid': 'once more' };
    expect(await stage.revive('resume', dlqId, named)).toBe('once more');
    await stage.ended('once more');
    expect(stage.delivered('once more')).toHaveLength(3);
  });

  it('is resumed once, however many request it at the same time', async () => {
    const { dlqId } = await failed();
    const requests = ['resume', 'restart', 'resume'].map((kind) =>
      stage.api('POST', `/${kind}/${dlqId}`),
    );
    const answers = await Promise.all(requests);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    for (const { status, body } of answers) {
      if (status === 200) await stage.ended((body as RunReference).workflowRunId);
    }
  });

  it('continues in the next server after the one in which it failed', async () => {
    const { dlqId } = await failed();
    await stage.restart();
    const runId = await stage.revive('resume', dlqId, { 'svc-delay': '1s' });
    await stage.restart();
    expect((await stage.api('GET', `/${dlqId}`)).status).toBe(404);
    await stage.ended(runId);
    expect(stage.delivered(runId)).toEqual([['one'], ['one', 'two'], ['one', 'two', 'three']]);
  });
});

describe('a run that is restarted', () => {
  it('starts again with its original payload and configuration', async () => {
    const old = await failed({ 'svc-forward-x-tenant': 'acme', 'svc-label': 'blue' }, '{"n":3}');
    const runId = await stage.revive('restart', old.dlqId);
    await stage.ended(runId);
    expect(stage.delivered(runId)).toEqual([[], ['one'], ['one', 'two'], ['one', 'two', 'three']]);
    const [first] = deliveriesOf(runId);
    expect(first?.payload).toBe('{"n":3}');
    expect(first?.request.headers).toMatchObject({
      'x-tenant': 'acme',
      'svc-label': 'blue',
      'svc-workflow-init': 'true',
    });
    expect(await stage.list()).toEqual({ messages: [] });
  });

  it('keeps its payload however often it is restarted or resumed, in any server', async () => {
    stage.broken.add('two');
    let entry = await stage.fail({}, 'from the first');
    for (const kind of ['restart', 'resume', 'restart'] as const) {
      entry = await stage.letterOf(await stage.revive(kind, entry.dlqId));
      expect(entry['body']).toBe('from the first');
      await stage.restart();
    }
    stage.broken.clear();
    const runId = await stage.revive('restart', entry.dlqId);
    await stage.ended(runId);
    expect(deliveriesOf(runId).map(({ payload }) => payload)).toEqual(
      Array.from({ length: 4 }, () => 'from the first'),
    );
  });
});

describe.each(['resume', 'restart'] as const)('the options of a %s', (kind) => {
  it('change the deliveries and the id of the new run, and its failure callback', async () => {
    const old = await failed({ 'svc-label': 'old', 'svc-retries': '0' });
    stage.broken.add('two');
    const runId = await stage.revive(kind, old.dlqId, {
      'upstash-retries': '1',
      'svc-retry-delay': '1',
      'svc-label': 'new,newer',
      'svc-flow-control-key': 'k',
      'svc-flow-control-value': 'rate=5',
      'svc-failure-callback': `${stage.workflow.url}/failure`,
    });
    const entry = await stage.letterOf(runId);
    expect(entry).toMatchObject({
      maxRetries: 1,
      labels: ['new', 'newer'],
      flowControlKey: 'k',
      rate: 5,
      failureCallback: `${stage.workflow.url}/failure`,
    });
    expect(deliveriesOf(runId)[0]?.request.headers).toMatchObject({ 'svc-label': 'new,newer' });
    expect(
      deliveriesOf(runId)
        .map(({ retried }) => retried)
        .at(-1),
    ).toBe(1);
    await stage.inState(entry.dlqId, 'CALLBACK_SUCCESS');
    const [callback] = stage.workflow.deliveriesOf(runId, 'failureCallback');
    expect(callback?.request.url).toBe('/revived/failure');
  });

  it.each([
    [{ 'svc-flow-control-key': 'other' }, { flowControlKey: 'other', parallelism: 3, rate: 700 }],
    [{ 'svc-flow-control-value': 'rate=5' }, { flowControlKey: `own-${kind}`, rate: 5, period: 1 }],
  ])('change half of the flow control, and keep the other half: %p', async (said, shown) => {
    const old = await failed({
      'svc-retries': '0',
      'svc-flow-control-key': `own-${kind}`,
      'svc-flow-control-value': 'parallelism=3, rate=700, period=1m',
    });
    stage.broken.add('two');
    const entry = await stage.letterOf(await stage.revive(kind, old.dlqId, said));
    expect(entry).toMatchObject(shown);
  });

  it('need both halves of the flow control for a run that has none', async () => {
    const { dlqId } = await failed();
    for (const [name, value, missing] of [
      ['svc-flow-control-key', 'k', 'Flow-Control-Value'],
      ['svc-flow-control-value', 'rate=1', 'Flow-Control-Key'],
    ] as const) {
      const refused = {
        status: 400,
        body: { error: `${missing} is missing, and the failed run ${dlqId} has none` },
      };
      for (const path of [`/${dlqId}`, `?dlqIds=${dlqId}`]) {
        const answer = await stage.api('POST', `/${kind}${path}`, { [name]: value });
        expect({ status: answer.status, body: answer.body }).toEqual(refused);
      }
    }
    expect((await stage.api('GET', `/${dlqId}`)).status).toBe(200);
  });

  it.each([
    ['svc-retry-delay', '1', { retryDelay: '1' }],
    ['svc-retries', '1', { maxRetries: 1 }],
    ['svc-label', 'new', { labels: ['new'] }],
    ['svc-delay', '1s', {}],
  ])('change one setting and keep all others: %s', async (name, value, changes) => {
    const started = {
      'svc-retries': '0',
      'svc-label': 'old',
      'svc-retry-delay': '2',
      'svc-flow-control-key': `own-${kind}`,
      'svc-flow-control-value': 'rate=700',
      'svc-failure-callback': `${stage.workflow.url}/failure`,
    };
    const old = await failed(started);
    const shownOf = (entry: Readonly<Record<string, unknown>>) => {
      const { maxRetries, labels, flowControlKey, rate, failureCallback, header } = entry;
      const [retryDelay] = (header as Record<string, string[]>)['Svc-Retry-Delay'] ?? [];
      return { maxRetries, labels, retryDelay, flowControlKey, rate, failureCallback };
    };
    stage.broken.add('two');
    const entry = await stage.letterOf(await stage.revive(kind, old.dlqId, { [name]: value }));
    expect(shownOf(entry)).toEqual({ ...shownOf(old), ...changes });
  });

  it.each([
    ['svc-retries', 'many'],
    ['svc-flow-control-value', 'nothing'],
    ['svc-callback', 'https://example.com'],
    ['svc-forward-x-tenant', 'other'],
    ['svc-method', 'PUT'],
    ['svc-failure-callback', 'nowhere'],
    ['svc-workflow-runid', ''],
    ['svc-workflow-runid', 'wfr_a#b'],
  ])('are refused if they mean nothing: %s: %s', async (name, value) => {
    const { dlqId } = await failed();
    const { status, body } = await stage.api('POST', `/${kind}/${dlqId}`, { [name]: value });
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.stringMatching(/^Svc-/) });
    expect((await stage.api('GET', `/${dlqId}`)).status).toBe(200);
  });
});

describe.each(['resume', 'restart'] as const)('many failed runs, by one %s', (kind) => {
  const revived = async (query: string, headers = {}, body?: string) => {
    const answer = await stage.api('POST', `/${kind}${query}`, headers, body);
    expect(answer.status).toBe(200);
    return answer.body as Revived;
  };

  it('are revived in the order in which they are named, in a query or a body', async () => {
    const entries = [await failed({}, 'a'), await failed({}, 'b'), await failed({}, 'c')];
    const [a, b, c] = entries.map(({ dlqId }) => dlqId);
    const named = await revived(`?dlqIds=${b},1767000000000-1&dlqIds=${a}&label=nothing`);
    expect(named.cursor).toBeUndefined();
    const { workflowRuns } = await revived('', {}, JSON.stringify({ dlqIds: [c] }));
    const runs = [...named.workflowRuns, ...workflowRuns];
    for (const { workflowRunId } of runs) await stage.ended(workflowRunId);
    const payloads = runs.map(({ workflowRunId }) => deliveriesOf(workflowRunId)[0]?.payload);
    expect(payloads).toEqual(['b', 'a', 'c']);
  });

  it('are answered with 404 if no named one exists, or an empty list if none matches', async () => {
    expect((await stage.api('POST', `/${kind}?dlqIds=1767000000000-1`)).status).toBe(404);
    expect(await revived('?label=nothing')).toEqual({ workflowRuns: [] });
  });

  it('cannot all get the same id', async () => {
    const { dlqId } = await failed();
    const headers = { 'svc-workflow-runid': 'all' };
    expect((await stage.api('POST', `/${kind}?dlqIds=${dlqId}`, headers)).status).toBe(400);
    expect((await stage.api('GET', `/${dlqId}`)).status).toBe(200);
  });

  it('are at most 50 per request, and each is revived once even if it fails again', async () => {
    stage.broken.add('two');
    const started = Array.from({ length: 101 }, () =>
      stage.workflow.trigger({ 'svc-label': 'many' }),
    );
    const old = await Promise.all(started);
    for (const runId of old) await stage.letterOf(runId);
    const sizes: number[] = [];
    const runs: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await revived(`?label=many&count=100${cursor}`, { 'svc-retries': '0' });
      sizes.push(page.workflowRuns.length);
      runs.push(...page.workflowRuns.map(({ workflowRunId }) => workflowRunId));
      if (page.cursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
    }
    expect(sizes).toEqual([50, 50, 1]);
    expect(new Set(runs).size).toBe(101);
    for (const runId of runs) await stage.letterOf(runId);
    for (const runId of old) {
      expect((await stage.list(`?workflowRunId=${runId}&count=1`)).messages).toEqual([]);
    }
  });
});
