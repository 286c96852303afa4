/**
 * The durable actors: every stream that is not final, as a fold of its events. One that waits, or
 * was not touched for long, rests as bytes and is woken synchronously; a final one leaves memory.
 */
import { TransientMap } from '../grammar/transient-map.js';
import { Checkpoints } from './checkpoints.js';
import {
  type Command,
  type Decider,
  type DomainEvent,
  type EventEnvelope,
  isCheckpoint,
} from './decider.js';
import { Followers, meets } from './followers.js';
import type { Fold } from './registration.js';
import { type Actor, ActorForm } from './resting/actor-form.js';
import { BrokenStream, Gaps } from './resting/gaps.js';
import type { PreImages } from './resting/pre-images.js';
import type { RestingStream, StoredStream } from './resting/resting-page.js';
import { RestingStreams } from './resting/resting-streams.js';
import { storedForm } from './resting/stored-form.js';
import { allStreams, isInPart } from './resting/stream-part.js';
import type { StreamSizes } from './resting/stream-sizes.js';
import type { TurnChanges } from './turn-changes.js';

export type { Actor } from './resting/actor-form.js';

/** What directories have in common. */
export interface DirectoryOptions extends StreamSizes {
  /** See `RestingStreams`. */
  readonly seed: number;
  /** Notes what is awake before it changes. */
  readonly images: PreImages;
  /** A resting stream with an alarm at `wantedAt` was woken: its alarm has to be set anew. */
  readonly woken: (kind: string, id: string, wantedAt: number) => void;
}

/** The actors of one kind. */
export class ActorDirectory<State = unknown> {
  readonly checkpoints: Checkpoints<State>;
  private readonly awake = new TransientMap<string, Actor<State>>();
  /** The resting streams, for snapshots. */
  readonly resting: RestingStreams;
  /** Of a kind that `restsIdle`, the least recently touched first: awake, or ended since. */
  private readonly touched = new Set<string>();
  readonly gaps = new Gaps();
  private readonly form: ActorForm<State>;
  private readonly following: Followers<Fold>;
  private walks = 0;

  /** `folds` are the indexes over this kind's events; more may join until recovery. */
  constructor(
    readonly decider: Decider<State, Command, DomainEvent>,
    readonly folds: readonly Fold[],
    private readonly options: DirectoryOptions,
  ) {
    this.checkpoints = new Checkpoints(decider, folds, options.eventsPerCheckpoint);
    this.form = new ActorForm(storedForm(decider.stored));
    this.following = new Followers(folds);
    this.resting = new RestingStreams(options.seed);
  }

  /** How many streams of this kind are not final. */
  get size(): number {
    return this.awake.size + this.resting.size;
  }

  /** In no order; of those that wake or begin meanwhile, some. */
  *ids(): Generator<string> {
    yield* this.resting.ids();
    let left = this.awake.size;
    for (const id of this.awake.keys()) {
      if (left <= 0) return;
      left -= 1;
      yield id;
    }
  }

  /** Those that do not rest. */
  awakeIds(): IterableIterator<string> {
    return this.awake.keys();
  }

  /**
   * Every stream that is there now, `perTick` of them at a time, so that a million do not hold the
   * event loop. What begins meanwhile may be among them, and one may come twice. Wakes none.
   */
  async *walk(
    perTick: number,
  ): AsyncGenerator<{ readonly id: string; readonly actor: Actor<State> }> {
    for await (const id of this.walkIds(perTick)) {
      const actor = this.find(id);
      if (actor !== undefined) yield { id, actor };
    }
  }

