/**
 * The durable actors: every stream that is not final, as a fold of its events. A live state that
 * was not touched for long is packed into bytes and woken synchronously; a final one leaves memory.
 */
import type { Command, Decider, DomainEvent, EventEnvelope } from './decider.js';
import type { Fold, FoldMemory } from './registration.js';
import { type Checkpointed, isCheckpoint } from './resting/checkpoint.js';
import { bytesOf, valueIn } from './resting/stored-form.js';
import type { TurnChanges } from './turn-changes.js';

/** What memory holds of one stream. Replaced, never mutated, by every event. */
export interface Actor<State = unknown> {
  readonly state: State;
  /** Events so far. */
  readonly length: number;
  /** The offset of its first event: what a message was published with is read back from there. */
  readonly firstOffset: number;
  readonly lastOffset: number;
}

/** A stream as it is stored: its state is made of the bytes by `valueIn` and `fromStored`. */
export interface StoredStream extends Omit<Actor, 'state'> {
  readonly id: string;
  readonly bytes: Buffer;
}

/** A stream whose state is kept as bytes; only kinds with `restsIdle` ever have one. */
class PackedActor {
  readonly length: number;
  readonly firstOffset: number;
  readonly lastOffset: number;

  constructor(
    { length, firstOffset, lastOffset }: Actor,
    readonly packed: Buffer,
    /** Whether the state wants anything: one that does not need not be woken to be asked. */
    readonly wantsEffects: boolean,
  ) {
    this.length = length;
    this.firstOffset = firstOffset;
    this.lastOffset = lastOffset;
  }
}

/** An event is in the journal, and those that must stand before it are not: damage. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';

  constructor({ kind, id, sequence, offset }: EventEnvelope, expected: number) {
    super(
      `damaged data: the journal has event ${sequence} of ${kind} ${id} at offset ${offset}, ` +
        `where event ${expected} must follow`,
    );
  }
}

/** Live states per packable kind; beyond them the least recently touched are packed. */
export const liveStatesMax = 1024;

/** The actors of one kind. */
export class ActorDirectory<State = unknown> {
  private readonly actors = new Map<string, Actor<State> | PackedActor>();
  private readonly live = new Map<string, true>();
  /** Streams of which replay has passed over events, by the first of them: a checkpoint follows. */
  private readonly gaps = new Map<string, EventEnvelope>();

  /** `folds` are the indexes over this kind's events; more may join until recovery. */
  constructor(
    readonly decider: Decider<State, Command, DomainEvent>,
    readonly folds: readonly Fold[],
    private readonly liveStates: number,
  ) {}

  /** How many streams of this kind are not final. */
  get size(): number {
    return this.actors.size;
  }

  ids(): IterableIterator<string> {
    return this.actors.keys();
  }

  /**
   * Every stream that is there now, `perTick` of them at a time, so that a million do not hold the
   * event loop. What begins meanwhile may be among them. A packed one is woken for it.
   */
  async *walk(
    perTick: number,
  ): AsyncGenerator<{ readonly id: string; readonly actor: Actor<State> }> {
    for await (const id of this.walkIds(perTick)) {
      const actor = this.find(id);
      if (actor !== undefined) yield { id, actor };
    }
  }

