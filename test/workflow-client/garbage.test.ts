import { Client } from '@upstash/workflow';
import { createWorkflow } from '@upstash/workflow/cloudflare';
import { callApi } from '../support/clients/api-call.js';
import {
  type RecordedRequest,
  RecordingEndpoint,
  type ScriptedAnswer,
} from '../support/clients/recording-endpoint.js';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

const sound = createWorkflow(async (context) => {
  await context.sleep('nap', 1);
  return await context.run('one', () => 1);
});

const bulky = createWorkflow(async (context) => {
  await context.run('bulk', () => 'x'.repeat(11 * 1024 * 1024));
});

/** What it does depends on something else than its steps, which no workflow function may do. */
let calls = 0;
const fickle = createWorkflow(async (context) => {
  calls += 1;
  await context.run(`step ${calls}`, () => calls);
  await context.run('end', () => 1);
});

let stage: WorkflowStage;
let endpoint: RecordingEndpoint;
let client: Client;

beforeAll(async () => {
  stage = await startWorkflowStage({ sound, bulky, fickle });
  client = stage.app.client;
});

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await endpoint.stop();
  expect(stage.app.contradictions()).toEqual([]);
});

afterAll(() => stage.end());

/** An answer as the SDK gives it. */
const said = (status = 200, body = '{}'): ScriptedAnswer => ({
  status,
  headers: { 'Upstash-Workflow-Sdk-Version': '1', 'Upstash-Workflow-Sdk': 'v1.3.2' },
  body,
});

/** Starts a run of the endpoint while a sound one goes on; the failed run's dead letter. */
async function deadLetterOf(script: (request: RecordedRequest) => Promise<ScriptedAnswer>) {
  const neighbour = await stage.app.trigger('sound');
  endpoint.answer((request) =>
    request.headers['upstash-workflow-failure-callback'] === undefined ? script(request) : said(),
  );
  const { workflowRunId } = await client.trigger({
    url: `${endpoint.url}/garbage`,
    retries: 1,
    retryDelay: '50',
  });
  const letter = await findDeadLetter(workflowRunId);
  expect((await stage.app.outcome(neighbour)).response).toBe(1);
  return letter;
}

async function findDeadLetter(workflowRunId: string) {
  for (;;) {
    const { messages } = await client.dlq.list({ filter: { workflowRunId } });
    if (messages[0] !== undefined) return messages[0];
    await stage.quiet();
  }
}

/** Submits a step for the run that the request belongs to. */
function submit({ headers }: RecordedRequest, body: string, runId?: string) {
  const url = String(headers['upstash-workflow-url']);
  return callApi(
    stage.server,
    'POST',
    '/v2/batch',
    { 'content-type': 'application/json' },
    JSON.stringify([
      {
        destination: url,
        headers: {
          'content-type': 'application/json',
          'upstash-method': 'POST',
          'upstash-workflow-init': 'false',
          'upstash-workflow-runid': runId ?? String(headers['upstash-workflow-runid']),
          'upstash-workflow-url': url,
          'upstash-workflow-sdk-version': '1',
          'upstash-feature-set': 'LazyFetch,InitialBody,WF_DetectTrigger,WF_TriggerOnConfig',
          'upstash-forward-upstash-workflow-sdk-version': '1',
        },
        body,
      },
    ]),
  );
}

const stepsOf = () =>
  endpoint.requests.filter(
    ({ headers }) => headers['upstash-workflow-failure-callback'] === undefined,
  );

const step = (stepId: number, stepName: string) =>
  JSON.stringify({ stepId, stepName, stepType: 'Run', out: '1', concurrent: 1 });

describe('an endpoint', () => {
  it('that is no workflow fails its run at once, with what it answered', async () => {
    const page = '<html>Welcome</html>';
    const letter = await deadLetterOf(async () => ({ status: 200, body: page }));
    expect(letter).toMatchObject({ responseStatus: 200, responseBody: page });
    expect(stepsOf()).toHaveLength(1);
  });

  it('that submits nothing fails its run, which could only stand still', async () => {
    const letter = await deadLetterOf(async () => said(200, 'no JSON'));
    expect(letter).toMatchObject({ responseStatus: 200, responseBody: 'no JSON' });
    expect(stepsOf()).toHaveLength(1);
  });

  it('that submits for a run that is none fails its own', async () => {
    const statuses: number[] = [];
    await deadLetterOf(async (request) => {
      const { status } = await submit(request, step(1, 'one'), 'wfr_nobody');
      statuses.push(status);
      return said();
    });
    expect(statuses).toEqual([400]);
  });

  it('that submits what is no step is refused, and fails its run', async () => {
    const statuses: number[] = [];
    const letter = await deadLetterOf(async (request) => {
      const { status } = await submit(request, '{"no":"step"');
      statuses.push(status);
      return said(500, '{"error":"Error","message":"refused"}');
    });
    expect(letter).toMatchObject({ responseStatus: 500 });
    // Not 400: SDKs take that for a run that has ended.
    expect(statuses.filter((status) => status === 400 || status < 300)).toEqual([]);
  });

  it('that submits a step under another name than before is refused', async () => {
    const bodies: unknown[] = [];
    const letter = await deadLetterOf(async (request) => {
      const { length } = JSON.parse(String(request.body)) as unknown[];
      const { status, body } = await submit(request, step(1, length === 1 ? 'one' : 'other'));
      if (length > 1) bodies.push(status, body);
      return status === 200 ? said() : said(500, JSON.stringify(body));
    });
    expect(bodies[0]).toBe(409);
    expect(letter.responseBody).toContain('the workflow function has changed under the run');
  });
});

describe('a step that is submitted twice', () => {
  it('causes nothing, and its first result stays', async () => {
    const answers: unknown[] = [];
    endpoint.answer(async (request) => {
      const entries = JSON.parse(String(request.body)) as { body: string }[];
      if (entries.length === 1) {
        answers.push((await submit(request, step(1, 'one'))).body);
        const again = { stepId: 1, stepName: 'one', stepType: 'Run', out: '"other"' };
        answers.push((await submit(request, JSON.stringify({ ...again, concurrent: 1 }))).body);
      } else {
        const runId = String(request.headers['upstash-workflow-runid']);
        const stored = Buffer.from(entries[1]?.body ?? '', 'base64').toString();
        await callApi(
          stage.server,
          'DELETE',
          `/v2/workflows/runs/${runId}?cancel=false`,
          {},
          stored,
        );
      }
      return said();
    });
    const { workflowRunId } = await client.trigger({ url: `${endpoint.url}/twice` });
    expect(await stage.app.outcome(workflowRunId)).toEqual({
      state: 'RUN_SUCCESS',
      response: JSON.parse(step(1, 'one')),
    });
    expect(answers[1]).toEqual(answers[0]);
    await stage.quiet();
    expect(endpoint.requests).toHaveLength(2);
  });
});

describe('a workflow function', () => {
  it('whose result is too large fails its run, at once and with the limit', async () => {
    const runId = await stage.app.trigger('bulky', { retries: 2 });
    const letter = await findDeadLetter(runId);
    expect(letter.responseStatus).toBe(489);
    expect(letter.responseBody).toContain('10485760');
    expect(stage.app.callsOf(runId, 'step')).toHaveLength(1);
  });

  it('that is another one at each call fails its run, with what differs', async () => {
    const runId = await stage.app.trigger('fickle', { retries: 1 });
    const letter = await findDeadLetter(runId);
    expect(letter.responseBody).toContain('Incompatible step name');
  });
});
