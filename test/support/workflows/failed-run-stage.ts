/** A server, and a workflow on it whose steps fail while a test says so, to see what is left. */
import { type Answer, callApi } from '../clients/api-call.js';
import type { ScriptedAnswer } from '../clients/recording-endpoint.js';
import { startServer, type TestServer, type TestServerOptions } from '../server.js';
import { ScriptedWorkflow, type Step, type WorkflowScript } from './scripted-workflow.js';

/** A failed run as it is shown. */
export interface Entry {
  readonly dlqId: string;
  readonly workflowRunId: string;
  readonly workflowCreatedAt: number;
  readonly workflowUrl: string;
  readonly failureFunctionState?: string;
  readonly [field: string]: unknown;
}

export interface Page {
  readonly messages: readonly Entry[];
  readonly cursor?: string;
}

export interface RunReference {
  readonly workflowRunId: string;
  readonly workflowCreatedAt: number;
}

export interface Revived {
  readonly workflowRuns: readonly RunReference[];
  readonly cursor?: string;
}

type Ports = NonNullable<TestServerOptions['ports']>;
type Headers = Readonly<Record<string, string>>;

/** What a broken step is answered with. */
export const boom = { status: 500, body: '{"message":"boom"}' } satisfies ScriptedAnswer;

export class FailedRunStage {
  /** Names of steps that fail. */
  readonly broken = new Set<string>();

  private constructor(
    public server: TestServer,
    readonly workflow: ScriptedWorkflow,
    private readonly ports: Ports,
  ) {}

  static async start(name: string, ports: Ports = {}) {
    const server = await startServer({ ports });
    return new FailedRunStage(server, await ScriptedWorkflow.start(server, name), ports);
  }

  /** As it was at first: nothing is broken, no run has failed. */
  async clear(script: WorkflowScript): Promise<void> {
    this.broken.clear();
    this.workflow.script = script;
    await this.api('DELETE', '');
  }

  /** Another server goes on with the folder of this one. */
  async restart(): Promise<void> {
    await this.server.stop();
    const { dataDirectory } = this.server;
    this.server = await startServer({ dataDirectory, ports: this.ports });
    this.workflow.server = this.server;
  }

  async end(): Promise<void> {
    await this.server.remove();
    await this.workflow.stop();
  }

  /** A request below `/v2/workflows/dlq`. */
  api(method: string, path: string, headers: Headers = {}, body?: string): Promise<Answer> {
    return callApi(this.server, method, `/v2/workflows/dlq${path}`, headers, body);
  }

  async list(query = ''): Promise<Page> {
    return (await this.api('GET', query)).body as Page;
  }

  /** The failed run, once it is one. */
  async letterOf(runId: string): Promise<Entry> {
    for (;;) {
      const { messages } = await this.list(`?workflowRunId=${runId}`);
      // The filter also finds runs whose ids only begin like this one.
      const letter = messages.find(({ workflowRunId }) => workflowRunId === runId);
      if (letter !== undefined) return letter;
      await pause();
    }
  }

  /** Starts a run that fails. */
  async fail(headers: Headers = {}, body?: string, url?: string): Promise<Entry> {
    return this.letterOf(await this.workflow.trigger(headers, body, url));
  }

  /** The failed run once its failure callback is in this state. */
  async inState(dlqId: string, state: string): Promise<Entry> {
    for (;;) {
      const entry = (await this.api('GET', `/${dlqId}`)).body as Entry;
      if (entry.failureFunctionState === state) return entry;
      await pause();
    }
  }

  /** Brings one failed run to life again. */
  async revive(kind: 'resume' | 'restart', dlqId: string, headers: Headers = {}): Promise<string> {
    const { status, body } = await this.api('POST', `/${kind}/${dlqId}`, headers);
    if (status !== 200) throw new Error(`${kind} ${dlqId}: ${status} ${JSON.stringify(body)}`);
    return (body as RunReference).workflowRunId;
  }

  /** Until a run is not active any more. */
  async ended(runId: string): Promise<void> {
    while ((await this.runStatus(runId)) !== 404) await pause();
  }

  /** 200 while a run is active. */
  async runStatus(runId: string): Promise<number> {
    return (await callApi(this.server, 'GET', `/v2/workflows/runs/${runId}`)).status;
  }

  /** Until an endpoint has been asked so. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await pause();
  }

  /** What the endpoint got of a run, delivery by delivery: the steps of its list. */
  delivered(runId: string): readonly (readonly string[])[] {
    return this.workflow.deliveriesOf(runId, 'step').map(({ steps }) => steps.map(nameOf));
  }

  /** Runs these steps one after the other. */
  sequence(...names: readonly string[]): WorkflowScript {
    return async ({ role, runId, steps }) => {
      if (role !== 'step') return undefined;
      const name = names[steps.length];
      if (name === undefined) await this.workflow.end(runId, 'done');
      else if (this.broken.has(name)) return boom;
      else await this.workflow.submit(runId, [stepOf(steps.length + 1, name)]);
      return undefined;
    };
  }

  /** Plans these steps in parallel, runs each on its own, and ends when all of them are done. */
  parallel(...names: readonly string[]): WorkflowScript {
    const concurrent = names.length;
    return async ({ role, runId, steps }) => {
      if (role !== 'step') return undefined;
      const last = steps.at(-1);
      if (last === undefined) {
        const plans = names.map((name, index) => planOf(index + 1, name, { concurrent }));
        await this.workflow.submit(runId, plans);
      } else if (last.targetStep !== undefined) {
        if (this.broken.has(last.stepName)) return boom;
        await this.workflow.submit(runId, [stepOf(last.targetStep, last.stepName, { concurrent })]);
      } else if (resultsOf(steps).length === concurrent) {
        await this.workflow.end(runId, 'done');
      }
      return undefined;
    };
  }
}

export function stepOf(stepId: number, stepName: string, more: Partial<Step> = {}): Step {
  const out = JSON.stringify(`${stepName} is done`);
  return { stepId, stepName, stepType: 'Run', concurrent: 1, out, ...more };
}

export function planOf(targetStep: number, stepName: string, more: Partial<Step> = {}): Step {
  return { stepId: 0, stepName, stepType: 'Run', concurrent: 2, targetStep, ...more };
}

/** Those steps of a list that are no plans. */
export function resultsOf(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ targetStep }) => targetStep === undefined);
}

export const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

function nameOf({ stepName, targetStep }: Step): string {
  return targetStep === undefined ? stepName : `plan ${stepName}`;
}
