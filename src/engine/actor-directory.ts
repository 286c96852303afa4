/**
 * The durable actors: every stream that is not final, as a fold of its events. A live state that
 * was not touched for long is packed into bytes and woken synchronously; a final one leaves memory.
 */
import type { Command, Decider, DomainEvent, EventEnvelope } from './decider.js';
import { concerns } from './interest.js';
import type { Fold } from './registration.js';
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

/** A stream whose state is packed; only kinds with `packing` ever have one. */
class PackedActor {
  readonly length: number;
  readonly firstOffset: number;
  readonly lastOffset: number;

  constructor(
    { length, firstOffset, lastOffset }: Actor,
    readonly packed: unknown,
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
   * has ended, and it tells of nothing (ADR 35). Throws `BrokenStream`.
   */
  replay(envelope: EventEnvelope, changes: TurnChanges): boolean {
    const actor = this.find(envelope.id);
    const length = actor?.length ?? 0;
    if (actor === undefined && envelope.sequence > 0) return false;
    if (envelope.sequence !== length) throw new BrokenStream(envelope, length);
    this.evolve(envelope, actor, changes);
    return true;
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
    const evolved: Actor<State> = {
      state: decider.evolve(before, event, envelope),
      length: sequence + 1,
      firstOffset: actor?.firstOffset ?? offset,
      lastOffset: offset,
    };
    for (const fold of folds) {
      const { interest } = fold;
      if (interest === undefined || concerns(interest, envelope, before)) {
        fold.evolve(envelope, changes);
      }
    }
    if (decider.isFinal(evolved.state)) {
      changes.delete(this.actors, id);
      if (decider.packing !== undefined) this.live.delete(id);
    } else {
      changes.set(this.actors, id, evolved);
      this.touch(id);
    }
    return evolved;
  }

  private touch(id: string): void {
    if (this.decider.packing === undefined) return;
    this.live.delete(id);
    this.live.set(id, true);
    if (this.live.size > this.liveStates) this.passivateOldest();
  }

  private passivateOldest(): void {
    const { decider } = this;
    const { packing } = decider;
    for (const id of this.live.keys()) {
      const actor = this.actors.get(id);
      if (packing !== undefined && actor !== undefined && !(actor instanceof PackedActor)) {
        const wantsEffects = decider.wants(actor.state, id).length > 0;
        this.actors.set(id, new PackedActor(actor, packing.pack(actor.state), wantsEffects));
      }
      this.live.delete(id);
      return;
    }
  }

  private wake(id: string, actor: PackedActor): Actor<State> {
    const packing = this.decider.packing;
    if (packing === undefined) throw new Error(`${id} is packed but its kind cannot unpack`);
    const { packed, length, firstOffset, lastOffset } = actor;
    const woken = { state: packing.unpack(packed), length, firstOffset, lastOffset };
    this.actors.set(id, woken);
    this.touch(id);
    return woken;
  }
}
