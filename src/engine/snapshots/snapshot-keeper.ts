/**
 * Makes snapshots of memory beside the running engine, so that a start folds little of the journal:
 * the last one, and what was appended since, are folded aside, and the next one is written. One is
 * made at a time; none while a sweep takes records out that it would have to fold.
 */
import type { BatchBytes } from '../../../storage/format/record-batch.js';
import type { FoundSnapshot, Snapshots } from '../../../storage/snapshot/snapshots.js';
import type { SweepGuard } from '../history/journal-sweeper.js';
import type { Journal } from '../journal.js';
import type { FoldingAside } from './folding-aside.js';
import { type DifferingItem, differingItems, type LiveMemory } from './live-memory.js';
import { hasStreams } from './memory-image.js';
import { differingSections } from './state-digest.js';

/** The making was ended before there was a snapshot. */
export class SnapshotStopped extends Error {
  override readonly name = 'SnapshotStopped';
}

/** What was folded aside is not what the engine remembers of the same events: a defect. */
export class MemoryDiffers extends Error {
  override readonly name = 'MemoryDiffers';

  constructor(
    /** What lies below it was folded. */
    readonly offset: number,
    readonly sections: readonly string[],
    /** Some of those that differ; `one` is the engine's. */
    readonly items: readonly DifferingItem[],
  ) {
    const names = items.map(({ section, key, field }) => `${section} ${key} (${field || 'all'})`);
    super(
      `the events below ${offset} were folded to another memory than the engine's, which differs ` +
        `in ${sections.join(', ')}: ${names.join(', ')}`,
    );
  }
}

/** A snapshot that was written. */
export interface WrittenSnapshot {
  /** What lies below it is in the snapshot. */
  readonly offset: number;
  readonly byteLength: number;
  /** How far the one reached that it goes on from; -1 = everything was folded. */
  readonly from: number;
  /** The digest that it and the engine had; null = the engine's memory was not digested. */
  readonly digest: string | null;
}

/** Events of the journal from one offset to another, or fewer: as many as have so many bytes. */
interface Portion {
  readonly from: number;
  readonly end: number;
  readonly bytesMax: number;
}

/**
 * One snapshot is of so much more of the journal than the one before it, or of as much as a quarter
 * of that one, if it is more: what this changes is held in memory, beside the indexes, and what it
 * does not change is not (ADR 60).
 */
const portionBytesMin = 256 * 1024 * 1024;

/** What is not much more than a portion is one: no snapshot is made for little. */
const portionSlack = 1.5;

export class SnapshotKeeper implements SweepGuard {
  /** Of the latest that is there and whole; -1 = none is. */
  private latestOffset = -1;
  private latestBytes = 0;
  private sweeping = 0;
  private folding: FoldingAside | null = null;
  private underWay: Promise<unknown> = Promise.resolve();
  private isStopped = false;
  private isCut = false;
  /** The latest was made of a portion of what was there. */
  private isBehind = false;

  /**
   * `begin` makes an empty memory; `everyBytes` of the journal are worth a snapshot, if they are
   * half of the last one's too: a large memory is not written anew for little. `portionMin` is
   * `portionBytesMin`, but in tests.
   */
  constructor(
    private readonly journal: Journal,
    private readonly snapshots: Snapshots,
    private readonly label: () => string,
    private readonly begin: () => FoldingAside,
    private readonly everyBytes: number,
    private readonly live: (standsStill: boolean, label: string) => Promise<LiveMemory | null>,
    private readonly portionMin = portionBytesMin,
  ) {}

  /** A start has used this one, or has found none. */
  found(snapshot: { readonly offset: number; readonly byteLength: number } | null): void {
    this.latestOffset = snapshot?.offset ?? -1;
    this.latestBytes = snapshot?.byteLength ?? 0;
  }

  /** Bytes of the journal that no snapshot has: what a start would fold now. */
  get unfoldedBytes(): number {
    let bytes = 0;
    for (const { baseOffset, nextOffset, byteLength } of this.journal.segments) {
      if (nextOffset <= this.latestOffset) continue;
      const from = Math.max(baseOffset, this.latestOffset);
      bytes += (byteLength * (nextOffset - from)) / Math.max(1, nextOffset - baseOffset);
    }
    return bytes;
  }

  /** Whether there is enough for another one. */
  get isDue(): boolean {
    const isFree = this.sweeping === 0 && this.folding === null && !this.isStopped;
    if (!isFree) return false;
    if (this.isBehind) return true;
    return this.unfoldedBytes >= Math.max(this.everyBytes, this.latestBytes / 2);
  }

