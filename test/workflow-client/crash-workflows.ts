/** Workflows that use everything, to be run while something crashes. */
import { randomUUID } from 'node:crypto';
import { createWorkflow } from '@upstash/workflow/cloudflare';

/** What a run of `everything` is started with. */
export interface Trial {
  /** A third party that answers. */
  readonly thirdParty: string;
}

/** What each execution of a step makes anew: a test that sees two of them has seen it run twice. */
const once = () => randomUUID();

/** Called when a run waits, or will wait, for the event `go-<run id>`. */
export type Announce = (runId: string) => void;

const child = createWorkflow<unknown, unknown>(async (context) => {
  const one = await context.run('one', once);
  await context.sleep('nap', 1);
  const two = await context.run('two', once);
  return [one, two];
});

/** All kinds of steps, one after the other and beside each other. */
export function crashWorkflows(announce: Announce) {
  const everything = createWorkflow<Trial, unknown>(async (context) => {
    const url = context.requestPayload.thirdParty;
    const first = await context.run('first', once);
    await context.sleep('nap', 1);
    const second = await context.run('second', once);
    const [branch, , called, other] = await Promise.all([
      context.run('branch', once),
      context.sleep('beside', 1),
      context.call('call', { url, method: 'POST', body: second, retries: 1000, retryDelay: '50' }),
      context.run('other branch', once),
    ]);
    const { body } = await context.invoke('child', {
      workflow: child,
      body: null,
      retries: 1000,
      retryDelay: '50',
    });
    await context.run('announce', () => announce(context.workflowRunId));
    const { eventData } = await context.waitForEvent('wait', `go-${context.workflowRunId}`, {
      timeout: '10m',
    });
    const last = await context.run('last', once);
    return { first, second, branch, called: called.body, other, body, eventData, last };
  });
  return { everything, child };
}

/** Steps that ran, by name, as the entries of a run have them. */
export function storedResults(delivered: string): Record<string, unknown> {
  const entries = JSON.parse(delivered) as readonly { readonly body: string }[];
  const stored: Record<string, unknown> = {};
  for (const { body } of entries.slice(1)) {
    const step = JSON.parse(Buffer.from(body, 'base64').toString()) as Record<string, unknown>;
    if (step['stepType'] !== 'Run' || step['stepId'] === 0 || step['out'] === undefined) continue;
    stored[String(step['stepName'])] = JSON.parse(String(step['out']));
  }
  return stored;
}
