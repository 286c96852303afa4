/** Workflow runs that take steps, wait for events, fail and are resumed, while the server dies. */
import type { SeededRandom } from '../simulation/seeded-random.js';
import { callApi } from '../support/clients/api-call.js';
import type { ScriptedAnswer } from '../support/clients/recording-endpoint.js';
import { ScriptedWorkflow, type WorkflowDelivery } from '../support/workflows/scripted-workflow.js';
import { type Clients, pause } from './clients.js';
import type { ServerClock } from './server-clock.js';

const retried = { 'svc-retries': '1000', 'svc-retry-delay': '100' };
const never = { status: 489, headers: { 'svc-nonretryable-error': 'true' } };
const kinds = ['steps', 'waiting', 'failing'] as const;

export class RunLoad {
  readonly found = { ended: 0, notified: 0, resumed: 0 };
  private number = 0;
  /** By run, what it was started as. */
  private readonly active = new Map<string, { readonly at: number }>();
  /** Runs whose failed step may go on. */
  private readonly healed = new Set<string>();

  private constructor(
    private readonly workflow: ScriptedWorkflow,
    private readonly clients: Clients,
    private readonly clock: ServerClock,
    private readonly random: SeededRandom,
    private readonly letterMs: number,
  ) {
    workflow.script = (delivery) => this.answer(delivery);
  }

  static async start(
    clients: Clients,
    clock: ServerClock,
    random: SeededRandom,
    letterMs: number,
  ): Promise<RunLoad> {
    const { url, bearer } = clients;
    const workflow = await ScriptedWorkflow.start({ url, bearer }, 'soak');
    return new RunLoad(workflow, clients, clock, random, letterMs);
  }

  stop(): Promise<void> {
    return this.workflow.stop();
  }

  /** Runs that were started, and have not ended. */
  get missing(): readonly string[] {
    return [...this.active.keys()];
  }

  /** Begins a run, or helps one on. */
  async act(): Promise<void> {
    this.forget();
    if (this.active.size < 60 && this.random.chance(0.5)) await this.begin();
    const [runId] = this.active.keys();
    if (runId !== undefined) await this.help(runId);
  }

  private async begin(): Promise<void> {
    this.number += 1;
    const at = this.clock.now();
    const runId = `wfr_${this.random.pick(kinds)}-${this.number}`;
    try {
      await this.workflow.trigger({ ...retried, 'svc-workflow-runid': runId });
      // It may have ended before this was heard.
      if (!this.ended.delete(runId)) this.active.set(runId, { at });
    } catch (error) {
      this.refused(error);
    }
  }

  /** The oldest one waits to be notified or resumed, or is about to end. */
  private async help(runId: string): Promise<void> {
    const run = this.active.get(runId);
    if (run === undefined) return;
    // Others get their turn.
    this.active.delete(runId);
    this.active.set(runId, run);
    if (this.ending.has(runId) && (await this.isOver(runId))) {
      this.active.delete(runId);
      return;
    }
    if (runId.includes('waiting')) {
      const notified = await this.clients.ask('POST', `/v2/notify/go-${runId}`, 'gone');
      if ((notified?.body as unknown[] | undefined)?.length === 1) this.found.notified += 1;
    }
    if (!runId.includes('failing')) return;
    const page = await this.clients.ask('GET', `/v2/workflows/dlq?workflowRunId=${runId}`);
    const { messages = [] } = (page?.body ?? {}) as {
      messages?: { dlqId: string; workflowRunId: string }[];
    };
    // The filter also finds runs whose ids only begin like this one.
    const letter = messages.find(({ workflowRunId }) => workflowRunId === runId);
    if (letter === undefined) {
      // A resume that was cut off may have taken it.
      if (this.healed.has(runId) && page !== null) await this.findHeir(runId);
      return;
    }
    this.healed.add(runId);
    const path = `/v2/workflows/dlq/resume/${letter.dlqId}`;
    const headers = { 'svc-workflow-runid': heirOf(runId) };
    const resumed = await this.clients.try('POST', path, undefined, headers);
    if (resumed?.status === 200) this.heir(runId);
    else if (resumed !== null && resumed.status !== 404) {
      this.clients.failures.push(`${path}: ${JSON.stringify(resumed)}`);
    }
  }