  /** As `walk`, the ids alone. Nothing is awaited for one of them: that is what a walk costs. */
  async *walkIds(perTick: number): AsyncGenerator<string> {
    // Resting streams come first: during a walk none is laid to rest, so that none is missed.
    this.walks += 1;
    try {
      let passed = 0;
      for (const id of this.ids()) {
        yield id;
        passed += 1;
        if (passed % perTick === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      this.walks -= 1;
    }
  }

  /** The streams of the part as they are stored; bytes are good until something changes here. */
  *stored(part = allStreams): Generator<StoredStream> {
    yield* this.resting.all(part);
    for (const [id, actor] of this.awake)
      if (isInPart(actor.firstOffset, part)) yield this.form.stored(id, actor);
  }

  /** A stream as it is stored; undefined = it is not there, or final. */
  storedOf(id: string): StoredStream | undefined {
    const actor = this.awake.get(id);
    if (actor !== undefined) return this.form.stored(id, actor);
    return this.asleep?.read(id, (stream) => stream);
  }

  /** Whether a stream is there and not final. */
  has(id: string): boolean {
    return this.awake.has(id) || this.asleep?.has(id) === true;
  }

  /** The offset of the first event of a stream that is not final; wakes none. */
  firstOffsetOf(id: string): number | undefined {
    return this.awake.get(id)?.firstOffset ?? this.asleep?.firstOffsetOf(id);
  }

  /** A stream that is there and not final, to be changed: one that rests is woken. */
  wake(id: string): Actor<State> | undefined {
    return this.awake.get(id) ?? this.takeResting(id);
  }

  /** A stream that is there and not final, to be read: it goes on resting. */
  find(id: string): Actor<State> | undefined {
    return this.awake.get(id) ?? this.asleep?.read(id, (stream) => this.form.actor(stream));
  }

  /** The state of a stream, or the state before its first event. */
  stateOf(id: string): State {
    return this.find(id)?.state ?? this.decider.initialState();
  }

  /**
   * Lets a stream rest that is wanted at `wantedAt`; with an alarm `takeDue` gives it then. False:
   * it may not rest now.
   */
  rest(id: string, wantedAt: number, hasAlarm = true): boolean {
    const actor = this.awake.get(id);
    if (actor === undefined || this.walks > 0) return false;
    this.resting.add(this.form.resting(id, actor, wantedAt), hasAlarm);
    this.options.images.note(this.awake, id, actor);
    this.awake.delete(id);
    this.touched.delete(id);
    return true;
  }

  /** Lets all rest; what wants something is given by `takeDue`. For those of which nothing runs. */
  restAll(): void {
    this.restEldest(this.awake.size);
  }

  /** Those that were awake at the moment that `images` tells of, as they would rest. */
  *storedAwake(): Generator<RestingStream> {
    for (const [id, actor] of this.options.images.pass(this.awake)) {
      yield this.form.resting(id, actor, this.wantedAt(id, actor));
    }
  }

  /** The earliest alarm of a resting stream, Unix milliseconds; Infinity = there is none. */
  nextDue(): number {
    return this.resting.nextAlarm();
  }

  /** A resting stream whose alarm is due at `now`; each is given once. */
  takeDue(now: number): string | undefined {
    return this.resting.takeDue(now);
  }

  /**
   * Folds one event of the journal. False = it is skipped: a sweep has removed the beginning of its
   * stream, which has ended (ADR 35), or the events between it and the one before (ADR 36).
   * Throws `BrokenStream`.
   */
  replay(envelope: EventEnvelope, changes: TurnChanges): boolean {
    const { id, sequence, event } = envelope;
    const actor = this.wake(id);
    const length = actor?.length ?? 0;
    if (isCheckpoint(event) && sequence >= length) this.gaps.close(id);
    else if (actor === undefined && sequence > 0) return false;
    else if (this.decider.checkpoints !== undefined && sequence > length) {
      this.gaps.passedOver(envelope);
      return false;
    } else if (sequence !== length) throw new BrokenStream(envelope, length);
    this.evolve(envelope, actor, changes);
    if (this.awake.size > this.options.liveStates) this.restEldest(this.awake.size / 2);
    return true;
  }

  /** After the last event of the past. Throws `BrokenStream` where no checkpoint has followed. */
  requireWhole(): void {
    this.gaps.requireNone((id) => this.find(id)?.length ?? 0);
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
    const { decider } = this;
    const { id, offset, event, sequence } = envelope;
    const before = actor === undefined ? decider.initialState() : actor.state;
    const checkpoint = isCheckpoint(event) ? event : null;
    const evolved: Actor<State> = {
      state:
        checkpoint === null
          ? decider.evolve(before, event, envelope)
          : this.checkpoints.stateIn(checkpoint),
      length: sequence + 1,
      firstOffset: checkpoint?.began ?? actor?.firstOffset ?? offset,
      lastOffset: offset,
    };
    for (const { follower, condition } of this.following.of(event.type)) {
      if (meets(condition, envelope, before)) follower.evolve(envelope, changes, before);
    }
    if (checkpoint !== null) this.checkpoints.restoreEntries(id, checkpoint, changes);
    if (decider.isFinal(evolved.state)) {
      changes.delete(this.awake, id);
    } else {
      changes.set(this.awake, id, evolved);
      if (decider.restsIdle === true) {
        this.touched.delete(id);
        this.touched.add(id);
      }
    }
    return evolved;
  }

  /**
   * Lets the least recently touched rest while too many are awake, as far as all of their events
   * lie before `durableEnd`: a turn that may yet be taken back finds what it changed awake.
   */
  restLeastUsed(durableEnd: number): void {
    for (const id of this.touched) {
      if (this.touched.size <= this.options.liveStates) return;
      const actor = this.awake.get(id);
      // What runs for it, or rings for it, goes on doing so: it needs no other alarm.
      if (actor === undefined) this.touched.delete(id);
      else if (actor.lastOffset >= durableEnd) return;
      else if (!this.rest(id, this.wantedAt(id, actor), false)) return;
    }
  }

  /** Of those that were woken first: what is short-lived has ended before its turn comes. */
  private restEldest(count: number): void {
    let left = count;
    for (const [id, actor] of this.awake) {
      if (left <= 0) return;
      this.rest(id, this.wantedAt(id, actor));
      left -= 1;
    }
  }

  private wantedAt(id: string, { state }: Actor<State>): number {
    const wanted = this.decider.wants(state, id);
    return wanted.reduce((at, { notBefore }) => Math.min(at, notBefore), Number.POSITIVE_INFINITY);
  }

  /** The resting streams, where there are any. */
  private get asleep(): RestingStreams | undefined {
    return this.resting.isEmpty ? undefined : this.resting;
  }

  private takeResting(id: string): Actor<State> | undefined {
    let wantedAt = Number.POSITIVE_INFINITY;
    const woken = this.asleep?.take(id, (stream) => {
      wantedAt = stream.wantedAt;
      return this.form.actor(stream);
    });
    if (woken === undefined) return undefined;
    this.options.images.note(this.awake, id, undefined);
    this.awake.set(id, woken);
    if (this.decider.restsIdle === true) this.touched.add(id);
    if (wantedAt < Number.POSITIVE_INFINITY) this.options.woken(this.decider.kind, id, wantedAt);
    return woken;
  }
}
