/**
 * What a sweep keeps of the journal below an edge (ADR 35). The rule: the events that are left
 * replay to the same memory, and every event that a kept event names is among them.
 *
 *     kept    an event in no segment sealed below the edge   and all of its stream
 *             a stream that has not ended                    all of it
 *             an event that one above the edge needs         and all of its stream
 *             an event that an index still shows             and all of its stream
 *             an event that a kept event names               and all of its stream
 *             a stream that is kept with a kept one          all of it
 *
 * A stream is kept as a whole or not at all: its end means nothing without its beginning, and its
 * beginning without its end would be a stream that has not ended.
 */
import type { ActorDirectory } from '../actor-directory.js';
import { type EventEnvelope, isCheckpoint, type KeptWith } from '../decider.js';
import type { Engine } from '../engine.js';
import type { Journal } from '../journal.js';
import { type Crossings, namedBy } from './crossings.js';
import { foldsOf } from './journal-sweeps.js';
import { OffsetSet } from './offset-set.js';

/** An ended stream, as far as it was read: backwards, from its end. */
interface EndedStream {
  isKept: boolean;
  /**
   * Where the life began of which this part is the end, as its first checkpoint says; an earlier
   * sweep may have removed the events in between. null = the checkpoint was not read.
   */
  began: number | null;
  /** A part before a checkpoint: the last part, with which the stream has ended. */
  readonly end: EndedStream | null;
  /** The sequence number of the event read last. */
  sequence: number;
  readonly events: { readonly offset: number; readonly names: readonly number[] }[];
  /** Streams that are kept if this one is kept. */
  readonly companions: EndedStream[];
}

/**
 * Decides about the events of `journal` below `edge`. Only events before `sealedUntil` can be
 * removed: a segment that contains the edge is not rewritten.
 */
export class SweepMark {
  private readonly kept = new OffsetSet();
  /** Offsets that kept events need. */
  private readonly wanted = new OffsetSet();
  private readonly open = new Map<string, EndedStream>();
  /** Streams to keep with an event (by its offset) or with a stream below (by its name). */
  private readonly companions = new Map<number | string, EndedStream[]>();
  /** Everything at or above this offset was read. */
  private position = 0;
  private isIncomplete = true;

  constructor(
    private readonly engine: Engine,
    private readonly journal: Journal,
    private readonly crossings: Crossings,
    private readonly edge: number,
    private readonly sealedUntil: number,
  ) {}

  /** Whether a sweep keeps the record at `offset`. */
  keeps(offset: number): boolean {
    return offset >= this.edge || this.kept.has(offset);
  }

  /**
   * Reads the journal below the edge, newest first, and again if something kept turned out to need
   * an event that had been passed already. `at` is now; `check` is called for each event and may
   * throw.
   *
   * Turns continue meanwhile. They can only need events of streams that had not ended when this
   * began, and the crossings report that at once, so a stream that ends meanwhile is kept all the
   * same.
   */
  async make(at: number, check: () => void = () => undefined): Promise<void> {
    this.crossings.watch = (offset) => this.want(offset);
    try {
      for (const offset of this.crossings.across(this.edge)) this.want(offset);
      for (const offset of this.shownAt(at)) this.want(offset);
      while (this.isIncomplete) await this.pass(check);
    } finally {
      this.crossings.watch = null;
    }
  }

  private async pass(check: () => void): Promise<void> {
    this.isIncomplete = false;
    this.open.clear();
    this.companions.clear();
    this.position = this.edge;
    const { startOffset: from } = this.journal;
    const range = { terms: [], from, until: this.edge, order: 'newest' as const };
    for await (const envelope of this.journal.query(range)) {
      check();
      this.position = envelope.offset;
      this.visit(envelope);
    }
    this.position = 0;
  }

  private *shownAt(at: number): Generator<number> {
    for (const fold of foldsOf(this.engine)) yield* fold.references?.(at) ?? [];
  }

  private visit(envelope: EventEnvelope): void {
    const { kind, id, offset, sequence, previous, event } = envelope;
    const actors = this.engine.actors(kind);
    const names = namedBy(actors, event);
    const name = `${kind}/${id}`;
    const companions = [...this.take(offset), ...this.take(name)];
    if (offset >= this.sealedUntil || this.isAlive(actors, kind, id, offset)) {
      // The stream may end before the rest of it is read.
      if (!isCheckpoint(event)) this.want(previous);
      this.keep(offset, names);
      for (const companion of companions) this.keepStream(companion);
      return;
    }
    const stream = this.streamOf(name, envelope);
    stream.events.push({ offset, names });
    stream.companions.push(...companions);
    if (stream.isKept || this.wanted.has(offset) || this.kept.has(offset)) this.keepStream(stream);
    // The events below are before the checkpoint.
    if (isCheckpoint(event)) stream.began = event.began;
    if (sequence === 0) {
      this.open.delete(name);
      const keptWith = actors.decider.keptWith?.(id, event) ?? null;
      if (keptWith !== null) this.accompany(keptWith, stream);
    }
  }

  /** Keeps `stream` if the stream that `keptWith` names, which lies below, is kept. */
  private accompany(keptWith: KeptWith, stream: EndedStream): void {
    const place = 'offset' in keptWith ? keptWith.offset : `${keptWith.kind}/${keptWith.id}`;
    const others = this.companions.get(place);
    if (others === undefined) this.companions.set(place, [stream]);
    else others.push(stream);
  }

  private take(place: number | string): readonly EndedStream[] {
    const companions = this.companions.get(place);
    if (companions === undefined) return none;
    this.companions.delete(place);
    return companions;
  }

  /** Whether an event is one from which a stream that has not ended is replayed. */
  private isAlive(actors: ActorDirectory, kind: string, id: string, offset: number) {
    const first = actors.firstOffsetOf(id);
    return first !== undefined && offset >= Math.max(first, this.crossings.checkpointOf(kind, id));
  }

  /**
   * The stream whose later events were read, the part of it that led to a checkpoint, or a new one
   * that ends here: the names of streams are reused.
   */
  private streamOf(name: string, { sequence, offset }: EventEnvelope): EndedStream {
    const known = this.open.get(name);
    const began = known?.began ?? null;
    if (known !== undefined && began === null && known.sequence === sequence + 1) {
      known.sequence = sequence;
      return known;
    }
    const end = known !== undefined && began !== null && offset >= began ? known : null;
    const stream: EndedStream = {
      isKept: false,
      began: null,
      sequence,
      end: end?.end ?? end,
      events: [],
      companions: [],
    };
    this.open.set(name, stream);
    return stream;
  }

  /** Keeps what was read of a stream, and its end; the rest is kept when it is read. */
  private keepStream(stream: EndedStream): void {
    if (stream.end !== null && !stream.isKept) this.keepStream(stream.end);
    stream.isKept = true;
    for (const { offset, names } of stream.events.splice(0)) this.keep(offset, names);
    for (const companion of stream.companions.splice(0)) this.keepStream(companion);
  }

  private keep(offset: number, names: readonly number[]): void {
    this.kept.add(offset);
    for (const name of names) this.want(name);
  }

  private want(offset: number): void {
    if (offset >= this.edge || offset < 0 || this.wanted.has(offset)) return;
    this.wanted.add(offset);
    if (offset >= this.position && !this.kept.has(offset)) this.isIncomplete = true;
  }
}

const none: readonly EndedStream[] = [];
