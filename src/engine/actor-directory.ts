/**
 * The durable actors: every stream that is not final, as a fold of its events. A stream that waits,
 * or is idle for long, rests as bytes and is woken synchronously; a final one leaves memory.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
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
import { Actor, ActorForm } from './resting/actor-form.js';
import { BrokenStream, Gaps } from './resting/gaps.js';
import type { PreImages } from './resting/pre-images.js';
import type { RestingStream, StoredStream } from './resting/resting-stream.js';
import { RestingStreams } from './resting/resting-streams.js';
import { storedForm } from './resting/stored-form.js';
import { allStreams, isInPart } from './resting/stream-part.js';
import type { StreamSizes } from './resting/stream-sizes.js';
import type { TurnChanges } from './turn-changes.js';

export type { Actor } from './resting/actor-form.js';

/** Options that all directories share. */
export interface DirectoryOptions extends StreamSizes {
  /** See `RestingStreams`. */
  readonly seed: number;
  /** Records awake actors before they change. */
  readonly images: PreImages;
  /** A resting stream with an alarm at `wantedAt` was woken: the alarm must be set again. */
  readonly woken: (kind: string, id: string, wantedAt: number) => void;
}

/** The actors of one kind. */
export class ActorDirectory<State = unknown> {
  readonly checkpoints: Checkpoints<State>;
  private readonly awake = new TransientMap<string, Actor<State>>();
  /** The resting streams, for snapshots. */
  readonly resting: RestingStreams;
  /** If the kind `restsIdle`: ids awake (or ended since), least recently touched first. */
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

  /** Ids in no order; includes some of the streams that wake or begin during the iteration. */
  *ids(): Generator<string> {
    yield* this.resting.ids();
    let left = this.awake.size;
    for (const id of this.awake.keys()) {
      if (left <= 0) return;
      left -= 1;
      yield id;
    }
  }

  /** Ids of the streams that do not rest. */
  awakeIds(): IterableIterator<string> {
    return this.awake.keys();
  }

  /**
   * Yields every stream that exists now, `perTick` at a time, so that a million do not hold the
   * event loop. May include streams that begin meanwhile, and one stream twice. Wakes none.
   */
  async *walk(
    perTick: number,
  ): AsyncGenerator<{ readonly id: string; readonly actor: Actor<State> }> {
    for await (const id of this.walkIds(perTick)) {
      const actor = this.find(id);
      if (actor !== undefined) yield { id, actor };
    }
  }

  /** Like `walk`, but only the ids. A walk must be cheap: it awaits nothing for a single id. */
  async *walkIds(perTick: number): AsyncGenerator<string> {
    // Resting streams come first, and no stream goes to rest during a walk: so none is missed.
    this.walks += 1;
    try {
      let passed = 0;
      for (const id of this.ids()) {
        yield id;
        passed += 1;
        if (passed % perTick === 0) await nextTick();
      }
    } finally {
      this.walks -= 1;
    }
  }

  /** The part's streams as they are stored; the bytes are valid until something changes here. */
  *stored(part = allStreams): Generator<StoredStream> {
    yield* this.resting.all(part);
    for (const [id, actor] of this.awake)
      if (isInPart(actor.firstOffset, part)) yield this.form.stored(id, actor);
  }

  /** A stream as it is stored; undefined = it does not exist, or is final. */
  storedOf(id: string): StoredStream | undefined {
    const actor = this.awake.get(id);
    if (actor !== undefined) return this.form.stored(id, actor);
    return this.asleep?.read(id, (stream) => stream);
  }

  /** Whether a stream exists and is not final. */
  has(id: string): boolean {
    return this.awake.has(id) || this.asleep?.has(id) === true;
  }

  /** The offset of the first event of a stream that is not final; wakes none. */
  firstOffsetOf(id: string): number | undefined {
    return this.awake.get(id)?.firstOffset ?? this.asleep?.firstOffsetOf(id);
  }

  /** A stream that exists and is not final, to be changed: a resting one is woken. */
  wake(id: string): Actor<State> | undefined {
    return this.awake.get(id) ?? this.takeResting(id);
  }

  /** A stream that exists and is not final, to be read: a resting one keeps resting. */
  find(id: string): Actor<State> | undefined {
    return this.awake.get(id) ?? this.asleep?.read(id, (stream) => this.form.actor(stream));
  }

  /** The state of a stream, or the state before its first event. */
  stateOf(id: string): State {
    return this.find(id)?.state ?? this.decider.initialState();
  }

  /**
   * Puts a stream that is wanted at `wantedAt` to rest; if it has an alarm, `takeDue` returns it
   * then. False = it may not rest now.
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

  /** Puts all streams to rest, while no effects run; `takeDue` returns those wanting something. */
  restAll(): void {
    this.restEldest(this.awake.size);
  }

  /** The streams that were awake at the moment recorded in `images`, as they would rest. */
  *storedAwake(): Generator<RestingStream> {
    for (const [id, actor] of this.options.images.pass(this.awake)) {
      yield this.form.resting(id, actor, this.wantedAt(id, actor));
    }
  }

  /** The earliest alarm of a resting stream, Unix milliseconds; Infinity = there is none. */
  nextDue(): number {
    return this.resting.nextAlarm();
  }

  /** A resting stream whose alarm is due at `now`; each is returned once. */
  takeDue(now: number): string | undefined {
    return this.resting.takeDue(now);
  }

  /**
   * Folds one event of the journal. False = the event is skipped: a sweep has removed the beginning
   * of its stream, which has ended (ADR 35), or the events between it and the one before (ADR 36).
   * Throws `BrokenStream`.
   */
  replay(envelope: EventEnvelope, changes: TurnChanges): boolean {
    const { id, sequence, event } = envelope;
    const actor = this.wake(id);
    const length = actor?.length ?? 0;
    if (isCheckpoint(event) && sequence >= length) this.gaps.close(id);
    else if (actor === undefined && sequence > 0) return false;
    else if (this.decider.checkpoints !== undefined && sequence > length) {
      this.gaps.skipped(envelope);
      return false;
    } else if (sequence !== length) throw new BrokenStream(envelope, length);
    this.evolve(envelope, actor, changes);
    if (this.awake.size > this.options.liveStates) this.restEldest(this.awake.size / 2);
    return true;
  }

  /** Call it after the last past event. Throws `BrokenStream` if no checkpoint follows a gap. */
  requireComplete(): void {
    this.gaps.requireNone((id) => this.find(id)?.length ?? 0);
  }

  /**
   * Folds one event of the stream that is now `actor` (undefined before its first event), live and
   * in replay alike; returns the actor afterwards.
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
    const state =
      checkpoint === null
        ? decider.evolve(before, event, envelope)
        : this.checkpoints.stateIn(checkpoint);
    const firstOffset = checkpoint?.began ?? actor?.firstOffset ?? offset;
    const evolved = new Actor(state, sequence + 1, firstOffset, offset);
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
   * While too many are awake, puts the least recently touched to rest, if all of their events lie
   * before `durableEnd`: a turn that may yet be reverted finds the actors it changed awake.
   */
  restLeastUsed(durableEnd: number): void {
    for (const id of this.touched) {
      if (this.touched.size <= this.options.liveStates) return;
      const actor = this.awake.get(id);
      // Its running effects and alarms stay, so it needs no other alarm.
      if (actor === undefined) this.touched.delete(id);
      else if (actor.lastOffset >= durableEnd) return;
      else if (!this.rest(id, this.wantedAt(id, actor), false)) return;
    }
  }

  /** Takes those woken first: short-lived streams have ended before their turn comes. */
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

  /** The resting streams, if there are any. */
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
