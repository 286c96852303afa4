/** A server, a workflow on it that a script runs, and what its logs say of the runs. */
import type { RunLogRow } from '../../../src/workflows/logs/run-log-row.js';
import type { RunObject } from '../../../src/workflows/logs/run-object.js';
import { callApi } from '../clients/api-call.js';
import { RecordingEndpoint, type ScriptedAnswer } from '../clients/recording-endpoint.js';
import { startServer, type TestServer } from '../server.js';
import { ScriptedWorkflow, type Step, type WorkflowScript } from './scripted-workflow.js';
import { askToWait } from './waiting-runs.js';

export interface Rows {
  readonly events: readonly RunLogRow[];
  readonly cursor?: string;
}

export interface Runs {
  readonly runs: readonly RunObject[];
  readonly cursor?: string;
}

export class LoggedRunsStage {
  private constructor(
    readonly server: TestServer,
    readonly workflow: ScriptedWorkflow,
    readonly third: RecordingEndpoint,
  ) {}

  static async start(name: string): Promise<LoggedRunsStage> {
    const server = await startServer();
    const third = await RecordingEndpoint.start(() => ({
      status: 201,
      headers: { 'x-made': 'yes' },
      body: 'made',
    }));
    return new LoggedRunsStage(server, await ScriptedWorkflow.start(server, name), third);
  }

  async end(): Promise<void> {
    await this.server.remove();
    await this.workflow.stop();
    await this.third.stop();
  }

  get = (path: string) => callApi(this.server, 'GET', path);

  post = (path: string, body?: string) => callApi(this.server, 'POST', path, {}, body);

  async rows(query: string): Promise<readonly RunLogRow[]> {
    const { body } = await this.get(`/v2/workflows/messageLogs?${query}`);
    return (body as Rows).events;
  }

  async runs(query: string): Promise<readonly RunObject[]> {
    const { body } = await this.get(`/v2/workflows/logs?${query}`);
    return (body as Runs).runs;
  }

  /** The one run of this id, as soon as it is so. */
  async runOnce(runId: string, isSo: (run: RunObject) => boolean): Promise<RunObject> {
    for (;;) {
      const [run] = await this.runs(`workflowRunId=${runId}`);
      if (run !== undefined && isSo(run)) return run;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** The run once it has ended; its messages have ended with it. */
  ended(runId: string): Promise<RunObject> {
    return this.runOnce(runId, ({ workflowState }) => workflowState !== 'RUN_STARTED');
  }

  cancel(runId: string) {
    return callApi(this.server, 'DELETE', `/v2/workflows/runs/${runId}`);
  }

  notify(eventId: string, body: string) {
    return this.post(`/v2/notify/${eventId}`, body);
  }

  /** A run that has gone through every kind of step. */
  async toured(headers: Readonly<Record<string, string>> = {}): Promise<string> {
    this.workflow.script = this.tour('paid');
    const id = await this.workflow.trigger(headers, '{"n":1}');
    await this.runOnce(id, isWaiting);
    await this.notify('paid', 'money');
    await this.ended(id);
    return id;
  }

  /** Every kind of step, one after the other, and two in parallel at the end. */
  tour(eventId: string): WorkflowScript {
    return async ({ role, runId, payload, steps, request }, workflow) => {
      if (role === 'callResult') {
        const { status, header, body } = JSON.parse(request.body.toString());
        const answer = { status, header, body: Buffer.from(body, 'base64').toString() };
        const out = JSON.stringify(answer);
        await workflow.submit(runId, [resultOf(2, 'third', { stepType: 'Call', out })]);
      } else if (payload === 'child') {
        await workflow.end(runId, '"grown"');
      } else await this.tourStep(runId, eventId, steps);
      return undefined;
    };
  }

  private async tourStep(runId: string, eventId: string, steps: readonly Step[]): Promise<void> {
    const { workflow, third, server } = this;
    const last = steps.at(-1);
    if (last?.targetStep !== undefined) {
      const more = { concurrent: 2 };
      await workflow.submit(runId, [resultOf(last.targetStep, last.stepName, more)]);
      return;
    }
    switch (steps.length) {
      case 0:
        await workflow.submit(runId, [resultOf(1, 'one')]);
        return;
      case 1:
        await workflow.call(runId, resultOf(2, 'third', { stepType: 'Call' }), `${third.url}/x`);
        return;
      case 2:
        await askToWait(server, runId, eventId, 3);
        return;
      case 3:
        await workflow.invoke(runId, resultOf(4, 'inv', { stepType: 'Invoke' }), `${runId}_child`);
        return;
      case 4:
        await workflow.submit(runId, [planOf(5, 'left'), planOf(6, 'right')]);
        return;
      case 8:
        await workflow.end(runId, '{"sum":2}');
    }
  }
}

/** Whether a run has come to its wait. */
export function isWaiting({ steps }: RunObject): boolean {
  return steps.some((group) => group.steps.some((step) => 'waitEventId' in step));
}

/** Runs one step, and answers the delivery of that so. */
export function oneStepThen(answer: ScriptedAnswer | undefined): WorkflowScript {
  return async ({ role, runId, steps }, workflow) => {
    if (role !== 'step') return undefined;
    if (steps.length > 0) return answer;
    await workflow.submit(runId, [resultOf(1, 'one')]);
    return undefined;
  };
}

export function resultOf(stepId: number, stepName: string, more: Partial<Step> = {}): Step {
  return { stepId, stepName, stepType: 'Run', concurrent: 1, out: `"${stepName}"`, ...more };
}

function planOf(targetStep: number, stepName: string): Step {
  return { stepId: 0, stepName, stepType: 'Run', concurrent: 2, targetStep };
}