  /**
   * Makes one of everything that is durable by now, or of the next portion. Rejects with
   * `SnapshotStopped`, as the disk does, with `MemoryDiffers`, or with what the folding threw; the
   * earlier ones stay as they are then. `standsStill`: no turn comes any more.
   */
  make(standsStill = false): Promise<WrittenSnapshot> {
    const making = this.underWay.then(() => this.makeOne(standsStill));
    this.underWay = making.catch(() => undefined);
    return making;
  }

  /** Ends what is under way at once, and makes no more. */
  async cut(): Promise<void> {
    this.isCut = true;
    await this.stop();
  }

  /** Waits for what is under way; none is begun after this. */
  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.isCut) await this.folding?.end();
    await this.underWay;
  }

  /** What was folded below the edge is no more what the journal says there. */
  async sweepBegins(edge: number): Promise<void> {
    this.sweeping += 1;
    await this.folding?.end();
    await this.underWay;
    await this.snapshots.removeBefore(edge);
    if (this.latestOffset < edge) this.found(null);
  }

  sweepEnded(): void {
    this.sweeping -= 1;
  }

  private async makeOne(standsStill: boolean): Promise<WrittenSnapshot> {
    const { unfoldedBytes } = this;
    let bytesMax = Math.max(this.portionMin, this.latestBytes / 4);
    for (;;) {
      const isCutOff = unfoldedBytes > bytesMax * portionSlack;
      try {
        return await this.makeOf(isCutOff ? bytesMax : Infinity, standsStill);
      } catch (error) {
        // What a sweep that was killed has left of a stream may lie on both sides of the cut.
        if (!isCutOff || !isBroken(error)) throw error;
        bytesMax *= 2;
      }
    }
  }

  private async makeOf(bytesMax: number, standsStill: boolean): Promise<WrittenSnapshot> {
    this.check();
    const folding = this.begin();
    this.folding = folding;
    try {
      const label = this.label();
      const live = bytesMax < Infinity ? null : await this.live(standsStill, label);
      const end = live?.offset ?? (await this.journal.synced());
      const last = await this.snapshots.latest(label, end);
      const from = last?.offset ?? -1;
      const isMerged = last !== null && live === null;
      let portion: Portion = { from, end, bytesMax };
      if (isMerged) {
        // There may be no batch at all.
        await this.next(folding.touch([]));
        const touchedEnd = await this.pass(portion, (batches) => folding.touch(batches));
        portion = { from, end: touchedEnd, bytesMax: Infinity };
      }
      for await (const part of last?.parts() ?? []) await this.next(folding.take(part));
      const until = await this.pass(portion, (batches) => folding.fold(batches));
      if (live !== null) await compare(live, folding);
      const image = isMerged ? this.mergedImage(last, folding) : folding.image();
      const { byteLength } = await this.snapshots.write({ offset: until, label }, image);
      this.found({ offset: until, byteLength });
      this.isBehind = until < end;
      return { offset: until, byteLength, from, digest: live?.digest.hex ?? null };
    } finally {
      this.folding = null;
      await folding.end();
    }
  }

  /** Gives whole turns of a portion to `give`; answers where it ends. */
  private async pass(
    { from, end, bytesMax }: Portion,
    give: (batches: readonly BatchBytes[]) => Promise<void>,
  ): Promise<number> {
    let bytes = 0;
    for await (const batches of this.journal.batches(Math.max(from, 0), end)) {
      const given: BatchBytes[] = [];
      let next = end;
      for (const { content, byteLength, nextOffset } of batches) {
        if (bytes >= bytesMax) break;
        given.push(content);
        bytes += byteLength;
        next = nextOffset;
      }
      await this.next(give(given));
      if (bytes >= bytesMax) return next;
    }
    return end;
  }

  /** What the last snapshot has, with what has changed; nothing holds all of it. */
  private async *mergedImage(last: FoundSnapshot, folding: FoldingAside) {
    for await (const part of last.parts()) if (hasStreams(part)) yield await folding.merge(part);
    yield* folding.image();
  }

  private async next(step: Promise<void>): Promise<void> {
    await step;
    this.check();
  }

  private check(): void {
    if (this.isCut || this.sweeping > 0) throw new SnapshotStopped('no snapshot is made now');
  }
}

/** By its name: it may come from another thread. */
function isBroken(error: unknown): boolean {
  return error instanceof Error && error.name === 'BrokenStream';
}

async function compare(live: LiveMemory, folding: FoldingAside): Promise<void> {
  const sections = differingSections(live.digest, await folding.digest());
  if (sections.length === 0) return;
  const items = differingItems(live.items(), await folding.items(sections), sections);
  throw new MemoryDiffers(live.offset, sections, items);
}
