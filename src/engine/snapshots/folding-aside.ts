/**
 * Folds the events between two snapshots again: a server does so in another thread, where it delays
 * no request; a command does so in its own thread.
 */
import { type BatchBytes, recordsOf } from '../../../storage/format/record-batch.js';
import type { EventEnvelope } from '../decider.js';
import type { Engine } from '../engine.js';
import type { EventCodec } from '../event-codec.js';
import { type DifferingItem, ImageComparison } from './image-comparison.js';
import type { ImagePart } from './memory-cut.js';
import { ImageReader } from './memory-image.js';

/**
 * One memory: starts empty, ends after the comparison. It holds the indexes, and those streams that
 * `touch` has named.
 */
export interface FoldingAside {
  /** Announces what will be folded: only the streams of these events are held. Call it first. */
  touch(batches: readonly BatchBytes[]): Promise<void>;
  /** Takes the next part of the earlier snapshot, before anything is folded. */
  take(part: ImagePart): Promise<void>;
  /** Folds whole turns, in journal order. */
  fold(batches: readonly BatchBytes[]): Promise<void>;
  /** Compares the next part of the later snapshot, after everything is folded. */
  compare(part: ImagePart): Promise<void>;
  /** The differences, after the last part; empty = both are the same. */
  differences(): Promise<readonly DifferingItem[]>;
  /** Releases everything; calls that are still running may reject. */
  end(): Promise<void>;
}

/** Runs in this thread. */
export class FoldingHere implements FoldingAside {
  private readonly reader: ImageReader;
  /** The ids of the streams that are held, by kind; `touch` adds to them. */
  private readonly touched: ReadonlyMap<string, Set<string>>;
  private readonly comparison: ImageComparison;
  private isTaken = false;

  constructor(
    private readonly engine: Engine,
    private readonly codec: EventCodec,
  ) {
    this.reader = new ImageReader(engine, codec);
    this.touched = new Map(engine.kinds.map((kind) => [kind, new Set<string>()]));
    for (const [kind, ids] of this.touched) engine.actors(kind).resting.holdOnly(ids);
    this.comparison = new ImageComparison(engine, this.touched);
  }

  async touch(batches: readonly BatchBytes[]): Promise<void> {
    for (const batch of batches) {
      for (const record of recordsOf(batch)) {
        const stream = this.codec.streamOf(record);
        if (stream !== null) this.touched.get(stream.kind)?.add(stream.id);
      }
    }
  }

  async take(part: ImagePart): Promise<void> {
    this.reader.take(part);
    this.comparison.earlier(part);
  }

  async fold(batches: readonly BatchBytes[]): Promise<void> {
    this.taken();
    for (const batch of batches) {
      const envelopes: EventEnvelope[] = [];
      for (const record of recordsOf(batch)) {
        const envelope = this.codec.decode(record);
        if (envelope !== null) envelopes.push(envelope);
      }
      this.engine.replay(envelopes);
    }
  }

  async compare(part: ImagePart): Promise<void> {
    this.taken();
    this.comparison.later(part);
  }

  async differences(): Promise<readonly DifferingItem[]> {
    return this.comparison.differences();
  }

  async end(): Promise<void> {
    return undefined;
  }

  private taken(): void {
    if (!this.isTaken) this.reader.end();
    this.isTaken = true;
  }
}
