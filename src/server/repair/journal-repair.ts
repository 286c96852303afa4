/**
 * A journal with gaps, made one that replays. A stream of which events are gone ends in front of
 * them, or goes as a whole:
 *
 *     its first event is gone             dropped: nothing says what it was
 *     a later one is gone                 cut back to what is in front of it
 *     an event names one that is gone     cut back to what is in front of that event
 *     it begins anew, and its end is gone the life before is dropped: it had ended
 *     a checkpoint follows what is gone   it goes on from there
 */
import { NewerFormat } from '../../../storage/faults/storage-errors.js';
import type { StoredRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { OffsetRange } from '../../../storage/offsets/offset.js';
import { ActorDirectory } from '../../engine/actor-directory.js';
import { type EventEnvelope, isCheckpoint } from '../../engine/decider.js';
import { EventCodec } from '../../engine/event-codec.js';
import { OffsetSet } from '../../engine/history/offset-set.js';
import { PreImages } from '../../engine/resting/pre-images.js';
import { shippedStreamSizes } from '../../engine/resting/stream-sizes.js';
import { TurnChanges } from '../../engine/turn-changes.js';
import { productDeciders } from '../history/product-folding.js';
import { recordsOf } from './log-records.js';

/** A stream that is not what it was. */
export interface ChangedStream {
  /** `message/msg_1` */
  readonly stream: string;
  readonly outcome: 'dropped' | 'cut back';
  /** Events that are still there. */
  readonly kept: number;
  /** Events that were there and could not stay. */
  readonly removed: number;
}

/** What was found of the streams of a journal. */
export interface JournalFindings {
  readonly changed: readonly ChangedStream[];
  /** Streams that were open at a gap and of which nothing follows: more may have happened there. */
  readonly uncertain: readonly string[];
  readonly removedEvents: number;
}

/**
 * For `stepwell journal export --good`, over a copy that nothing else has open. It reads the
 * journal several times: what one pass drops may be what another event names.
 */
export class JournalRepair {
  private readonly deciders = productDeciders();
  /** Events that cannot stay. */
  private dropped = new OffsetSet();
  private changed = new Map<string, { kept: number; removed: number }>();
  /** First events of lives that had ended, and how is gone; or whose checkpoint is gone. */
  private readonly ended = new Set<number>();
  private actors = new Map<string, ActorDirectory>();
  private codec = new EventCodec();
  private removedEvents = 0;

  /** `gaps` are the offsets of the journal that are gone. */
  constructor(
    private readonly log: PartitionLog,
    private readonly gaps: readonly OffsetRange[],
  ) {}

  /** Finds what cannot stay, and removes it. */
  async run(): Promise<JournalFindings> {
    while (!(await this.pass()));
    if (this.removedEvents > 0) {
      await this.log.sweep({
        until: this.log.endOffset,
        keeps: ({ key, offset }) => key === null || !this.dropped.has(offset),
        settled: async () => undefined,
      });
    }
    const changed = [...this.changed].map(([stream, { kept, removed }]): ChangedStream => {
      return { stream, outcome: kept === 0 ? 'dropped' : 'cut back', kept, removed };
    });
    return { changed, uncertain: this.uncertain(), removedEvents: this.removedEvents };
  }

  /** Folds all there is; false where something turned out that it has to begin again for. */
  private async pass(): Promise<boolean> {
    this.dropped = new OffsetSet();
    this.changed = new Map();
    this.removedEvents = 0;
    this.codec = new EventCodec();
    for (const decider of this.deciders) this.codec.learn(decider);
    const options = {
      ...shippedStreamSizes,
      seed: 0,
      images: new PreImages(),
      woken: () => undefined,
    };
    this.actors = new Map(
      this.deciders.map((decider) => [decider.kind, new ActorDirectory(decider, [], options)]),
    );
    const changes = new TurnChanges(false);
    const endedBefore = this.ended.size;
    for await (const record of recordsOf(this.log)) {
      const envelope = this.decoded(record);
      if (envelope === null) continue;
      if (this.mayStay(envelope)) this.actorsOf(envelope).replay(envelope, changes);
      else this.drop(envelope);
    }
    for (const actors of this.actors.values()) {
      // The checkpoint that it would have gone on from is lost.
      for (const { offset } of actors.gaps.firsts()) this.ended.add(offset);
    }
    return this.ended.size === endedBefore;
  }

  /** Null for a definition, and for an event whose shape is gone with one. */
  private decoded(record: StoredRecord): EventEnvelope | null {
    try {
      return this.codec.decode(record);
    } catch (error) {
      // It is not damaged: the program that wrote it can read it.
      if (error instanceof NewerFormat) throw error;
      const stream = record.key?.toString() ?? '';
      const known = this.changed.get(stream) ?? { kept: this.lengthOf(stream), removed: 0 };
      this.changed.set(stream, { ...known, removed: known.removed + 1 });
      this.dropped.add(record.offset);
      this.removedEvents += 1;
      return null;
    }
  }

  private mayStay(envelope: EventEnvelope): boolean {
    const { id, sequence, previous, offset, event } = envelope;
    const actors = this.actorsOf(envelope);
    const actor = actors.find(id);
    const named = actors.decider.references?.(event) ?? [];
    if (named.some((place) => place < offset && this.isGone(place))) return false;
    if (this.ended.has(offset)) return false;
    if (isCheckpoint(event) && sequence >= (actor?.length ?? 0)) return true;
    if (actor !== undefined && sequence === actor.length) return previous === actor.lastOffset;
    if (actor !== undefined && sequence === 0) this.ended.add(actor.firstOffset);
    if (actor !== undefined && actors.decider.checkpoints === undefined) return false;
    if (actor !== undefined && sequence < actor.length) return false;
    if (sequence === 0) return true;
    // What a sweep has taken out is no loss: it had ended, or a checkpoint follows.
    return !this.isGone(previous);
  }

  private isGone(offset: number): boolean {
    return (
      this.dropped.has(offset) ||
      this.gaps.some(({ from, until }) => from <= offset && offset < until)
    );
  }

  private drop({ kind, id, offset }: EventEnvelope): void {
    const stream = `${kind}/${id}`;
    const known = this.changed.get(stream) ?? { kept: this.lengthOf(stream), removed: 0 };
    this.changed.set(stream, { ...known, removed: known.removed + 1 });
    this.dropped.add(offset);
    this.removedEvents += 1;
  }

  private lengthOf(stream: string): number {
    const slash = stream.indexOf('/');
    const actors = this.actors.get(stream.slice(0, slash));
    return actors?.find(stream.slice(slash + 1))?.length ?? 0;
  }

  private actorsOf({ kind, offset }: EventEnvelope): ActorDirectory {
    const actors = this.actors.get(kind);
    if (actors === undefined) throw new Error(`event ${offset} is of an unknown kind: ${kind}`);
    return actors;
  }

  private uncertain(): string[] {
    const latest = this.gaps.at(-1)?.until ?? 0;
    const streams: string[] = [];
    for (const [kind, actors] of this.actors) {
      for (const id of [...actors.ids()]) {
        if ((actors.find(id)?.lastOffset ?? latest) < latest) streams.push(`${kind}/${id}`);
      }
    }
    return streams;
  }
}
