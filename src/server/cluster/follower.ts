/** Applies what counts in the shared log to this node's folder and memory, in order. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { DiskFull, LogClosed } from '../../../storage/faults/storage-errors.js';
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

/** How many bytes may be read but not yet written to the folder before reading pauses. */
const aheadBytesMax = 32 * 1024 * 1024;

/** The size of one write, and of one stretch of folding: other work waits no longer than that. */
const pieceBytes = 2 * 1024 * 1024;

/** Folding yields to the event loop after this much, so that a completed write is noticed. */
const sliceBytes = 128 * 1024;

/** How many written pieces may wait to be folded: keeps both sides busy at the same time. */
const unfoldedMax = 8;

/** What a node does while it follows, besides writing and folding. */
export interface FollowerDuties {
  /** Called once, with the address of this node, before it takes the first entry. */
  begin(node: string): Promise<void>;
  /** Called when the event that begins the sweep is folded, and no later event is. */
  sweepBegun(range: SweepRange): void;
  /** Called while folder and memory hold the same; nothing changes in them until this settles. */
  inStep(): Promise<void>;
}

/** The collaborators of a follower. */
export interface FollowerPorts {
  readonly store: Store;
  readonly journal: Journal;
  readonly engine: Engine;
  /**
   * Compares memory with the digests that the owner has recorded of its own; null = no comparison.
   */
  readonly digests: Pick<RecordedDigests, 'compare'> | null;
  /** Null if it has no duties. */
  readonly duties: Pick<FollowerDuties, 'sweepBegun'> | null;
  /** Logs that were removed from the folder, although their changes are read again. */
  readonly drops: Pick<DroppedLogs, 'left' | 'note'>;
  /** Called when everything taken is in the folder and in memory. */
  applied(): Promise<void>;
  /** Called when the node cannot continue. */
  failed(error: unknown): void;
}

/** Batches that are written together, and then folded while later ones are written. */
type Piece = readonly { readonly sequence: number; readonly changes: readonly LogChange[] }[];

/**
 * Created by `Cluster` when it begins to follow. A failure is reported to `failed` once, and
 * nothing is taken after that, as folder and memory could differ.
 */
export class Follower {
  private waiting: CountedBatch[] = [];
  private waitingBytes = 0;
  private running: Promise<void> | null = null;
  private isStopped = false;
  /** Resolve the callers that wait for room. */
  private wakers: (() => void)[] = [];
  /** Memory holds all events below this offset, and no others. */
  foldedUntil: number;
  /** The last batch that the folder and memory hold. */
  appliedSequence = 0;

  constructor(private readonly ports: FollowerPorts) {
    this.foldedUntil = ports.journal.highWatermark;
  }

  /** Whether the folder has room for new work. */
  get hasRoom(): boolean {
    return this.ports.store.freeSpace.hasRoom;
  }

  /**
   * Takes the next batch that counts; it waits in memory until all earlier batches are written and
   * folded.
   */
  take(batch: CountedBatch): void {
    this.waiting.push(batch);
    this.waitingBytes += batch.body.length;
    this.running ??= this.run().catch((error: unknown) => {
      // The store did not wait for what was being written.
      if (!this.isStopped || !(error instanceof LogClosed)) this.ports.failed(error);
    });
  }

  /** Settles once there is room for more. */
  async readyForMore(): Promise<void> {
    while (this.waitingBytes > aheadBytesMax) {
      await new Promise<void>((resolve) => this.wakers.push(resolve));
    }
  }

  /** Settles once everything taken is in the folder and in memory, or that has failed. */
  async idle(): Promise<void> {
    for (let seen: Promise<void> | null = null; this.running !== seen; ) {
      seen = this.running;
      await seen;
    }
  }

  /** Settles once nothing is being written; what it has not begun is left to the next start. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.waiting = [];
    this.waitingBytes = 0;
    await this.idle();
  }

  /**
   * Writes the pieces one after the other, and folds each after its own write, in the same order.
   */
  private async run(): Promise<void> {
    // All batches of one read arrive within one tick.
    await Promise.resolve();
    const unfolded: Promise<void>[] = [];
    for (let last: Promise<void> = Promise.resolve(); ; ) {
      const piece = this.nextPiece();
      if (piece !== null) {
        await this.write(piece);
        last = last.then(() => this.fold(piece));
        // The promise is awaited below; until then, a rejection must not count as unhandled.
        last.catch(() => undefined);
        unfolded.push(last);
        if (unfolded.length < unfoldedMax) continue;
      } else if (unfolded.length === 0) break;
      await unfolded.shift();
      if (this.isStopped) continue;
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
    await store.dropLog(name, true);
  }

  /**
   * Segments have different boundaries here, so the part below the offset is sealed before it can
   * be removed.
   */
  private async trim(name: string, offset: number): Promise<void> {
    const log = this.ports.store.log(name);
    if (log === undefined) return;
    await sealUpTo(log, offset).catch((error: unknown) => {
      // It will be sealed when there is room, and removed by the next trim.
      if (!(error instanceof DiskFull)) throw error;
    });
    await log.trimTo(offset);
  }

  private async logOf(name: string): Promise<PartitionLog> {
    const { store } = this.ports;
    return store.log(name) ?? store.createLog(name);
  }

  /**
   * Folds a piece that is in the folder by now; its bytes are still in memory, and need not be read
   * back.
   */
  private async fold(piece: Piece): Promise<void> {
    if (this.isStopped) return;
    let bytes = sliceBytes;
    for (const change of piece.flatMap(({ changes }) => changes)) {
      if (change.kind !== 'appended' || change.log !== journalLogName) continue;
      if (bytes >= sliceBytes) {
        await nextTick();
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

  /** Replays events in the same way as a start does. */
  private replay(envelopes: readonly EventEnvelope[]): void {
    this.ports.engine.replay(envelopes);
    this.foldedUntil = (envelopes.at(-1)?.offset ?? this.foldedUntil - 1) + 1;
  }
}
