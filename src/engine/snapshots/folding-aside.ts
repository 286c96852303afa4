/**
 * Memory that is folded aside, to be written as a snapshot: in another thread where there is a
 * server to hold up, in this one where there is none.
 */
import { type BatchBytes, recordsOf } from '../../../storage/format/record-batch.js';
import type { EventEnvelope } from '../decider.js';
import type { Engine } from '../engine.js';
import type { EventCodec } from '../event-codec.js';
import { type ImagePart, ImageReader, imageOf, mergedPart } from './memory-image.js';
import { digestOf, itemsOf, type MemoryItem, type StateDigest } from './state-digest.js';

/**
 * One memory, from empty to its image; it is used once. It loads the whole image that it begins
 * with; or, if `touch` has named the batches that will be folded, only the indexes and the streams
 * of those batches, and then every part with streams is given again, to `merge`.
 */
export interface FoldingAside {
  /** What is going to be folded: of streams only those are taken; before anything is taken. */
  touch(batches: readonly BatchBytes[]): Promise<void>;
  /** The next part of the image that it goes on from; before anything is folded. */
  take(part: ImagePart): Promise<void>;
  /** Folds whole turns, in the order of the journal. */
  fold(batches: readonly BatchBytes[]): Promise<void>;
  /** Of what it remembers now. */
  digest(): Promise<StateDigest>;
  /** What it remembers of some sections. */
  items(sections: readonly string[]): Promise<readonly MemoryItem[]>;
  /** A part with streams that some were taken of, as it is now; after everything is folded. */
  merge(part: ImagePart): Promise<ImagePart>;
  /** The rest, after all merged parts. */
  image(): AsyncIterable<ImagePart> | Iterable<ImagePart>;
  /** Nothing is left of it; whatever it is asked for meanwhile may reject. */
  end(): Promise<void>;
}

/** In this thread. */
export class FoldingHere implements FoldingAside {
  private readonly reader: ImageReader;
  private touched: Map<string, Set<string>> | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly codec: EventCodec,
  ) {
    this.reader = new ImageReader(engine, codec);
  }

  async touch(batches: readonly BatchBytes[]): Promise<void> {
    this.touched ??= this.holdOnly();
    for (const batch of batches) {
      for (const record of recordsOf(batch)) {
        const stream = this.codec.streamOf(record);
        if (stream !== null) this.touched.get(stream.kind)?.add(stream.id);
      }
    }
  }

  async take(part: ImagePart): Promise<void> {
    this.reader.take(part);
  }

  async fold(batches: readonly BatchBytes[]): Promise<void> {
    for (const batch of batches) {
      const envelopes: EventEnvelope[] = [];
      for (const record of recordsOf(batch)) {
        const envelope = this.codec.decode(record);
        if (envelope !== null) envelopes.push(envelope);
      }
      this.engine.replay(envelopes);
    }
  }

  async digest(): Promise<StateDigest> {
    return digestOf(itemsOf(this.engine));
  }

  async items(sections: readonly string[]): Promise<readonly MemoryItem[]> {
    const items = [...itemsOf(this.engine)].filter(({ section }) => sections.includes(section));
    return items.map((item) => ({ ...item, bytes: Buffer.from(item.bytes) }));
  }

  async merge(part: ImagePart): Promise<ImagePart> {
    return mergedPart(this.engine, part);
  }

  image(): Iterable<ImagePart> {
    // A part that a later checkpoint stands for would be missing in the image.
    this.engine.requireWhole();
    return imageOf(this.engine, this.codec);
  }

  async end(): Promise<void> {
    return undefined;
  }

  /** Of each kind the ids of the streams that are held; they may still grow. */
  private holdOnly(): Map<string, Set<string>> {
    const ids = new Map(this.engine.kinds.map((kind) => [kind, new Set<string>()]));
    for (const [kind, own] of ids) this.engine.actors(kind).resting.holdOnly(own);
    return ids;
  }
}
