import { createWorkflow } from '@upstash/workflow/cloudflare';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

const branches = 20;
const numbers = Array.from({ length: branches }, (_, number) => number);

const fan = createWorkflow<undefined, readonly number[]>(async (context) => {
  const doubled = await Promise.all(
    numbers.map((number) => context.run(`branch ${number}`, () => number * 2)),
  );
  return await context.run('sum', () => doubled);
});

/** Every kind of branch in turn: it runs, it sleeps, it calls, it sleeps until. */
const motley = createWorkflow<string, readonly unknown[]>(async (context) => {
  const start = await context.run('start', () => Date.now());
  const results = await Promise.all(
    numbers.map((number) => {
      if (number % 4 === 1) return context.sleep(`nap ${number}`, 1).then(() => 'slept');
      if (number % 4 === 2) {
        const url = `${context.requestPayload}/${number}`;
        return context.call(`call ${number}`, { url, method: 'GET' }).then(({ body }) => body);
      }
      if (number % 4 === 3) {
        return context.sleepUntil(`until ${number}`, start / 1000 + 1).then(() => 'woken');
      }
      return context.run(`branch ${number}`, () => number);
    }),
  );
  return await context.run('end', () => results);
});

/** Two groups one after the other, with steps between. */
const relay = createWorkflow(async (context) => {
  const first = await Promise.all([
    context.run('a', () => 'a'),
    context.run('b', () => 'b'),
    context.run('c', () => 'c'),
  ]);
  const between = await context.run('between', () => first.join(''));
  const second = await Promise.all([
    context.run('d', () => `${between}d`),
    context.sleep('nap', 1),
    context.run('e', () => `${between}e`),
  ]);
  return second;
});

const fragile = createWorkflow(async (context) => {
  return await Promise.all([
    context.run('sound', () => 'sound'),
    context.run('broken', () => {
      if (context.retried < 2) throw new Error('broken');
      return 'mended';
    }),
  ]);
});

let stage: WorkflowStage;
let third: RecordingEndpoint;

beforeAll(async () => {
  third = await RecordingEndpoint.start(({ url }) => ({
    headers: { 'content-type': 'text/plain' },
    body: `answer to ${url}`,
  }));
  stage = await startWorkflowStage({ fan, motley, relay, fragile });
});

afterEach(() => expect(stage.app.contradictions()).toEqual([]));

afterAll(async () => {
  await stage.end();
  await third.stop();
});

/** How often the application was called for a run, by what it was called with. */
async function countsOf(runId: string) {
  await stage.quiet();
  return {
    steps: stage.app.callsOf(runId, 'step').length,
    callResults: stage.app.callsOf(runId, 'callResult').length,
  };
}

describe('steps in parallel', () => {
  it('are two calls each, one that plans and one that has the result', async () => {
    const runId = await stage.app.trigger('fan');
    expect(await stage.app.outcome(runId)).toEqual({
      state: 'RUN_SUCCESS',
      response: numbers.map((number) => number * 2),
    });
    // The start, both of each branch, and the step after them.
    expect(await countsOf(runId)).toEqual({ steps: 1 + 2 * branches + 1, callResults: 0 });
  });

  it('may sleep and call in the same group', async () => {
    const runId = await stage.app.trigger('motley', { body: third.url });
    const { state, response } = await stage.app.outcome(runId);
    expect(state).toBe('RUN_SUCCESS');
    expect(response).toEqual(
      numbers.map((number) => [number, 'slept', `answer to /${number}`, 'woken'][number % 4]),
    );
    expect(await countsOf(runId)).toEqual({
      steps: 2 + 2 * branches + 1,
      callResults: branches / 4,
    });
    expect(third.requests).toHaveLength(branches / 4);
  });

  it('may be followed by others', async () => {
    const runId = await stage.app.trigger('relay');
    const { response } = await stage.app.outcome(runId);
    expect(response).toEqual(['abcd', null, 'abce']);
    expect(await countsOf(runId)).toEqual({ steps: 1 + 6 + 1 + 6, callResults: 0 });
  });

  it('are tried again each for itself', async () => {
    const runId = await stage.app.trigger('fragile');
    expect((await stage.app.outcome(runId)).response).toEqual(['sound', 'mended']);
    // Two calls of the broken branch's plan that threw, beside those that there must be.
    expect(await countsOf(runId)).toEqual({ steps: 1 + 4 + 2, callResults: 0 });
  });
});
