/** Takes what counts in the shared log into this node's folder and memory, in its order. */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import type { CountedBatch } from '../../cluster/shared-history.js';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { Journal } from '../../engine/journal.js';
import { digestIn, type RecordedDigests } from '../../engine/snapshots/recorded-digests.js';
import { decodeChanges, type LogChange } from './log-changes.js';

/** What is read and not yet in the folder, in bytes, before reading waits. */
const aheadBytesMax = 32 * 1024 * 1024;

/** What a follower works with. */
export interface FollowerPorts {
  readonly store: Store;
  readonly journal: Journal;
  readonly engine: Engine;
  /** Compares memory with what the owner has recorded of its own; null = nothing does. */
  readonly digests: Pick<RecordedDigests, 'compare'> | null;
  /** All that was taken is in the folder. */
  applied(): Promise<void>;
  /** The node cannot go on. */
  failed(error: unknown): void;
}

export class Follower {
  private waiting: CountedBatch[] = [];
  private waitingBytes = 0;
  private running: Promise<void> | null = null;
  /** Memory holds all events below this offset, and no others. */
  foldedUntil: number;
  /** The last batch that the folder and memory hold. */
  appliedSequence = 0;

  constructor(private readonly ports: FollowerPorts) {
    this.foldedUntil = ports.journal.highWatermark;
  }

  take(batch: CountedBatch): void {
    this.waiting.push(batch);
    this.waitingBytes += batch.body.length;
    this.running ??= this.run().catch(this.ports.failed);
  }

  /** Settles once there is room for more. */
  async readyForMore(): Promise<void> {
    while (this.waitingBytes > aheadBytesMax && this.running !== null) await this.running;
  }

  /** Settles once all that was taken is in the folder and in memory. */
  async idle(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  private async run(): Promise<void> {
    // What one read has brought is told of in one tick.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batches = this.waiting;
      this.waiting = [];
      this.waitingBytes = 0;
      await this.write(batches.flatMap(({ body }) => decodeChanges(body)));
      await this.fold();
      this.appliedSequence = batches.at(-1)?.sequence ?? this.appliedSequence;
      if (this.waiting.length === 0) await this.ports.applied();
    }
    this.running = null;
  }

  private async write(changes: readonly LogChange[]): Promise<void> {
    let following: Promise<void>[] = [];
    for (const change of changes) {
      if (change.kind === 'appended') {
        const log = await this.logOf(change.log);
        following.push(log.follow(change.records));
        continue;
      }
      await Promise.all(following);
      following = [];
      if (change.kind === 'dropped') await this.ports.store.dropLog(change.log);
      else await this.ports.store.log(change.log)?.trimTo(change.offset);
    }
    await Promise.all(following);
  }

  private async logOf(name: string): Promise<PartitionLog> {
    const { store } = this.ports;
    return store.log(name) ?? store.createLog(name);
  }

  private async fold(): Promise<void> {
    const { journal } = this.ports;
    for await (const envelopes of journal.replay(this.foldedUntil)) {
      let from = 0;
      for (const [index, envelope] of envelopes.entries()) {
        const recorded = digestIn(envelope);
        if (recorded === null) continue;
        this.replay(envelopes.slice(from, index));
        from = index;
        await this.ports.digests?.compare(recorded, this.foldedUntil);
      }
      this.replay(envelopes.slice(from));
    }
    this.foldedUntil = journal.highWatermark;
  }

  /** By the same line as a start does. */
  private replay(envelopes: readonly EventEnvelope[]): void {
    this.ports.engine.replay(envelopes);
    this.foldedUntil = (envelopes.at(-1)?.offset ?? this.foldedUntil - 1) + 1;
  }
}
