/**
 * Makes snapshots of memory while the engine goes on, so that a start folds little of the journal.
 * One is made at a time; none while a sweep takes records out that lie behind it.
 */
import type { Snapshots } from '../../../storage/snapshot/snapshots.js';
import type { Engine } from '../engine.js';
import type { EventCodec } from '../event-codec.js';
import type { SweepGuard } from '../history/journal-sweeper.js';
import type { Journal } from '../journal.js';
import { type ImagePart, MemoryCut } from './memory-cut.js';

/** The making was ended before there was a snapshot. */
export class SnapshotStopped extends Error {
  override readonly name = 'SnapshotStopped';
}

/** A snapshot that was written. */
export interface WrittenSnapshot {
  /** What lies below it is in the snapshot. */
  readonly offset: number;
  readonly byteLength: number;
}

/** The memory of which snapshots are made. */
export interface SnapshotSource {
  readonly engine: Engine;
  readonly codec: EventCodec;
  /** See `imageLabel`; asked for when everything is registered. */
  label(): string;
  /**
   * Memory holds all below this offset and nothing else: what the journal has beyond it is still to
   * be folded.
   */
  heldUntil(): number;
  /** Is called in the tick in which memory is cut; what it answers is waited for. */
  cut(offset: number, standsStill: boolean): Promise<void>;
}

/**
 * One for each engine; the server's runner asks it when one is due. A snapshot is a cache: where
 * none can be made, the next start folds more of the journal.
 */
export class SnapshotKeeper implements SweepGuard {
  /** Of the latest that is there and whole; -1 = none is. */
  private latestOffset = -1;
  private latestBytes = 0;
  private sweeping = 0;
  private making = 0;
  private underWay: Promise<unknown> = Promise.resolve();
  private isStopped = false;
  private isCut = false;

  /**
   * `everyBytes` of the journal are worth a snapshot, if they are half of the last one's too: a
   * large memory is not written anew for little.
   */
  constructor(
    private readonly source: SnapshotSource,
    private readonly journal: Journal,
    private readonly snapshots: Snapshots,
    private readonly everyBytes: number,
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
    const isFree = this.sweeping === 0 && this.making === 0 && !this.isStopped;
    return isFree && this.unfoldedBytes >= Math.max(this.everyBytes, this.latestBytes / 2);
  }

  /**
   * Makes one of memory as it is when it begins. Rejects with `SnapshotStopped`, or as the disk
   * does; the earlier ones stay as they are then. `standsStill`: no turn comes any more.
   */
  make(standsStill = false): Promise<WrittenSnapshot> {
    const making = this.underWay.then(() => this.makeOne(standsStill));
    this.underWay = making.catch(() => undefined);
    return making;
  }

  /** Ends what is under way soon, and makes no more. */
  async cutOff(): Promise<void> {
    this.isCut = true;
    await this.stop();
  }

  /** Waits for what is under way; none is begun after this. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.underWay;
  }

  /** What was remembered below the edge is no more what the journal says there. */
  async sweepBegins(edge: number): Promise<void> {
    this.sweeping += 1;
    await this.underWay;
    await this.snapshots.removeBefore(edge);
    if (this.latestOffset < edge) this.found(null);
  }

  /** Snapshots are made again, once every sweep that began has ended. */
  sweepEnded(): void {
    this.sweeping -= 1;
  }

  private async makeOne(standsStill: boolean): Promise<WrittenSnapshot> {
    this.check();
    const { source } = this;
    const offset = source.heldUntil();
    const cut = new MemoryCut(source.engine, source.codec);
    this.making += 1;
    try {
      await source.cut(offset, standsStill);
      await source.engine.durable();
      // What it knows must not go beyond what a crash would leave of the journal.
      await this.journal.synced();
      const name = { offset, label: source.label() };
      const { byteLength } = await this.snapshots.write(name, this.checked(cut.parts()));
      this.found({ offset, byteLength });
      return { offset, byteLength };
    } finally {
      this.making -= 1;
      cut.end();
    }
  }

  private async *checked(parts: AsyncIterable<ImagePart>): AsyncGenerator<ImagePart> {
    for await (const part of parts) {
      this.check();
      yield part;
      // A disk that answers at once would have no other work go on.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.check();
  }

  private check(): void {
    if (this.isCut || this.sweeping > 0) throw new SnapshotStopped('no snapshot is made now');
  }
}
