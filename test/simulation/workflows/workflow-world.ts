/**
 * The endpoint of all simulated workflows, and the third parties that they call: it does as the SDK
 * does, and now and then it fails, dawdles, dies in the middle or says everything twice.
 */
import type { Clock } from '../../../src/engine/clock.js';
import type { Command } from '../../../src/engine/decider.js';
import type { DialectName } from '../../../src/http/dialect.js';
import type { OutgoingAttempt } from '../../../src/messaging/outbound/attempt-outcome.js';
import type { Endpoints } from '../../../src/messaging/outbound/endpoints.js';
import type { StepInfo } from '../../../src/workflows/run-state/run.events.js';
import { type Answer, headerOf, SimulatedWorld } from '../simulated-endpoints.js';
import type { Simulation } from '../simulation.js';
import * as ask from './workflow-commands.js';
import { type Move, nextMove, understood } from './workflow-interpreter.js';
import { done, failed, type Mood, randomMood, refused } from './workflow-moods.js';
import { WorkflowOperator } from './workflow-operator.js';
import type { Program } from './workflow-program.js';

/** An event that a client sent. */
export interface Notified {
  readonly eventId: string;
  /** null = every run that waits. */
  readonly runId: string | null;
  readonly body: string;
  readonly at: number;
  /** How many commands had been acknowledged when it was sent. */
  readonly acknowledgedBefore: number;
  /** The server has answered. */
  isHeard: boolean;
}

export class WorkflowWorld extends SimulatedWorld {
  /** Every run that a client has wanted to start. */
  readonly starts = new Map<string, ask.RunStart>();
  readonly notified: Notified[] = [];
  readonly operator = new WorkflowOperator(this.random, this);
  /** Runs that were answered as if something had been done, as their headers call them. */
  readonly silent = new Set<string>();
  /** What an SDK would complain of. */
  readonly mistakes: unknown[] = [];
  private readonly lingering = new Set<OutgoingAttempt>();
  private named = 0;
  private of: Simulation<WorkflowWorld> | null = null;

  get simulation(): Simulation<WorkflowWorld> {
    if (this.of === null) throw new Error('the world has not begun');
    return this.of;
  }

  set simulation(simulation: Simulation<WorkflowWorld>) {
    this.of = simulation;
  }

  /** An endpoint outlives the server that called it, and tells the next what it meant to say. */
  override endpoints(clock: Clock): Endpoints {
    for (const attempt of this.lingering) this.linger(attempt, clock);
    return super.endpoints(clock);
  }

  override answer(attempt: OutgoingAttempt): Answer | Promise<Answer> {
    if (attempt.url !== ask.endpoint) {
      if (attempt.headers.includes('X-Run')) this.mistakes.push(`${attempt.url} heard of its run`);
      return super.answer(attempt);
    }
    const { acts, says } = this.mood();
    if (acts === 'not' && says?.status === 200) this.silent.add(knownAs(attempt));
    if (acts === 'later' || acts === 'again') this.linger(attempt, this.simulation.server.clock);
    if (acts === 'later' || acts === 'not') return says ?? never();
    const acted = Promise.all([this.act(attempt), acts === 'twice' && this.act(attempt)]);
    return acted.then(([isDone]) => (says === done ? (isDone ?? done) : (says ?? never())));
  }

  /** Tells an event to one run, or to every run that waits. */
  async notify(eventId: string, runId: string | null): Promise<void> {
    const { simulation } = this;
    const { events, clock } = simulation.server;
    const body = this.random.chance(0.8) ? `event ${this.notified.length}` : '';
    const [at, acknowledgedBefore] = [clock.now(), simulation.acknowledged.length];
    const notified = { eventId, runId, body, at, acknowledgedBefore, isHeard: false };
    if (this.isDark()) return never();
    this.notified.push(notified);
    const bytes = Buffer.from(body);
    const answer =
      runId === null ? events.notify(eventId, bytes, null) : this.tellRun(runId, eventId, bytes);
    await simulation.heard<unknown>(answer);
    notified.isHeard = true;
  }

  /** A run that will be started, and is known by its name from now on. */
  begin(prefix: string, program: Program, now: number) {
    const { random } = this;
    const id = this.name(prefix);
    const start: ask.RunStart = {
      id,
      knownAs: id,
      messageId: this.name('msg'),
      program,
      dialect: random.pick<DialectName>(['svc', 'upstash']),
      delayMs: random.pick([0, 0, 0, 3000]),
      hasFailureCallback: random.chance(0.5),
      terms: {
        maxRetries: random.pick([2, 4, 6]),
        timeoutMs: random.pick([null, 4000]),
        flowControl: random.pick([null, null, { ...narrow }]),
      },
    };
    this.starts.set(start.id, start);
    return ask.startRun(start, now);
  }

  /** Another name for what a run was started with: of one that goes on for it. */
  beginAs(runId: string): string {
    const start = { ...this.startOf(runId), id: this.name('wfr_again') };
    this.starts.set(start.id, start);
    return start.id;
  }

  private tellRun(runId: string, eventId: string, body: Buffer) {
    return this.simulation.server.events.notifyRun(runId, eventId, body, null);
  }

  private mood(): Mood {
    return randomMood(this.random, this.isMoody);
  }

