/**
 * Proves continuously that events lead to the same memory whenever they are folded: the events
 * between two snapshots, which the engine has made of its own memory, are folded again from the
 * journal, and must lead from one to the other. It uses a small part of one processor.
 */
import type { BatchBytes } from '../../../storage/format/record-batch.js';
import type { FoundSnapshot, Snapshots } from '../../../storage/snapshot/snapshots.js';
import type { SweepGuard } from '../history/journal-sweeper.js';
import type { Journal } from '../journal.js';
import type { FoldingAside } from './folding-aside.js';
import type { DifferingItem } from './image-comparison.js';

/** Folding has led to another memory than the engine's, from the same events: a defect. */
export class MemoryDiffers extends Error {
  override readonly name = 'MemoryDiffers';

  constructor(
    /** The offset of the later snapshot. */
    readonly offset: number,
    /** Some of the items that differ; `one` is the engine's. */
    readonly items: readonly DifferingItem[],
  ) {
    const names = items.map(({ section, key, field }) => {
      return `${section} ${key || '(of those that no event has touched)'} (${field || 'all'})`;
    });
    super(
      `the events below ${offset} were folded to another memory than the engine's: ` +
        names.join(', '),
    );
  }
}

/** The range of events that was checked. */
export interface CheckedMemory {
  /** The offset of the earlier snapshot; -1 = all of the journal was folded. */
  readonly from: number;
  readonly until: number;
}

/** More bytes of the journal than this are not folded again: what they change is held in memory. */
const bytesMax = 256 * 1024 * 1024;

/** The share of its time for which it works, unless something is known to be wrong. */
const busyShare = 0.1;

/** What the check uses: a memory in a thread beside the server, and a clock. */
export interface CheckPorts {
  /** An empty memory. */
  begin(): FoldingAside;
  /** Whether a sweep has removed events: the journal alone is then not the whole history. */
  isSwept(): boolean;
  /** Settles after `ms` milliseconds. */
  pause(ms: number): Promise<void>;
  /** A monotonic time in milliseconds. */
  monotonic(): number;
}

/** The check was stopped before it had a result. */
class CheckStopped extends Error {}

/**
 * One per engine, called by the runner of snapshots. It gives way to sweeps, whose removals would
 * leave nothing to fold (ADR 74).
 */
export class MemoryCheck implements SweepGuard {
  private checkedUntil = -1;
  private folding: FoldingAside | null = null;
  private underWay: Promise<unknown> = Promise.resolve();
  private sweeping = 0;
  private isStopped = false;
  private share = busyShare;
  private wake: () => void = () => undefined;

  constructor(
    private readonly journal: Journal,
    private readonly snapshots: Snapshots,
    private readonly label: () => string,
    private readonly ports: CheckPorts,
  ) {}

  /**
   * Checks the latest snapshot against the one before it; null = this was done already, there is
   * too much between them, or the check was stopped. Rejects with `MemoryDiffers`, or with an error
   * of the folding. `share` is the part of the time for which it works.
   */
  check(share = busyShare): Promise<CheckedMemory | null> {
    this.share = share;
    const checking = this.checkLatest().catch((error: unknown) => {
      if (error instanceof CheckStopped || this.isOver) return null;
      throw error;
    });
    this.underWay = checking.catch(() => undefined);
    return checking;
  }

  /** Stops a running check and settles when it has ended. No check begins after this. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.giveUp();
  }

  /** Stops a running check and settles when it has ended. No check begins before `sweepEnded`. */
  async sweepBegins(): Promise<void> {
    this.sweeping += 1;
    await this.giveUp();
  }

  sweepEnded(): void {
    this.sweeping -= 1;
  }

  private get isOver(): boolean {
    return this.isStopped || this.sweeping > 0;
  }

  private async giveUp(): Promise<void> {
    this.wake();
    await this.folding?.end();
    await this.underWay;
  }

  private async checkLatest(): Promise<CheckedMemory | null> {
    if (this.isOver) return null;
    const label = this.label();
    const later = await this.snapshots.latest(label, Number.MAX_SAFE_INTEGER);
    if (later === null || later.offset <= this.checkedUntil) return null;
    const earlier = await this.snapshots.latest(label, later.offset - 1);
    const from = earlier?.offset ?? -1;
    this.checkedUntil = later.offset;
    if (earlier === null && this.ports.isSwept()) return null;
    if (this.bytesBetween(from, later.offset) > bytesMax) return null;
    const release = this.snapshots.pin([from, later.offset]);
    const folding = this.ports.begin();
    this.folding = folding;
    try {
      const items = await this.differences(folding, earlier, later);
      if (items.length > 0) throw new MemoryDiffers(later.offset, items);
      return { from, until: later.offset };
    } finally {
      this.folding = null;
      release();
      await folding.end();
    }
  }

  private async differences(
    folding: FoldingAside,
    earlier: FoundSnapshot | null,
    later: FoundSnapshot,
  ): Promise<readonly DifferingItem[]> {
    const between = () => this.batches(earlier?.offset ?? 0, later.offset);
    for await (const batches of between()) await this.slowly(() => folding.touch(batches));
    for await (const part of earlier?.parts() ?? []) {
      await this.slowly(() => folding.take(part));
    }
    for await (const batches of between()) await this.slowly(() => folding.fold(batches));
    for await (const part of later.parts()) await this.slowly(() => folding.compare(part));
    return folding.differences();
  }

  private async *batches(from: number, until: number): AsyncGenerator<readonly BatchBytes[]> {
    for await (const batches of this.journal.batches(from, until)) {
      yield batches.map(({ content }) => content);
    }
  }

  private async slowly(step: () => Promise<void>): Promise<void> {
    if (this.isOver) throw new CheckStopped('memory is not checked now');
    const startedAt = this.ports.monotonic();
    await step();
    const woken = new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    const pause = this.ports.pause((this.ports.monotonic() - startedAt) * (1 / this.share - 1));
    await Promise.race([pause, woken]);
  }

  private bytesBetween(from: number, until: number): number {
    let bytes = 0;
    for (const { baseOffset, nextOffset, byteLength } of this.journal.segments) {
      if (nextOffset > from && baseOffset < until) bytes += byteLength;
    }
    return bytes;
  }
}