  /** A run goes on under another name. */
  private heir(runId: string): void {
    const run = this.active.get(runId);
    if (run === undefined || !this.active.delete(runId)) return;
    this.found.resumed += 1;
    if (!this.ended.delete(heirOf(runId))) this.active.set(heirOf(runId), run);
  }

  private async findHeir(runId: string): Promise<void> {
    const heir = heirOf(runId);
    const answer = await this.clients.try('GET', `/v2/workflows/runs/${heir}`);
    const exists = answer?.status === 200 || this.ended.has(heir) || this.ending.has(heir);
    if (exists) this.heir(runId);
  }

  private async isOver(runId: string): Promise<boolean> {
    const answer = await this.clients.try('GET', `/v2/workflows/runs/${runId}`);
    return answer?.status === 404;
  }

  /** Ends that came before the answer to what began the run. */
  private readonly ended = new Set<string>();
  /** Runs whose end was asked for: a server that died may have had it. */
  private readonly ending = new Set<string>();

  private async answer(delivery: WorkflowDelivery): Promise<ScriptedAnswer | undefined> {
    const { workflow } = this;
    workflow.deliveries.length = 0;
    (workflow.endpoint.requests as unknown[]).length = 0;
    if (delivery.role !== 'step') return undefined;
    try {
      return await this.proceed(delivery);
    } catch (error) {
      const { runId } = delivery;
      const isOver =
        !this.active.has(runId) ||
        this.ending.has(runId) ||
        (runId.includes('failing') && !runId.endsWith('-resumed'));
      // A delivery whose answer nothing recorded is made again.
      if (isOver && /is not active/.test(String(error))) return undefined;
      this.refused(error);
      return { status: 500 };
    }
  }

  private async proceed({ runId, steps }: WorkflowDelivery): Promise<ScriptedAnswer | undefined> {
    const { workflow } = this;
    const stepId = steps.length + 1;
    const step = { stepId, stepName: `step ${stepId}`, stepType: 'Run', concurrent: 1, out: '"x"' };
    if (runId.includes('waiting') && stepId === 1) {
      await this.wait(runId, stepId);
      return undefined;
    }
    const isHealed = runId.endsWith('-resumed');
    if (runId.includes('failing') && stepId === 2 && !isHealed) return never;
    if (stepId < 3) {
      await workflow.submit(runId, [step]);
      return undefined;
    }
    this.ending.add(runId);
    await workflow.end(runId, 'done');
    this.ending.delete(runId);
    this.found.ended += 1;
    if (!this.active.delete(runId)) this.ended.add(runId);
    return undefined;
  }

  private async wait(runId: string, stepId: number): Promise<void> {
    const step = { stepId, stepName: 'wait', stepType: 'Wait', concurrent: 1 };
    const body = JSON.stringify({ url: this.workflow.url, timeout: '10d', step });
    const headers = { 'svc-workflow-runid': runId };
    const path = `/v2/wait/go-${runId}`;
    const answer = await callApi(this.workflow.server, 'POST', path, headers, body);
    const { status } = answer;
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(answer.body)}`);
  }

  /** A failed run may have been let go by now. */
  private forget(): void {
    for (const [runId, { at }] of this.active) {
      const isFailing = runId.includes('failing') && !runId.endsWith('-resumed');
      if (isFailing && !this.clock.isWithin(at, this.letterMs)) this.active.delete(runId);
    }
  }

  /** What a server that is dead, starting or full leaves undone is done again. */
  private refused(error: unknown): void {
    const text = String(error instanceof Error ? (error.cause ?? error) : error);
    if (/: 50[37]|fetch failed|ECONN|terminated|other side|socket/i.test(text)) return;
    this.clients.failures.push(String(error));
  }

  async settle(withinMs: number): Promise<void> {
    const until = Date.now() + withinMs;
    while (this.active.size > 0 && Date.now() < until) {
      this.forget();
      for (const runId of [...this.active.keys()]) await this.help(runId);
      await pause(50);
    }
  }
}

const heirOf = (runId: string) => `${runId}-resumed`;
