/**
 * Runs a `ClusterMember` on a shared log: carries out its appends and reads, and supplies the time
 * (ADR 63).
 */
import type { Clock } from '../engine/clock.js';
import { ClockSkew } from './clock-skew.js';
import type { AcknowledgedEntriesMissing } from './cluster-errors.js';
import type { AppendOutcome, CommitLog } from './commit-log.js';
import { ClusterMember } from './member.js';
import type { MemberAction, MemberOptions } from './member-actions.js';
import type { CountedBatch, HistoryState } from './shared-history.js';

/** Receives the batches of a node in order to fold them. All calls come in the order of the log. */
export interface NodeListener {
  /** Resolves once enough is folded for the next entries to be read. */
  readyForMore?(): Promise<void>;
  /** A batch counts: fold it. The promise of its `submit` resolves right after this call. */
  counted(batch: CountedBatch): void;
  /** The log was read or appended to: `clockSkewMs` may have changed. */
  heard?(): void;
  /** This node now owns the log; `mayServe` and `mayAct` say what it may do. */
  took(epoch: number): void;
  /** The log is released, as `release` requested. */
  released(): void;
  /** Another node owns the log: every batch that does not count is void. */
  stoodDown(): void;
  /**
   * Entries before `start` are gone. The listener folds a snapshot that reaches at least to
   * `start`, and resolves with the matching state of the log.
   */
  resync(start: number): Promise<HistoryState>;
  /** The process must end. */
  stopped(error: AcknowledgedEntriesMissing): void;
}

/** What a node needs. */
export interface NodeOptions extends MemberOptions {
  readonly log: CommitLog;
  readonly clock: Clock;
  readonly listener: NodeListener;
  /** The state folded before; if absent, the node starts with the first entry of the log. */
  readonly state?: HistoryState;
  /** After this time an unanswered append counts as one of unknown outcome. */
  readonly appendMs: number;
}

/** A batch that this node submitted does not count, or may count without this node knowing. */
class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

interface Submitted {
  readonly body: Buffer;
  isSent: boolean;
  readonly resolve: (batch: CountedBatch) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts following the log when it is constructed, and reports to its listener the batches that
 * count and the changes of its own role. The caller closes the log that it passed in.
 */
export class ClusterNode {
  private readonly member: ClusterMember;
  private submitted: Submitted | null = null;
  private isReleasing = false;
  private readonly skew: ClockSkew;
  /** When a read began that found the end of the log; null while there may be more to read. */
  private readAllAt: number | null = null;
  private cancelTick: () => void = () => {};
  private isOpen = true;

  constructor(private readonly options: NodeOptions) {
    this.skew = new ClockSkew(options.clock);
    this.member = new ClusterMember(options, options.clock.monotonic(), options.state);
    this.tick();
  }

  /** The state that the shared log has been folded into so far. */
  get state(): HistoryState {
    return this.member.state;
  }

  /** Whether requests may be taken and answered. */
  get mayServe(): boolean {
    return this.isOpen && this.member.mayServe(this.now);
  }

  /** Whether a batch may be submitted; only one append is in flight at a time. */
  get maySubmit(): boolean {
    return this.isOpen && this.member.maySubmit(this.now);
  }

  /** See `ClusterMember.silentMs`. */
  get heardMsAgo(): number {
    return this.member.silentMs(this.now);
  }

  /** How far this node's clock is ahead of the log's, in milliseconds; null while unknown. */
  get clockSkewMs(): number | null {
    return this.skew.aheadMs;
  }

  /** Whether effects may start and reads be answered at this moment. */
  get mayAct(): boolean {
    return this.isOpen && this.member.mayAct(this.now);
  }

  /**
   * Commits a batch as soon as nothing else is in flight; only one batch at a time. Resolves once
   * the batch counts and the listener has it. Rejects with `OutcomeUnknown` if another node takes
   * the log, or this node is closed, before that.
   */
  submit(body: Buffer): Promise<CountedBatch> {
    if (!this.mayServe || this.submitted !== null) {
      return Promise.reject(new OutcomeUnknown('the node may not submit now'));
    }
    return new Promise((resolve, reject) => {
      this.submitted = { body, isSent: false, resolve, reject };
      this.sendWaiting();
    });
  }

  /** Releases the log as soon as nothing is in flight; the listener's `released` reports when. */
  release(): void {
    this.isReleasing = true;
    this.sendWaiting();
  }

