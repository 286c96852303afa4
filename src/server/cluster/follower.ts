/** Takes what counts in the shared log into this node's folder and memory, in its order. */
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import { decodeRecords } from '../../../storage/format/record.js';
import type { CommittedRecords } from '../../../storage/log/commit-stream.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import type { CountedBatch } from '../../cluster/shared-history.js';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import { type SweepRange, sweepBegunBy } from '../../engine/history/journal-sweep.events.js';
import { type Journal, journalLogName } from '../../engine/journal.js';
import { digestIn, type RecordedDigests } from '../../engine/snapshots/recorded-digests.js';
import { sealUpTo } from '../../topics/topics/sealed-part.js';
import type { DroppedLogs } from './kept/dropped-logs.js';
import { decodeChanges, type LogChange } from './log-changes.js';

/** What is read and not yet in the folder, in bytes, before reading waits. */
const aheadBytesMax = 32 * 1024 * 1024;

/** One write, and one stretch of folding: what else there is to do waits no longer. */
const pieceBytes = 2 * 1024 * 1024;

/** Folding gives the event loop a turn after so much: a write that is done meanwhile is noticed. */
const sliceBytes = 128 * 1024;

/** Pieces in the folder that wait to be folded: neither side stands while the other does. */
const unfoldedMax = 8;

/** What a node does while it follows, beside writing and folding what comes. */
export interface FollowerDuties {
  /** Called once, with the address of this node, before it takes the first entry. */
  begin(node: string): Promise<void>;
  /** The event that says so is folded, and none behind it is. */
  sweepBegun(range: SweepRange): void;
  /** Folder and memory hold the same, and nothing changes in them until this settles. */
  inStep(): Promise<void>;
}

/** What a follower works with. */
export interface FollowerPorts {
  readonly store: Store;
  readonly journal: Journal;
  readonly engine: Engine;
  /** Compares memory with what the owner has recorded of its own; null = nothing does. */
  readonly digests: Pick<RecordedDigests, 'compare'> | null;
  /** Null = it has none. */
  readonly duties: Pick<FollowerDuties, 'sweepBegun'> | null;
  /** What went from the folder, though it is read again. */
  readonly drops: Pick<DroppedLogs, 'left' | 'note'>;
  /** All that was taken is in the folder and in memory. */
  applied(): Promise<void>;
  /** The node cannot go on. */
  failed(error: unknown): void;
}

/** Batches that are written together, and then folded while later ones are written. */
type Piece = readonly { readonly sequence: number; readonly changes: readonly LogChange[] }[];

/**
 * Made by `Cluster` when it begins to follow. What fails is reported to `failed`, once, and nothing
 * is taken after that: folder and memory could be apart.
 */
export class Follower {
  private waiting: CountedBatch[] = [];
  private waitingBytes = 0;
  private running: Promise<void> | null = null;
  /** Those who wait for room. */
  private wakers: (() => void)[] = [];
  /** Memory holds all events below this offset, and no others. */
  foldedUntil: number;
  /** The last batch that the folder and memory hold. */
  appliedSequence = 0;

  constructor(private readonly ports: FollowerPorts) {
    this.foldedUntil = ports.journal.highWatermark;
  }

  /** Whether its folder has room for new work. */
  get hasRoom(): boolean {
    return this.ports.store.freeSpace.hasRoom;
  }

  /**
   * The next batch that counts; it waits in memory until those before it are written and folded.
   */
  take(batch: CountedBatch): void {
    this.waiting.push(batch);
    this.waitingBytes += batch.body.length;
    this.running ??= this.run().catch(this.ports.failed);
  }

  /** Settles once there is room for more. */
  async readyForMore(): Promise<void> {
    while (this.waitingBytes > aheadBytesMax) {
      await new Promise<void>((resolve) => this.wakers.push(resolve));
    }
  }

  /** Settles once all that was taken is in the folder and in memory, or that has failed. */
  async idle(): Promise<void> {
    for (let seen: Promise<void> | null = null; this.running !== seen; ) {
      seen = this.running;
      await seen;
    }
  }

