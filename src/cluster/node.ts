/** Carries out a `ClusterMember` over a shared log: appends, reads and time (ADR 63). */
import type { Clock } from '../engine/clock.js';
import { ClockSkew } from './clock-skew.js';
import type { AcknowledgedEntriesMissing } from './cluster-errors.js';
import type { AppendOutcome, CommitLog } from './commit-log.js';
import { ClusterMember } from './member.js';
import type { MemberAction, MemberOptions } from './member-actions.js';
import type { CountedBatch, HistoryState } from './shared-history.js';

/** Receives the batches of a node, to fold them. All calls come in the order of the log. */
export interface NodeListener {
  /** Settles once so much is folded that the next entries may be read. */
  readyForMore?(): Promise<void>;
  /** A batch counts: fold it. What `submit` promised for it is kept right after. */
  counted(batch: CountedBatch): void;
  /** The log was read, or appended to: `clockSkewMs` may be another one. */
  heard?(): void;
  /** The log is this node's; what it may do, `mayServe` and `mayAct` say. */
  took(epoch: number): void;
  /** The log is given up, as `release` asked. */
  released(): void;
  /** The log is another node's: all that is not counted is void. */
  stoodDown(): void;
  /**
   * Entries before `start` are gone. Folds a snapshot that reaches to `start` at least, and
   * resolves with the state of the log that belongs to it.
   */
  resync(start: number): Promise<HistoryState>;
  /** The process has to end. */
  stopped(error: AcknowledgedEntriesMissing): void;
}

/** What a node needs. */
export interface NodeOptions extends MemberOptions {
  readonly log: CommitLog;
  readonly clock: Clock;
  readonly listener: NodeListener;
  /** What was folded before; nothing where it is absent. */
  readonly state?: HistoryState;
  /** After this an append's outcome counts as unknown. */
  readonly appendMs: number;
}

/** A batch that this node has submitted does not count, or may count without its knowledge. */
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
 * It begins to follow when it is made, and tells its listener what counts and what it has become.
 * The log that it was given is its caller's to close.
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

  /** What is folded of the shared log by now. */
  get state(): HistoryState {
    return this.member.state;
  }

  /** Whether requests may be taken and answered. */
  get mayServe(): boolean {
    return this.isOpen && this.member.mayServe(this.now);
  }

  /** Whether a batch may be submitted: one is under way at a time. */
  get maySubmit(): boolean {
    return this.isOpen && this.member.maySubmit(this.now);
  }

  /** See `ClusterMember.silentMs`. */
  get heardMsAgo(): number {
    return this.member.silentMs(this.now);
  }

  /** By how much this node's clock is ahead of the log's; null while it is not known. */
  get clockSkewMs(): number | null {
    return this.skew.aheadMs;
  }

  /** Whether effects may start and reads be answered at this moment. */
  get mayAct(): boolean {
    return this.isOpen && this.member.mayAct(this.now);
  }

  /**
   * Commits a batch, one at a time, as soon as nothing else is under way. Resolves once it counts
   * and the listener has it. Rejects with `OutcomeUnknown` where the log becomes another node's, or
   * this one is closed, before that.
   */
  submit(body: Buffer): Promise<CountedBatch> {
    if (!this.mayServe || this.submitted !== null) {
      return Promise.reject(new OutcomeUnknown('the node may not submit now'));
    }
    return new Promise((resolve, reject) => {
      this.submitted = { body, isSent: false, resolve, reject };
      this.goOn();
    });
  }

  /** Gives the log up as soon as nothing is under way; `released` tells when it is. */
  release(): void {
    this.isReleasing = true;
    this.goOn();
  }

  /** Says and does nothing from now on; the log stays open. */
  close(): void {
    this.isOpen = false;
    this.cancelTick();
    this.giveUp('the node is closed');
  }

  private get now(): number {
    return this.options.clock.monotonic();
  }

  /** What was waiting for the append under way is sent. */
  private goOn(): void {
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
    this.goOn();
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
        if (action.isOwn) this.keepPromise(action.batch);
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

  /** Reports one outcome: an answer after the time limit is ignored. */
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
    this.goOn();
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
    // There may be more: one that is behind does not wait for its next beat.
    if (found.entries.length > 0 && this.isOpen) this.carryOut(this.member.tick(this.now));
    this.goOn();
  }

  private async resync(start: number): Promise<void> {
    const { listener, clock, times } = this.options;
    if (!this.isOpen) return;
    const state = await listener.resync(start).catch(() => null);
    if (!this.isOpen) return;
    if (state === null) clock.after(times.beatMs, () => void this.resync(start));
    else this.member.restore(state, this.now);
  }

  private keepPromise(batch: CountedBatch): void {
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