  /** Stops all activity and all reports; the log stays open. */
  close(): void {
    this.isOpen = false;
    this.cancelTick();
    this.giveUp('the node is closed');
  }

  private get now(): number {
    return this.options.clock.monotonic();
  }

  /** Sends the batch or the release that waited for the append in flight. */
  private sendWaiting(): void {
    if (!this.maySubmit) return;
    const { submitted } = this;
    if (submitted === null) {
      if (this.isReleasing) this.carryOut(this.member.release(this.now));
    } else if (!submitted.isSent) {
      submitted.isSent = true;
      this.carryOut(this.member.submit(submitted.body, this.now));
    }
  }

  private tick(): void {
    const { clock, times } = this.options;
    this.carryOut(this.member.tick(this.now));
    this.sendWaiting();
    if (!this.isOpen) return;
    this.cancelTick = clock.after(Math.min(times.beatMs / 4, times.retryMs), () => this.tick());
  }

  private carryOut(actions: readonly MemberAction[]): void {
    for (const action of actions) if (this.isOpen) this.do(action);
  }

  private do(action: MemberAction): void {
    const { listener } = this.options;
    switch (action.kind) {
      case 'append':
        void this.append(action.send, action.expected, action.bytes);
        break;
      case 'read':
        void this.read(action.from);
        break;
      case 'counted':
        listener.counted(action.batch);
        if (action.isOwn) this.resolveSubmitted(action.batch);
        break;
      case 'took':
        listener.took(action.epoch);
        break;
      case 'released':
        listener.released();
        break;
      case 'stood-down':
        this.giveUp("the log is another node's");
        listener.stoodDown();
        break;
      case 'resync':
        void this.resync(action.start);
        break;
      case 'stop':
        this.close();
        listener.stopped(action.error);
    }
  }

  /** Reports exactly one outcome to the member: an answer after the time limit is ignored. */
  private async append(send: number, expected: number, bytes: Buffer): Promise<void> {
    const { log, clock, appendMs, listener } = this.options;
    let cancel = () => {};
    const late = new Promise<AppendOutcome>((resolve) => {
      cancel = clock.after(appendMs, () => resolve({ kind: 'unknown' }));
    });
    const unknown = (): AppendOutcome => ({ kind: 'unknown' });
    const sentAt = this.now;
    const outcome = await Promise.race([log.append(expected, bytes).catch(unknown), late]);
    cancel();
    if (!this.isOpen) return;
    if (outcome.kind === 'stored') {
      if (outcome.at !== null) this.skew.asked(outcome.at, sentAt);
      listener.heard?.();
    }
    this.carryOut(this.member.appendEnded(send, outcome, this.now));
    this.sendWaiting();
  }

  private async read(from: number): Promise<void> {
    const { log, listener } = this.options;
    await listener.readyForMore?.();
    const since = this.now;
    const found = await log.read(from).catch(() => null);
    if (!this.isOpen) return;
    if (found === null) {
      this.member.readFailed();
      return;
    }
    const last = found.entries.at(-1);
    if (found.now !== undefined) this.skew.asked(found.now, since);
    // The read before has found the end, so that this entry came after it.
    else if (last?.at != null && this.readAllAt !== null) this.skew.read(last.at, this.readAllAt);
    listener.heard?.();
    this.readAllAt = (last === undefined ? from : last.place + 1) >= found.end ? since : null;
    this.carryOut(this.member.readEnded(found, this.now));
    // There may be more entries: a node that lags does not wait for its next tick.
    if (found.entries.length > 0 && this.isOpen) this.carryOut(this.member.tick(this.now));
    this.sendWaiting();
  }

  private async resync(start: number): Promise<void> {
    const { listener, clock, times } = this.options;
    if (!this.isOpen) return;
    const state = await listener.resync(start).catch(() => null);
    if (!this.isOpen) return;
    if (state === null) clock.after(times.beatMs, () => void this.resync(start));
    else this.member.restore(state, this.now);
  }

  private resolveSubmitted(batch: CountedBatch): void {
    const { submitted } = this;
    this.submitted = null;
    submitted?.resolve(batch);
  }

  private giveUp(reason: string): void {
    const { submitted } = this;
    this.submitted = null;
    submitted?.reject(new OutcomeUnknown(reason));
  }
}
