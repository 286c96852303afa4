/** Runs turns: decide, evolve, react and append in one tick; answer and act once it is durable. */
import { listIn } from '../grammar/collections.js';
import { ActorDirectory, type DirectoryOptions } from './actor-directory.js';
import type { JournalClock } from './clock.js';
import { CommitGroups } from './commit-groups.js';
import type { Command, DomainEvent, Effect, EventEnvelope } from './decider.js';
import { EffectRunner } from './effect-runner.js';
import type { EventCodec } from './event-codec.js';
import { Followers, Subscribers } from './followers.js';
import { type Identifiers, SeededNames } from './identifiers.js';
import type { TurnLog } from './journal.js';
import { type Principal, seedOf } from './principal/principal.js';
import type {
  AnyInterest,
  EffectCarrier,
  EventListener,
  Fold,
  IndexMemory,
  Reaction,
  Registration,
} from './registration.js';
import { PreImages } from './resting/pre-images.js';
import { type StreamSizes, shippedStreamSizes } from './resting/stream-sizes.js';
import {
  type EngineWatch,
  type FollowingReaction,
  type Outcome,
  type Outcomes,
  type RegisteredKind,
  Turn,
  turnCommandsMax,
} from './turn.js';
import { TurnChanges } from './turn-changes.js';

/** A refusal refuses its command only, or all of the turn; or no caller waits for the answer. */
type TurnMode = 'each' | 'together' | 'forgotten';

/** Routes by kind. A kind does not tell the compiler its types (hence casts): an `Entity` does. */
export class Engine {
  private readonly entities = new Map<string, RegisteredKind>();
  private readonly folds = new Map<string, Fold[]>();
  private readonly reactions = new Map<string, FollowingReaction[]>();
  /** Learns of each change of memory before it is made. */
  readonly images = new PreImages();
  private readonly changes = new TurnChanges(true, this.images);
  private readonly past = new TurnChanges(false, this.images);
  readonly effects: EffectRunner;
  private readonly directoryOptions: DirectoryOptions;
  /** The kinds whose streams rest when they have been idle for long. */
  private readonly restingIdle: ActorDirectory[] = [];
  /** Indexes of durable events. */
  readonly indexes = new Subscribers();
  private readonly listeners = new Subscribers();
  private readonly makeSeed = () => this.identifiers.turnSeed(this.clock.now());
  readonly groups = new CommitGroups((envelopes) => this.settle(envelopes));

  /** `sizes` differ from the default in tests only. */
  constructor(
    private readonly log: TurnLog,
    private readonly codec: EventCodec,
    private readonly clock: JournalClock,
    private readonly identifiers: Identifiers,
    private readonly watch: EngineWatch,
    sizes: StreamSizes = shippedStreamSizes,
  ) {
    const ask = (kind: string, id: string) => this.reconcile(kind, id);
    this.effects = new EffectRunner(clock, (kind) => this.actors(kind), ask);
    this.directoryOptions = {
      ...sizes,
      seed: identifiers.randomBytes(4).readUInt32LE(),
      images: this.images,
      woken: (kind, id, wantedAt) => this.effects.woken(kind, id, wantedAt),
    };
  }

  /** Adds a kind of entity and returns its actors; before recovery. Features use an `Entity`. */
  register<State, Cmd extends Command, Event extends DomainEvent, View>(
    registration: Registration<State, Cmd, Event, View>,
  ): ActorDirectory<State> {
    const { kind } = registration.decider;
    if (this.entities.has(kind)) throw new Error(`two deciders for ${kind}`);
    this.codec.learn(registration.decider);
    const folds = listIn(this.folds, kind);
    folds.push(...registration.folds);
    const actors = new ActorDirectory<State>(registration.decider, folds, this.directoryOptions);
    const reactions = new Followers(listIn(this.reactions, kind));
    this.entities.set(kind, { registration, actors, reactions });
    if (registration.decider.restsIdle === true) this.restingIdle.push(actors);
    return actors;
  }