  /** As `walk`, and wakes none. */
  async *walkIds(perTick: number): AsyncGenerator<string> {
    let left = this.size;
    for (const id of this.ids()) {
      yield id;
      left -= 1;
      if (left === 0) return;
      if (left % perTick === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Every stream with its state as bytes; wakes none. */
  *stored(): Generator<StoredStream> {
    for (const [id, actor] of this.actors) {
      const { length, firstOffset, lastOffset } = actor;
      const bytes = actor instanceof PackedActor ? actor.packed : this.bytesOf(actor.state);
      yield { id, length, firstOffset, lastOffset, bytes };
    }
  }

  /** Whether a stream is there and not final. */
  has(id: string): boolean {
    return this.actors.has(id);
  }

  /** The offset of the first event of a stream that is not final; wakes none. */
  firstOffsetOf(id: string): number | undefined {
    return this.actors.get(id)?.firstOffset;
  }

  /** Whether a stream is packed and wants nothing: asking it what it wants would only wake it. */
  isAtRest(id: string): boolean {
    const actor = this.actors.get(id);
    return actor instanceof PackedActor && !actor.wantsEffects;
  }

  /** A stream that is there and not final; a packed one is woken. */
  find(id: string): Actor<State> | undefined {
    const actor = this.actors.get(id);
    return actor instanceof PackedActor ? this.wake(id, actor) : actor;
  }

  /** The state of a stream, or the state before its first event. */
  stateOf(id: string): State {
    return this.find(id)?.state ?? this.decider.initialState();
  }

  /**
   * Remembers one event of the past. False: a sweep has removed the beginning of its stream, which
   * has ended (ADR 35), or what lies between it and the event before (ADR 36), and it tells of
   * nothing. Throws `BrokenStream`.
   */
  replay(envelope: EventEnvelope, changes: TurnChanges): boolean {
    const { id, sequence, event } = envelope;
    const actor = this.find(id);
    const length = actor?.length ?? 0;
    if (isCheckpoint(event) && sequence >= length) this.gaps.delete(id);
    else if (actor === undefined && sequence > 0) return false;
    else if (this.decider.checkpoints !== undefined && sequence > length) {
      if (!this.gaps.has(id)) this.gaps.set(id, envelope);
      return false;
    } else if (sequence !== length) throw new BrokenStream(envelope, length);
    this.evolve(envelope, actor, changes);
    return true;
  }

  /** After the last event of the past. Throws `BrokenStream` where no checkpoint has followed. */
  requireWhole(): void {
    for (const envelope of this.gaps.values()) {
      throw new BrokenStream(envelope, this.find(envelope.id)?.length ?? 0);
    }
  }

  /** What a stream is now, as an event. */
  checkpointOf(id: string, { state, firstOffset }: Actor<State>): Checkpointed {
    const entries = [...this.maps()].flatMap(([{ name }, map, entriesOfMap]) => {
      const value = entriesOfMap.get(id);
      return value === undefined ? [] : [{ index: name, map, value }];
    });
    const { stored } = this.decider;
    const plain = stored === undefined ? state : stored.toStored(state);
    return { type: 'Checkpointed', began: firstOffset, state: plain, entries };
  }

  /** Journal offsets that a checkpoint names. */
  referencesOf({ state }: Checkpointed): readonly number[] {
    return this.decider.checkpoints?.references(this.stateOfPlain(state)) ?? [];
  }

  /**
   * Remembers one event of the stream that is now `actor` (undefined before its first event), live
   * and in replay alike; returns what the stream is afterwards.
   */
  evolve(
    envelope: EventEnvelope,
    actor: Actor<State> | undefined,
    changes: TurnChanges,
  ): Actor<State> {
    const { decider, folds } = this;
    const { id, offset, event, sequence } = envelope;
    const before = actor === undefined ? decider.initialState() : actor.state;
    const checkpoint = isCheckpoint(event) ? event : null;
    const evolved: Actor<State> = {
      state:
        checkpoint === null
          ? decider.evolve(before, event, envelope)
          : this.stateOfPlain(checkpoint.state),
      length: sequence + 1,
      firstOffset: checkpoint?.began ?? actor?.firstOffset ?? offset,
      lastOffset: offset,
    };
    for (const fold of folds) fold.evolve(envelope, changes);
    if (checkpoint !== null) this.restoreEntries(id, checkpoint, changes);
    if (decider.isFinal(evolved.state)) {
      changes.delete(this.actors, id);
      if (decider.restsIdle === true) this.live.delete(id);
    } else {
      changes.set(this.actors, id, evolved);
      this.touch(id);
    }
    return evolved;
  }

  private touch(id: string): void {
    if (this.decider.restsIdle !== true) return;
    this.live.delete(id);
    this.live.set(id, true);
    if (this.live.size > this.liveStates) this.passivateOldest();
  }

  private passivateOldest(): void {
    const { decider } = this;
    for (const id of this.live.keys()) {
      const actor = this.actors.get(id);
      if (actor !== undefined && !(actor instanceof PackedActor)) {
        const wantsEffects = decider.wants(actor.state, id).length > 0;
        this.actors.set(id, new PackedActor(actor, this.bytesOf(actor.state), wantsEffects));
      }
      this.live.delete(id);
      return;
    }
  }

  private wake(id: string, { packed, length, firstOffset, lastOffset }: PackedActor): Actor<State> {
    const woken = { state: this.stateIn(packed), length, firstOffset, lastOffset };
    this.actors.set(id, woken);
    this.touch(id);
    return woken;
  }

  private bytesOf(state: State): Buffer {
    const { stored } = this.decider;
    return bytesOf(stored === undefined ? state : stored.toStored(state));
  }

  private stateIn(bytes: Buffer): State {
    return this.stateOfPlain(valueIn(bytes));
  }

  private stateOfPlain(plain: unknown): State {
    const { stored } = this.decider;
    return stored === undefined ? (plain as State) : stored.fromStored(plain);
  }

  /** What indexes remember of the stream is what the checkpoint says, whatever was folded. */
  private restoreEntries(id: string, { entries }: Checkpointed, changes: TurnChanges): void {
    for (const [{ name }, map, entriesOfMap] of this.maps()) {
      const entry = entries.find(({ index, map: own }) => index === name && own === map);
      if (entry !== undefined) changes.set(entriesOfMap, id, entry.value);
      else if (entriesOfMap.has(id)) changes.delete(entriesOfMap, id);
    }
  }

  /** The maps of the indexes over this kind that remember what the events say, and no more. */
  private *maps(): Generator<readonly [FoldMemory, string, Map<unknown, unknown>]> {
    for (const { memory } of this.folds) {
      if (memory === null || memory.mayHoldMore === true) continue;
      for (const [map, entries] of Object.entries(memory.maps)) {
        yield [memory, map, entries as Map<unknown, unknown>];
      }
    }
  }
}