  private linger(attempt: OutgoingAttempt, clock: Clock): void {
    this.lingering.add(attempt);
    clock.after(this.random.below(20_000), () => {
      if (this.isDark()) return;
      this.lingering.delete(attempt);
      void this.act(attempt);
    });
  }

  /** Does what comes next, and answers as the SDK answers; null = all is well. */
  private async act(attempt: OutgoingAttempt): Promise<Answer | null> {
    try {
      const commands = await this.commandsFor(attempt);
      const outcomes = await this.simulation.ask(commands, true);
      for (const [index, outcome] of outcomes.entries()) {
        // A run that has ended takes nothing in: the endpoint has nothing to do any more.
        if (outcome.ok || isOver(outcome.code)) continue;
        this.mistakes.push({ refused: outcome, command: commands[index] });
        return failed;
      }
      return null;
    } catch (error) {
      if (error instanceof FunctionFailed) return error.answer;
      this.mistakes.push(error);
      return failed;
    }
  }

  private async commandsFor(attempt: OutgoingAttempt): Promise<readonly Command[]> {
    const id = headerOf(attempt, 'workflow-runid');
    const body = attempt.body?.toString() ?? '';
    if (knownAs(attempt) !== this.startOf(id).knownAs) {
      throw new Error(`no header of ${id} came along`);
    }
    switch (headerOf(attempt, 'workflow-calltype')) {
      case 'failureCall':
        this.hearOfFailure(id, JSON.parse(body));
        return [];
      case 'fromCallback':
        return [this.resultOfCall(id, attempt, JSON.parse(body))];
    }
    if (ask.asksForTakeover(attempt.headers)) return [this.takeOver(id)];
    const { program, entries } = understood(body);
    return this.commandsOf(id, nextMove(program, entries));
  }

  private async commandsOf(id: string, move: Move): Promise<readonly Command[]> {
    const now = this.simulation.server.clock.now();
    switch (move.kind) {
      case 'nothing':
        return [];
      case 'plan':
        return move.group.map((step, index) =>
          ask.plan(id, step, move.first + index, move.group.length, this.name('msg'), now),
        );
      case 'execute':
        return [await this.execute(id, move, now)];
      case 'return':
        return [ask.endRun(id, move.response)];
      case 'cancel':
        return [ask.cancelRun(id)];
      default:
        throw new FunctionFailed(move.kind === 'throw' ? failed : refused);
    }
  }

  private async execute(
    id: string,
    { step, number, concurrent }: Extract<Move, { kind: 'execute' }>,
    now: number,
  ): Promise<Command> {
    const { name, type } = step;
    const info: StepInfo = { id: number, name, type, concurrent, target: null };
    const messageId = this.name('msg');
    switch (step.type) {
      case 'Call':
        return ask.requestCall(id, info, this.dialectOf(id), messageId, now);
      case 'Wait':
        return ask.openWait(id, info, step, messageId, now);
      case 'Invoke':
        return ask.invokeRun(id, info, this.begin('wfr_child', step.child, now));
      case 'Notify':
        await this.notify(step.eventId, null);
        break;
      default:
    }
    // A sleep in parallel has slept when its plan is delivered.
    const slept = step.type === 'SleepFor' && concurrent === 1 ? step.ms : 0;
    return ask.result(id, info, `${id}/${number} ${messageId}`, messageId, now + slept);
  }

  private hearOfFailure(runId: string, { workflowRunId, dlqId }: ReportedFailure): void {
    if (workflowRunId !== runId) throw new Error(`${runId} hears of another`);
    this.operator.letters.push({ runId, dlqId });
  }

  private resultOfCall(id: string, attempt: OutgoingAttempt, { status, body }: Answered): Command {
    const info: StepInfo = {
      id: Number(headerOf(attempt, 'workflow-stepid')),
      name: headerOf(attempt, 'workflow-stepname'),
      type: headerOf(attempt, 'workflow-steptype'),
      concurrent: Number(headerOf(attempt, 'workflow-concurrent')),
      target: null,
    };
    const messageId = this.name('msg');
    const out = JSON.stringify({ status, body, messageId });
    return ask.result(id, info, out, messageId, this.simulation.server.clock.now());
  }

  private takeOver(id: string): Command {
    const start = { ...this.startOf(id), messageId: this.name('msg') };
    return ask.takeOver(start, this.simulation.server.clock.now());
  }

  private dialectOf(id: string): DialectName {
    return this.startOf(id).dialect;
  }

  private startOf(id: string): ask.RunStart {
    const start = this.starts.get(id);
    if (start === undefined) throw new Error(`there is no start of ${id}`);
    return start;
  }

  private name(prefix: string): string {
    this.named += 1;
    return `${prefix}_${this.named}`;
  }
}

/** A workflow function that does not return. */
class FunctionFailed extends Error {
  constructor(readonly answer: Answer) {
    super('the function fails');
  }
}

/** A failure callback's body, as far as it names what has failed. */
interface ReportedFailure {
  readonly workflowRunId: string;
  readonly dlqId: string;
}

/** A callback's body, as far as it says how a third party answered. */
interface Answered {
  readonly status: number;
  readonly body: string;
}

const knownAs = ({ headers }: OutgoingAttempt) => headers[headers.indexOf('X-Run') + 1] ?? '';

const narrow = { key: 'narrow', parallelism: 2, rate: null, periodSeconds: 1 };

const isOver = (code: string) => code === 'invalid' || code === 'not_found';

const never = () => new Promise<never>(() => undefined);
