import { createWorkflow } from '@upstash/workflow/cloudflare';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

const child = createWorkflow<unknown, unknown>(async (context) => {
  const { question } = context.requestPayload as { readonly question: string };
  const answer = await context.run('answer', () => `${question}!`);
  return { answer, tenant: context.headers.get('x-tenant') };
});

const failing = createWorkflow<unknown, unknown>(async (context) => {
  await context.run('fail', () => {
    throw new Error('the child fails');
  });
});

const canceling = createWorkflow<unknown, unknown>(async (context) => {
  await context.run('before', () => 1);
  await context.cancel();
});

const parent = createWorkflow<{ child: 'child' | 'failing' | 'canceling' }, unknown>(
  async (context) => {
    const workflow = { child, failing, canceling }[context.requestPayload.child];
    const invoked = await context.invoke('invoke', {
      workflow,
      body: { question: 'how' },
      headers: { 'X-Tenant': 'acme' },
      retries: 1,
      retryDelay: '50',
    });
    return await context.run('after', () => invoked);
  },
);

/** Invokes itself until it is deep enough. */
const nested: ReturnType<typeof createWorkflow<number, unknown>> = createWorkflow<number, unknown>(
  async (context) => {
    const depth = context.requestPayload;
    const before = await context.run('before', () => depth);
    if (depth === 0) return [before];
    const { body } = await context.invoke('deeper', { workflow: nested, body: depth - 1 });
    return [before, ...(body as unknown[])];
  },
);

const family = createWorkflow(async (context) => {
  const invoked = await Promise.all(
    ['a', 'b', 'c'].map((question) =>
      context.invoke(`child ${question}`, { workflow: child, body: { question } }),
    ),
  );
  return invoked.map(({ body }) => (body as { answer: string }).answer);
});

let stage: WorkflowStage;

beforeAll(async () => {
  stage = await startWorkflowStage({ child, failing, canceling, parent, nested, family });
});

afterEach(() => expect(stage.app.contradictions()).toEqual([]));

afterAll(() => stage.end());

/** How often the application was called, by workflow. */
async function countsSince(before: number) {
  await stage.quiet();
  const counts: Record<string, number> = {};
  for (const { workflow, role } of stage.app.deliveries.slice(before)) {
    const key = role === 'step' ? workflow : `${workflow} ${role}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('a run that invokes another', () => {
  it('goes on with what that one returned', async () => {
    const before = stage.app.deliveries.length;
    const runId = await stage.app.trigger('parent', { body: { child: 'child' } });
    expect((await stage.app.outcome(runId)).response).toMatchObject({
      body: { answer: 'how!', tenant: 'acme' },
      isCanceled: false,
      isFailed: false,
    });
    expect(await countsSince(before)).toEqual({ parent: 3, child: 2 });
  });

  it('sees its child fail, once all retries have ended', async () => {
    const before = stage.app.deliveries.length;
    const runId = await stage.app.trigger('parent', { body: { child: 'failing' } });
    const { response } = await stage.app.outcome(runId);
    expect(response).toMatchObject({ isCanceled: false, isFailed: true });
    expect(response).not.toHaveProperty('body');
    expect(await countsSince(before)).toEqual({
      parent: 3,
      failing: 2,
      'failing failureCallback': 1,
    });
  });

  it('gets that it was canceled', async () => {
    const before = stage.app.deliveries.length;
    const runId = await stage.app.trigger('parent', { body: { child: 'canceling' } });
    expect((await stage.app.outcome(runId)).response).toMatchObject({
      isCanceled: true,
      isFailed: false,
    });
    expect(await countsSince(before)).toEqual({ parent: 3, canceling: 2 });
  });

  it('may be invoked itself, three deep', async () => {
    const before = stage.app.deliveries.length;
    const runId = await stage.app.trigger('nested', { body: 3 });
    expect((await stage.app.outcome(runId)).response).toEqual([3, 2, 1, 0]);
    // Three that invoke are called thrice, and the deepest one twice.
    expect(await countsSince(before)).toEqual({ nested: 3 * 3 + 2 });
    const counts = stage.app.deliveries
      .slice(before)
      .map(({ headers }) => Number(headers['upstash-workflow-invoke-count'] ?? 0));
    expect(Math.max(...counts)).toBe(3);
  });

  it('may invoke several at once', async () => {
    const before = stage.app.deliveries.length;
    const runId = await stage.app.trigger('family');
    expect((await stage.app.outcome(runId)).response).toEqual(['a!', 'b!', 'c!']);
    expect(await countsSince(before)).toEqual({ family: 1 + 2 * 3, child: 3 * 2 });
  });
});