  /** Adds `fold`, an index of another feature over the events of `kind`; before recovery. */
  follow<Event extends DomainEvent, State>(kind: string, fold: Fold<Event, State>): void {
    listIn(this.folds, kind).push(fold as Fold);
  }

  /** Adds `reaction` to events of `kind`, after the kind's own `react`; before recovery. */
  reactTo<Event extends DomainEvent, State>(
    kind: string,
    reaction: Reaction<Event, State>,
    interest?: AnyInterest,
  ): void {
    listIn(this.reactions, kind).push({ react: reaction as Reaction, interest });
  }

  /** The kinds of entities, in the order they were registered. */
  get kinds(): readonly string[] {
    return [...this.entities.keys()];
  }

  /** Registers `carrier` to carry out effects of `kind`; before recovery. */
  carry<Wanted extends Effect>(kind: string, carrier: EffectCarrier<Wanted>): void {
    this.effects.carry(kind, carrier);
  }

  /**
   * `index` learns the events of `kinds`, or those of `interest`, once they are durable, replayed
   * ones first: whole turns in journal order, before listeners see them and before anything starts
   * because of them. `memory` is what it remembers; null = nothing. Before recovery.
   */
  index<Event extends DomainEvent>(
    kinds: readonly string[],
    index: EventListener<Event>,
    memory: IndexMemory | null,
    interest?: AnyInterest,
  ): void {
    this.indexes.add(kinds, index as EventListener, interest, memory);
  }

  /**
   * `listener` sees the events of `kinds`, or those of `interest`, once they are durable; replayed
   * events are not shown again. Events of one commit come together, in journal order.
   */
  observe<Event extends DomainEvent>(
    kinds: readonly string[],
    listener: EventListener<Event>,
    interest?: AnyInterest,
  ): void {
    this.listeners.add(kinds, listener as EventListener, interest);
  }

  /**
   * Decides the commands now, in order, as one atomic turn, and answers when it is durable. Rejects
   * if a decider threw: nothing has changed then. `by` is who caused it; null = the server, which
   * acts for the stream of each command.
   */
  dispatch<const Commands extends readonly Command[]>(
    commands: Commands,
    by: Principal | null = null,
  ): Promise<Outcomes<Commands>> {
    return this.answer(commands, 'each', by);
  }

  /** Like `dispatch`, but one refusal refuses all: the others get it as a `RefusalOfAnother`. */
  dispatchTogether<const Commands extends readonly Command[]>(
    commands: Commands,
    by: Principal | null = null,
  ): Promise<Outcomes<Commands>> {
    return this.answer(commands, 'together', by);
  }

  /**
   * Dispatches for a caller that does not wait for an answer: the watch learns of a defect. A turn
   * that starts nothing is then written together with the next one (ADR 55).
   */
  dispatchAndForget(commands: readonly Command[]): void {
    this.answer(commands, 'forgotten', null).catch(() => undefined);
  }

  /** Settles when everything decided so far is durable: what was read now may then be shown. */
  durable(): Promise<void> {
    if (this.log.highWatermark >= this.log.endOffset) return settled;
    this.log.flush();
    return this.groups.settled;
  }

  /** Reads now and returns the value once it is durable: memory may not be shown any earlier. */
  shown<Value>(read: () => Value): Promise<Value> {
    const value = read();
    return this.durable().then(() => value);
  }

  /** The actors of one kind, untyped. */
  actors(kind: string): ActorDirectory {
    const entity = this.entities.get(kind);
    if (entity === undefined) throw new Error(`no decider is registered for ${kind}`);
    return entity.actors;
  }

  /**
   * Folds one past turn: nothing is decided, no reaction runs, nothing is sent. Skips events that a
   * sweep has left of streams whose beginning is gone.
   */
  replay(envelopes: readonly EventEnvelope[]): void {
    this.clock.follow(envelopes);
    this.indexes.show(envelopes.filter((each) => this.actors(each.kind).replay(each, this.past)));
  }

