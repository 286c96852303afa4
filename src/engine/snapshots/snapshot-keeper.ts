/**
 * Makes snapshots of memory while the engine keeps running, so that a start has little of the
 * journal to fold. Makes one at a time, and none while a sweep removes records below it.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Snapshots } from '../../../storage/snapshot/snapshots.js';
import type { Engine } from '../engine.js';
import type { EventCodec } from '../event-codec.js';
import type { SweepGuard } from '../history/journal-sweeper.js';
import type { Journal } from '../journal.js';
import { type ImagePart, MemoryCut } from './memory-cut.js';

/** The snapshot was given up before it was complete. */
export class SnapshotStopped extends Error {
  override readonly name = 'SnapshotStopped';
}

/** A snapshot that was written. */
export interface WrittenSnapshot {
  /** Everything below this offset is in the snapshot. */
  readonly offset: number;
  readonly byteLength: number;
}

/** The memory from which snapshots are made. */
export interface SnapshotSource {
  readonly engine: Engine;
  readonly codec: EventCodec;
  /** See `imageLabel`; called when everything is registered. */
  label(): string;
  /**
   * Memory holds everything below this offset and nothing else: what the journal has from there on
   * is yet to be folded.
   */
  heldUntil(): number;
  /** Called in the tick in which memory is cut; its promise is awaited. */
  cut(offset: number, standsStill: boolean): Promise<void>;
}

/**
 * One per engine; the server's runner asks it when a snapshot is due. A snapshot is a cache: if
 * none can be made, the next start folds more of the journal.
 */
export class SnapshotKeeper implements SweepGuard {
  /** The offset of the latest complete snapshot; -1 = there is none. */
  private latestOffset = -1;
  private latestBytes = 0;
  private sweeping = 0;
  private making = 0;
  private underWay: Promise<unknown> = Promise.resolve();
  private isStopped = false;
  private isCut = false;

  /**
   * A snapshot is worth it after `everyBytes` of the journal, if these are also half of the size of
   * the last one: a large memory is not written again for little.
   */
  constructor(
    private readonly source: SnapshotSource,
    private readonly journal: Journal,
    private readonly snapshots: Snapshots,
    private readonly everyBytes: number,
  ) {}

  /** A start has used this snapshot, or has found none. */
  found(snapshot: { readonly offset: number; readonly byteLength: number } | null): void {
    this.latestOffset = snapshot?.offset ?? -1;
    this.latestBytes = snapshot?.byteLength ?? 0;
  }

  /** Bytes of the journal that no snapshot covers: what a start would fold now. */
  get unfoldedBytes(): number {
    let bytes = 0;
    for (const { baseOffset, nextOffset, byteLength } of this.journal.segments) {
      if (nextOffset <= this.latestOffset) continue;
      const from = Math.max(baseOffset, this.latestOffset);
      bytes += (byteLength * (nextOffset - from)) / Math.max(1, nextOffset - baseOffset);
    }
    return bytes;
  }

  /** Whether there is enough for another snapshot. */
  get isDue(): boolean {
    const isFree = this.sweeping === 0 && this.making === 0 && !this.isStopped;
    return isFree && this.unfoldedBytes >= Math.max(this.everyBytes, this.latestBytes / 2);
  }

  /**
   * Makes a snapshot of memory as it is when the work begins. Rejects with `SnapshotStopped`, or
   * like the disk; the earlier snapshots stay as they are then. `standsStill`: no more turns come.
   */
  make(standsStill = false): Promise<WrittenSnapshot> {
    const making = this.underWay.then(() => this.makeOne(standsStill));
    this.underWay = making.catch(() => undefined);
    return making;
  }

  /** Ends a snapshot in the making soon, and makes no more. */
  async cutOff(): Promise<void> {
    this.isCut = true;
    await this.stop();
  }

  /** Waits for a snapshot in the making; none is begun after this. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.underWay;
  }

  /** Removes the snapshots below the edge: the journal will no longer agree with them. */
  async sweepBegins(edge: number): Promise<void> {
    this.sweeping += 1;
    await this.underWay;
    await this.snapshots.removeBefore(edge);
    if (this.latestOffset < edge) this.found(null);
  }

  /** Allows snapshots again, once every sweep that began has ended. */
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
      // The snapshot must not contain more than a crash would leave of the journal.
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
      // With a disk that answers at once, no other work would get its turn.
      await nextTick();
    }
    this.check();
  }

  private check(): void {
    if (this.isCut || this.sweeping > 0) throw new SnapshotStopped('no snapshot is made now');
  }
}