  /** Pieces are written one after the other, and folded so, each behind its own write. */
  private async run(): Promise<void> {
    // One tick hands over all that one read has brought.
    await Promise.resolve();
    const unfolded: Promise<void>[] = [];
    for (let last: Promise<void> = Promise.resolve(); ; ) {
      const piece = this.nextPiece();
      if (piece !== null) {
        await this.write(piece);
        last = last.then(() => this.fold(piece));
        // It is awaited below; until then it must not count as unhandled.
        last.catch(() => undefined);
        unfolded.push(last);
        if (unfolded.length < unfoldedMax) continue;
      } else if (unfolded.length === 0) break;
      await unfolded.shift();
      if (unfolded.length === 0 && this.waiting.length === 0) await this.ports.applied();
    }
    this.running = null;
  }

  private nextPiece(): Piece | null {
    const { waiting } = this;
    let count = 0;
    let bytes = 0;
    while (count < waiting.length && bytes < pieceBytes) {
      bytes += waiting[count]?.body.length ?? 0;
      count += 1;
    }
    const batches = waiting.splice(0, count);
    this.waitingBytes -= bytes;
    if (this.waitingBytes <= aheadBytesMax) for (const wake of this.wakers.splice(0)) wake();
    if (batches.length === 0) return null;
    const { drops } = this.ports;
    return batches.map(({ sequence, body }) => {
      return { sequence, changes: drops.left(decodeChanges(body), sequence) };
    });
  }

  private async write(piece: Piece): Promise<void> {
    let following: Promise<void>[] = [];
    for (const { sequence, changes } of piece) {
      for (const change of changes) {
        if (change.kind === 'appended') {
          const log = await this.logOf(change.log);
          following.push(log.follow(change.records));
          continue;
        }
        await Promise.all(following);
        following = [];
        if (change.kind === 'dropped') await this.drop(change.log, sequence);
        else await this.trim(change.log, change.offset);
      }
    }
    await Promise.all(following);
  }

  private async drop(name: string, sequence: number): Promise<void> {
    const { store, drops } = this.ports;
    await drops.note(name, sequence);
    await store.dropLog(name);
  }

  /** Segments end elsewhere here: what lies below as a whole is sealed before it can go. */
  private async trim(name: string, offset: number): Promise<void> {
    const log = this.ports.store.log(name);
    if (log === undefined) return;
    await sealUpTo(log, offset).catch((error: unknown) => {
      // It is sealed once there is room, and goes with the next trim.
      if (!(error instanceof DiskFull)) throw error;
    });
    await log.trimTo(offset);
  }

  private async logOf(name: string): Promise<PartitionLog> {
    const { store } = this.ports;
    return store.log(name) ?? store.createLog(name);
  }

  /** What is in the folder by now; its bytes need not be read from there. */
  private async fold(piece: Piece): Promise<void> {
    let bytes = sliceBytes;
    for (const change of piece.flatMap(({ changes }) => changes)) {
      if (change.kind !== 'appended' || change.log !== journalLogName) continue;
      if (bytes >= sliceBytes) {
        await new Promise((resolve) => setImmediate(resolve));
        bytes = 0;
      }
      bytes += change.records.body.length;
      await this.foldRecords(change.records);
    }
    this.appliedSequence = piece.at(-1)?.sequence ?? this.appliedSequence;
  }

  private async foldRecords({ baseOffset, body }: CommittedRecords): Promise<void> {
    const { journal, digests, duties } = this.ports;
    const records = decodeRecords(body, baseOffset, this.foldedUntil);
    const envelopes = journal.events(records);
    let from = 0;
    const replayTo = (until: number) => {
      this.replay(envelopes.slice(from, until));
      from = until;
    };
    for (const [at, envelope] of envelopes.entries()) {
      const recorded = digestIn(envelope);
      if (recorded !== null) {
        replayTo(at);
        await digests?.compare(recorded, this.foldedUntil);
      }
      const sweep = sweepBegunBy(envelope);
      if (sweep !== null) {
        replayTo(at + 1);
        duties?.sweepBegun(sweep);
      }
    }
    replayTo(envelopes.length);
    this.foldedUntil = (records.at(-1)?.offset ?? this.foldedUntil - 1) + 1;
  }

  /** By the same line as a start does. */
  private replay(envelopes: readonly EventEnvelope[]): void {
    this.ports.engine.replay(envelopes);
    this.foldedUntil = (envelopes.at(-1)?.offset ?? this.foldedUntil - 1) + 1;
  }
}