  /** Call it after the last past turn: throws `BrokenStream` if no checkpoint ends a gap. */
  requireComplete(): void {
    for (const { actors } of this.entities.values()) actors.requireComplete();
  }

  /** Asks one stream what it wants, and starts or stops effects accordingly. */
  reconcile(kind: string, id: string): void {
    const entity = this.entities.get(kind);
    const actor = entity?.actors.wake(id);
    if (entity === undefined || actor === undefined) {
      this.effects.reconcile({ kind, id, firstOffset: -1, lastOffset: -1 }, []);
      return;
    }
    // A later event of this stream may not be durable yet; its own commit will call this again.
    if (actor.lastOffset >= this.log.highWatermark) return;
    const { firstOffset, lastOffset } = actor;
    const wanted = entity.registration.decider.wants(actor.state, id);
    this.effects.reconcile({ kind, id, firstOffset, lastOffset }, wanted);
  }

  private answer<Commands extends readonly Command[]>(
    commands: Commands,
    mode: TurnMode,
    by: Principal | null,
  ): Promise<Outcomes<Commands>> {
    try {
      // One outcome for each command, of the type that its decider answers.
      const outcomes = this.turn(commands, mode, by) as Outcomes<Commands>;
      return (mode === 'forgotten' ? settled : this.durable()).then(() => outcomes);
    } catch (error) {
      this.changes.revert();
      return Promise.reject(error);
    } finally {
      this.restLeastUsed();
    }
  }

  private restLeastUsed(): void {
    for (const actors of this.restingIdle) actors.restLeastUsed(this.log.highWatermark);
  }

  private turn(
    commands: readonly Command[],
    mode: TurnMode,
    by: Principal | null,
  ): readonly Outcome[] {
    if (commands.length > turnCommandsMax) throw new Error('more commands than a turn takes');
    const { entities, codec, changes, log } = this;
    const seed = seedOf(by);
    if (seed?.isSuperseded === true) return commands.map(seed.refuse);
    const names = new SeededNames(seed?.before(this.makeSeed) ?? this.makeSeed);
    for (;;) {
      names.restart();
      const turn = new Turn(entities, codec, changes, log.endOffset, names, by);
      const outcomes = this.decide(turn, commands);
      const refused = mode === 'together' ? Turn.refusedTogether(outcomes) : undefined;
      if (refused !== undefined) {
        changes.revert();
        return refused;
      }
      if (codec.needsDefinition) {
        // The turn used an event shape that the log does not know. Deciding is pure: teach the log
        // the shape, which moves every offset, and decide again.
        changes.revert();
        const { durable } = codec.define(this.clock.now(), (shapes) => log.append([shapes]));
        this.groups.join(durable, []);
        continue;
      }
      this.commit(turn, mode === 'forgotten' && turn.startsNothing);
      for (const refused of turn.refusedReactions) this.watch.reactionRefused(refused);
      return outcomes;
    }
  }

  private decide(turn: Turn, commands: readonly Command[]): readonly Outcome[] {
    try {
      return turn.run(commands);
    } catch (error) {
      this.changes.revert();
      this.watch.turnFailed(error, commands);
      throw error;
    }
  }

  /** Keeps the changes once the journal takes the turn; throws if it is too large or too late. */
  private commit(turn: Turn, lingers: boolean): void {
    if (turn.records.length === 0) return;
    const { durable } = this.log.append(turn.records, lingers);
    this.changes.keep();
    this.clock.follow(turn.envelopes);
    this.groups.join(durable, turn.envelopes);
  }

  private settle(envelopes: readonly EventEnvelope[]): void {
    this.indexes.show(envelopes);
    this.listeners.show(envelopes);
    for (const { kind, id } of envelopes) this.reconcile(kind, id);
    this.restLeastUsed();
  }
}

const settled = Promise.resolve();
