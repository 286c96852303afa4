/**
 * Repairs a journal with gaps so that it can be replayed. A stream whose events are partly lost is
 * cut back to those before the loss, or dropped as a whole:
 *
 *     its first event is lost             dropped: nothing says what it was
 *     a later event is lost               cut back to the events before it
 *     an event refers to a lost one       cut back to the events before that reference
 *     it begins anew, its end is lost     the previous life is dropped: it had ended
 *     a checkpoint follows the loss       it continues from the checkpoint, unless the checkpoint
 *                                         refers to a lost event
 */
import { NewerFormat } from '../../../storage/faults/storage-errors.js';
import type { StoredRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { OffsetRange } from '../../../storage/offsets/offset.js';
import { ActorDirectory } from '../../engine/actor-directory.js';
import { type EventEnvelope, isCheckpoint } from '../../engine/decider.js';
import { EventCodec } from '../../engine/event-codec.js';
import { namedBy } from '../../engine/history/crossings.js';
import { OffsetSet } from '../../engine/history/offset-set.js';
import { PreImages } from '../../engine/resting/pre-images.js';
import { shippedStreamSizes } from '../../engine/resting/stream-sizes.js';
import { TurnChanges } from '../../engine/turn-changes.js';
import { productDeciders } from '../history/product-folding.js';
import { recordsOf } from './log-records.js';

/** A stream that was changed. */
export interface ChangedStream {
  /** `message/msg_1` */
  readonly stream: string;
  readonly outcome: 'dropped' | 'cut back';
  /** How many events are left. */
  readonly kept: number;
  /** How many existing events could not stay. */
  readonly removed: number;
}

/** The findings about the streams of a journal. */
export interface JournalFindings {
  readonly changed: readonly ChangedStream[];
  /**
   * Streams that were open at a gap, without a later event: more may have happened to them there.
   */
  readonly uncertain: readonly string[];
  readonly removedEvents: number;
}

/**
 * For `stepwell journal export --good`, on a copy that nothing else has open. It reads the journal
 * several times, as another event may name one that a pass drops.
 */
export class JournalRepair {
  private readonly deciders = productDeciders();
  /** Events that cannot stay. */
  private dropped = new OffsetSet();
  private changed = new Map<string, { kept: number; removed: number }>();
  /**
   * The first events of lives that had ended, or should continue from a checkpoint, but whose end
   * or checkpoint is lost.
   */
  private readonly ended = new Set<number>();
  /** Events between a loss and a checkpoint that refers to them: they stay, but are not folded. */
  private readonly spared = new Set<number>();
  private actors = new Map<string, ActorDirectory>();
  private codec = new EventCodec();
  private removedEvents = 0;

  /** `gaps` are the lost offsets of the journal. */
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

  /** Folds everything there is; returns false if it found something that requires another pass. */
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
    const foundBefore = this.ended.size + this.spared.size;
    for await (const record of recordsOf(this.log)) {
      const envelope = this.decoded(record);
      if (envelope === null) continue;
      if (!this.mayStay(envelope) && !this.isSpared(envelope)) this.drop(envelope);
      else {
        this.actorsOf(envelope).replay(envelope, changes);
        this.keep(envelope);
      }
    }
    for (const actors of this.actors.values()) {
      // The checkpoint that the stream would have continued from is lost.
      for (const { offset } of actors.gaps.firsts()) this.ended.add(offset);
    }
    return this.ended.size + this.spared.size === foundBefore;
  }

  /** Null for a definition, and for an event whose shape was lost with a definition. */
  private decoded(record: StoredRecord): EventEnvelope | null {
    try {
      return this.codec.decode(record);
    } catch (error) {
      // The event is not damaged: the program that wrote it can read it.
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
    if (this.ended.has(offset) || this.namesGone(envelope)) return false;
    if (isCheckpoint(event) && sequence >= (actor?.length ?? 0)) return true;
    if (actor !== undefined && sequence === actor.length) return previous === actor.lastOffset;
    if (actor !== undefined && sequence === 0) this.ended.add(actor.firstOffset);
    if (actor !== undefined && actors.decider.checkpoints === undefined) return false;
    if (actor !== undefined && sequence < actor.length) return false;
    if (sequence === 0) return true;
    // An event that a sweep has removed is not a loss: its stream had ended, or a checkpoint
    // follows.
    return !this.isGone(previous);
  }

  /** Whether an event refers to one that is gone; of a checkpoint, the next pass spares it. */
  private namesGone(envelope: EventEnvelope): boolean {
    const { offset, event } = envelope;
    const named = namedBy(this.actorsOf(envelope), event);
    const gone = named.filter((place) => place < offset && this.isGone(place));
    if (isCheckpoint(event)) {
      for (const place of gone) if (!this.isLost(place)) this.spared.add(place);
    }
    return gone.length > 0;
  }

  /** Whether an event is needed by a checkpoint, and replay skips it until then. */
  private isSpared(envelope: EventEnvelope): boolean {
    const { id, sequence, offset } = envelope;
    if (!this.spared.has(offset) || this.ended.has(offset)) return false;
    const length = this.actorsOf(envelope).find(id)?.length ?? 0;
    return sequence > length && !this.namesGone(envelope);
  }

  private isGone(offset: number): boolean {
    return this.dropped.has(offset) || this.isLost(offset);
  }

  private isLost(offset: number): boolean {
    return this.gaps.some(({ from, until }) => from <= offset && offset < until);
  }

  private drop({ kind, id, offset }: EventEnvelope): void {
    const stream = `${kind}/${id}`;
    const known = this.changed.get(stream) ?? { kept: this.lengthOf(stream), removed: 0 };
    this.changed.set(stream, { ...known, removed: known.removed + 1 });
    this.dropped.add(offset);
    this.removedEvents += 1;
  }

  /** Counts an event that stays behind one that could not. */
  private keep({ kind, id }: EventEnvelope): void {
    const known = this.changed.get(`${kind}/${id}`);
    if (known !== undefined) known.kept += 1;
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
