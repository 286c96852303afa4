/** Starts, watches and ends the process: what is recovered, and what is stopped in which order. */
import type { Logger } from 'pino';
import { type Actor, createActor } from 'xstate';
import type { Clock } from '../clock.js';
import { lifeMachine } from './life.machine.js';

/** The state of the process, as health checks show it. */
export type ProcessState =
  | 'starting'
  | 'recovering'
  | 'serving'
  | 'readOnly'
  | 'draining'
  | 'stopped';

/** The answer of `/health/ready`. */
export interface ProcessStatus {
  readonly state: ProcessState;
  /** Why the process is not serving; null while it is. */
  readonly reason: string | null;
  /** What an operator should attend to although everything is served; absent: nothing. */
  readonly warnings?: readonly string[];
}

/**
 * The order of a graceful stop (ADR 22, 120): each phase ends before the next begins. Requests are
 * still answered while attempts end.
 */
const stopPhases = ['attempts', 'doors', 'commit', 'storage', 'rest'] as const;
/** The phase of a stop in which something ends: see `stopPhases`. */
export type StopPhase = (typeof stopPhases)[number];

/** A part of the server that has to end before the process does. */
export interface Stoppable {
  readonly name: string;
  readonly phase: StopPhase;
  /** After this time the stop continues without it, and the log says so. */
  readonly deadlineMs: number;
  stop(): Promise<void> | void;
  /**
   * Ends at once what `stop` is waiting for; called when the deadline has passed. An end within the
   * cut's own deadline still counts as clean: only clients were cut off, and nothing was promised
   * to them.
   */
  cut?(): void;
}

/** How long a part may take to end after it was cut. */
const cutDeadlineMs = 1000;

/** Work that has to be done between the open port and the first request. */
export interface Recoverable {
  readonly name: string;
  /** It may store something: skipped if nothing may change. */
  readonly changes?: true;
  recover(): Promise<void>;
  /** Continues with work for which requests need not wait, once they are answered. */
  served?(): void;
}

/** A recovery that takes longer is logged, because it explains a slow start. */
const noticedMs = 1000;

/** One per process; while modules are built, they add what they start and stop. */
export class ProcessLife {
  /** Why no request is served now; null while reads are. A field, as every request reads it. */
  notServing: string | null = 'the process is starting';
  /** Why nothing may change during the life of the process; null if changes are allowed. */
  changesNothing: string | null = null;
  private readonly actor: Actor<typeof lifeMachine> = createActor(lifeMachine);
  private readonly recoverables: Recoverable[] = [];
  private readonly stoppables: Stoppable[] = [];
  private stopping: Promise<boolean> | null = null;
  private readonly warnings = new Map<string, string>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.actor.subscribe(({ value, context }) => {
      const isServing = value === 'serving' || value === 'readOnly';
      this.notServing = isServing ? null : (context.reason ?? value);
    });
    this.actor.start();
  }

  /** The answer to health checks, with all current warnings. */
  get status(): ProcessStatus {
    const { value, context } = this.actor.getSnapshot();
    const { warnings } = this;
    const status = { state: value, reason: context.reason };
    return warnings.size === 0 ? status : { ...status, warnings: [...warnings.values()] };
  }

  /** Why it would refuse writes if it served now, as found before it serves; null: it would not. */
  get wouldRefuse(): string | null {
    return this.actor.getSnapshot().context.refusedBecause;
  }

  /** Sets a warning for the operator; null: withdraws it. */
  warn(name: string, text: string | null): void {
    if (text === null) this.warnings.delete(name);
    else this.warnings.set(name, text);
  }

  /**
   * From now on the process only shows what there is: it stores, delivers and accepts nothing. Call
   * it before anything is built.
   */
  changeNothing(reason: string): void {
    this.refuseWrites(reason);
    this.changesNothing = reason;
  }

  /** Recoverables run in the order in which they were added. Add them before the port is open. */
  addRecoverable(recoverable: Recoverable): void {
    this.recoverables.push(recoverable);
  }

  /** Within a phase the last one added stops first, because it relies on those before it. */
  addStoppable(stoppable: Stoppable): void {
    this.stoppables.unshift(stoppable);
  }

  /** Call it when the port is open: recovers in order, then serves. Rejects if a recovery fails. */
  async recover(): Promise<void> {
    this.actor.send({ type: 'listening' });
    for (const recoverable of this.recoverables) {
      if (recoverable.changes === true && this.changesNothing !== null) continue;
      const startedAt = this.clock.monotonic();
      await recoverable.recover();
      const durationMs = Math.round(this.clock.monotonic() - startedAt);
      const level = durationMs < noticedMs ? 'debug' : 'info';
      this.log[level]({ recovered: recoverable.name, durationMs }, 'recovered');
    }
    this.actor.send({ type: 'recovered' });
    for (const { served } of this.recoverables) served?.();
  }

  /**
   * Answers reads only, from now (or, before the process serves, from then) until `acceptWrites`.
   * The log says so once.
   */
  refuseWrites(reason: string): void {
    if (this.changesNothing !== null) return;
    this.log.warn({ reason }, 'writes are refused');
    this.actor.send({ type: 'writesRefused', reason });
  }

  /** Ends what `refuseWrites` has begun, unless the server may change nothing at all. */
  acceptWrites(): void {
    if (this.changesNothing !== null) return;
    this.log.info('writes are accepted again');
    this.actor.send({ type: 'writesAccepted' });
  }

  /**
   * Ends everything in order, once; later calls wait for the same end. True if everything ended
   * well: a part that failed or passed its deadline is logged and does not delay the rest.
   */
  stop(reason: string): Promise<boolean> {
    this.stopping ??= this.stopAll(reason);
    return this.stopping;
  }

  private async stopAll(reason: string): Promise<boolean> {
    this.log.info({ reason }, 'stopping');
    let isClean = true;
    for (const phase of stopPhases) {
      if (phase === 'doors') this.actor.send({ type: 'stop', reason });
      for (const stoppable of this.stoppables) {
        if (stoppable.phase !== phase) continue;
        const startedAt = this.clock.monotonic();
        const hasStopped = await this.stopOne(stoppable);
        const durationMs = Math.round(this.clock.monotonic() - startedAt);
        this.log.debug({ stopped: stoppable.name, durationMs }, 'stopped');
        isClean = hasStopped && isClean;
      }
    }
    this.actor.send({ type: 'closed' });
    return isClean;
  }

  private async stopOne(stoppable: Stoppable): Promise<boolean> {
    const { name, deadlineMs } = stoppable;
    try {
      const stopped = Promise.resolve(stoppable.stop());
      if (await this.endsWithin(deadlineMs, stopped)) return true;
      this.log.warn({ stoppable: name, deadlineMs }, 'did not stop in time');
      if (stoppable.cut === undefined) return false;
      stoppable.cut();
      return await this.endsWithin(cutDeadlineMs, stopped);
    } catch (error) {
      this.log.error({ stoppable: name, err: error }, 'did not stop');
      return false;
    }
  }

  private async endsWithin(deadlineMs: number, ended: Promise<void>): Promise<boolean> {
    let cancel = (): void => undefined;
    const late = new Promise<boolean>((resolve) => {
      cancel = this.clock.after(deadlineMs, () => resolve(false));
    });
    try {
      return await Promise.race([ended.then(() => true), late]);
    } finally {
      cancel();
    }
  }
}
