/**
 * The work of one job: finds its items, limits its pace, and takes some items in each turn,
 * together with its progress. So a crash between two turns loses nothing and repeats nothing.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../engine/clock.js';
import type { Command } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import { workFor } from '../../engine/principal/principal.js';
import { turnCommandsMax } from '../../engine/turn.js';
import type { Refusal } from '../../grammar/result.js';
import type { Intake } from '../../http/intake.js';
import type { AdvanceJob, JobCommand } from './job.commands.js';
import type { Jobs } from './job.entity.js';
import { type JobRefusal, jobKind } from './job.events.js';
import type { JobContext } from './job.machine.js';
import type { JobItem, JobStep, JobVerb, JobVerbs, PreparedItem } from './job-verbs.js';

/** The services that the work of a job needs. */
export interface JobTools {
  readonly engine: Engine;
  readonly jobs: Jobs;
  readonly verbs: JobVerbs;
  readonly intake: Intake;
  readonly clock: Clock;
}

/** A job with a rate makes about this many turns per second. */
const turnsPerSecond = 10;

/** How often the disk is checked again while it is full. */
const checkAgainMs = 1000;

/** An item of a job with its position. */
interface Placed {
  readonly position: number;
  readonly item: JobItem;
}

/**
 * Created for each start of the effect. Everything it needs is in the state of the job, so it
 * continues where the previous one ended.
 */
export class JobWork {
  private isStopped = false;
  private failures = 0;
  /** The position at the last failure. */
  private failedAt: number | null = null;
  private wake: () => void = () => undefined;

  constructor(
    readonly id: string,
    private readonly tools: JobTools,
  ) {}

  /** Stops the work after the turn in progress. */
  stop(): void {
    this.isStopped = true;
    this.wake();
  }

  /** Whether the work may continue: false once it is stopped or the job has ended otherwise. */
  get isWanted(): boolean {
    return !this.isStopped && this.tools.jobs.stateOf(this.id).matches('active');
  }

  /** Resolves when the job has ended or is stopped. */
  async run(): Promise<void> {
    const { verb: word, over, filters, options, createdAt: at, position, until } = this.context;
    const verb = this.tools.verbs.find(over, word);
    if (verb === undefined) return this.end({ reason: `there is no ${word} of ${over} any more` });
    const steps = verb.read({ filters, options, at });
    if (!steps.ok) return this.end({ reason: steps.message });
    await this.takeAll(verb, steps.value({ position, until }));
    if (this.isWanted) await this.end(null);
  }

  /** Records a failure; returns how many there were in a row without progress. */
  failed(): number {
    const { position } = this.context;
    this.failures = position === this.failedAt ? this.failures + 1 : 1;
    this.failedAt = position;
    return this.failures;
  }

  /** Aborts the job, which cannot continue, for this reason. */
  async giveUp(reason: string): Promise<void> {
    if (this.isWanted) await this.end({ reason });
  }

  private get context(): JobContext {
    return this.tools.jobs.stateOf(this.id).context;
  }

  private async takeAll(verb: JobVerb, steps: AsyncIterable<JobStep>): Promise<void> {
    const { rate } = this.context;
    const paced = rate === null ? verb.atOnce : Math.max(1, Math.floor(rate / turnsPerSecond));
    const length = Math.min(verb.atOnce, paced);
    let slice: Placed[] = [];
    for await (const { position, item } of steps) {
      if (!this.isWanted) return;
      if (item === null) continue;
      slice.push({ position, item });
      if (slice.length < length) continue;
      await this.takeInTime(verb, slice);
      slice = [];
    }
    if (slice.length > 0) await this.takeInTime(verb, slice);
  }

  private async takeInTime(verb: JobVerb, slice: readonly Placed[]): Promise<void> {
    const { clock, intake } = this.tools;
    while (this.isWanted) {
      const early = this.context.nextAt - clock.now();
      if (early > 0) await this.pause(early);
      else if (verb.takesRoom && intake.refusal !== null) await this.pause(checkAgainMs);
      else break;
    }
    const begun = clock.monotonic();
    await this.take(slice);
    // Leave at least as much time to other work as the job took.
    await this.pause(clock.monotonic() - begun);
  }

  /** Takes all items in one turn; if one is refused, each in a turn of its own. */
  private async take(slice: readonly Placed[]): Promise<void> {
    const prepared: PreparedItem[] = [];
    for (const { item } of slice) prepared.push(await item.prepare());
    if (!this.isWanted) return;
    if (slice.length > 1 && (await this.takeTogether(slice, prepared))) return;
    for (const [index, placed] of slice.entries()) {
      const each = prepared[index];
      if (each !== undefined && this.isWanted) await this.takeOne(placed, each);
    }
  }

  private async takeTogether(
    slice: readonly Placed[],
    prepared: readonly PreparedItem[],
  ): Promise<boolean> {
    const commands: Command[] = [];
    for (const each of prepared) {
      const made = each.ok ? each.value() : null;
      if (made === null) return false;
      commands.push(...made);
    }
    const last = slice.at(-1);
    if (last === undefined || commands.length >= turnCommandsMax) return false;
    return (await this.dispatch(commands, this.advance(last.position, slice.length, []))) === null;
  }

  private async takeOne({ position, item }: Placed, prepared: PreparedItem): Promise<void> {
    let ready = prepared;
    for (;;) {
      if (!ready.ok) return this.refuse(position, item, ready);
      const commands = ready.value();
      if (commands !== null) {
        const refusal = await this.dispatch(commands, this.advance(position, 1, []));
        if (refusal !== null && this.isWanted) await this.refuse(position, item, refusal);
        return;
      }
      ready = await item.prepare();
    }
  }

  private async refuse(position: number, { id }: JobItem, { message }: Refusal): Promise<void> {
    await this.dispatch([], this.advance(position, 0, [{ id, reason: message }]));
  }

  /** Dispatches in one turn; returns why nothing was done, or null if everything was. */
  private async dispatch(commands: readonly Command[], own: JobCommand): Promise<Refusal | null> {
    const by = workFor(jobKind, this.id);
    const outcomes = await this.tools.engine.dispatchTogether([...commands, own], by);
    for (const outcome of outcomes) if (!outcome.ok) return outcome;
    return null;
  }

  private advance(position: number, done: number, refusals: readonly JobRefusal[]): AdvanceJob {
    return { type: 'AdvanceJob', ...this.address(), position, done, refusals };
  }

  /** Ends the job; `why` it cannot continue, null = it is done. */
  private async end(why: { readonly reason: string } | null): Promise<void> {
    const address = this.address();
    await this.dispatch(
      [],
      why === null ? { type: 'FinishJob', ...address } : { type: 'AbortJob', ...address, ...why },
    );
  }

  private address() {
    return { kind: jobKind, id: this.id, at: this.tools.clock.now() };
  }

  /**
   * Waits, at most until the job is stopped. Short pauses take one tick, because a timer never
   * fires while the clock stands still.
   */
  private async pause(ms: number): Promise<void> {
    if (ms < 1) {
      await nextTick();
      return;
    }
    await new Promise<void>((resolve) => {
      const cancel = this.tools.clock.after(ms, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
      if (this.isStopped) this.wake();
    });
  }
}
