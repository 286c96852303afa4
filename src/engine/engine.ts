/**
 * The turn of the house: decide, evolve, react and append in one tick; answer and act once durable.
 */
import type { Appended } from '../../storage/log/partition-log.js';
import { ActorDirectory, liveStatesMax } from './actor-directory.js';
import type { Clock } from './clock.js';
import type { Command, DomainEvent, Effect, EventEnvelope, TurnNames } from './decider.js';
import { EffectRunner } from './effect-runner.js';
import type { EventCodec } from './event-codec.js';
import type { Identifiers } from './identifiers.js';
import type { Journal } from './journal.js';
import type { EffectCarrier, Fold, Reaction, Registration } from './registration.js';
import { type Outcome, type RefusedReaction, type RegisteredKind, Turn } from './turn.js';
import { TurnChanges } from './turn-changes.js';
import type { UpcasterTable } from './upcasters.js';

/** A turn decides at most this many commands, so that no request holds the event loop. */
export const turnCommandsMax = 256;

/** What the engine tells the component that watches over it. */
export interface EngineWatch {
  /** A defect: a decider threw. Memory and journal are untouched. */
  turnFailed(error: unknown, commands: readonly Command[]): void;
  reactionRefused(refused: RefusedReaction): void;
}

/** Sees events once they are durable, in journal order. */
export type EventListener = (envelopes: readonly EventEnvelope[]) => void;

/** Everything decided since the last commit began: it becomes durable together. */
interface CommitGroup {
  readonly settled: Promise<void>;
  readonly envelopes: EventEnvelope[];
}

export class Engine {
  private readonly entities = new Map<string, RegisteredKind>();
  private readonly folds = new Map<string, Fold[]>();
  private readonly reactions = new Map<string, Reaction[]>();
  private readonly changes = new TurnChanges();
  private readonly past = new TurnChanges(false);
  private readonly effects: EffectRunner;
  private readonly indexes: EventListener[] = [];
  private readonly listeners: EventListener[] = [];
  private readonly makeSeed = () => this.identifiers.turnSeed(this.clock.now());
  private lastDurable: Promise<void> | null = null;
  private group: CommitGroup = { settled: Promise.resolve(), envelopes: [] };

  constructor(
    private readonly journal: Journal,
    private readonly codec: EventCodec,
    private readonly upcasters: UpcasterTable,
    private readonly clock: Clock,
    private readonly identifiers: Identifiers,
    private readonly watch: EngineWatch,
    private readonly liveStates: number = liveStatesMax,
  ) {
    this.effects = new EffectRunner(clock, (kind, id) => this.reconcile(kind, id));
  }

  /** One more kind of entity; before recovery. */
  register<State, Cmd extends Command, Event extends DomainEvent, View>(
    registration: Registration<State, Cmd, Event, View>,
  ): void {
    const { kind } = registration.decider;
    if (this.entities.has(kind)) throw new Error(`two deciders for ${kind}`);
    this.upcasters.add(kind, registration.decider.upcasters);
    const folds = this.foldsOf(kind);
    folds.push(...registration.folds);
    const actors = new ActorDirectory(registration.decider, folds, this.liveStates);
    this.entities.set(kind, { registration, actors, reactions: this.reactionsTo(kind) });
  }

  /** `fold` is an index of another feature over the events of `kind`; before recovery. */
  follow(kind: string, fold: Fold): void {
    this.foldsOf(kind).push(fold);
  }

  /** Events of `kind` mean what `reaction` says, after the kind's own `react`; before recovery. */
  reactTo<Event extends DomainEvent, State>(kind: string, reaction: Reaction<Event, State>): void {
    this.reactionsTo(kind).push(reaction as Reaction);
  }

  /** The kinds of entities, in the order they were registered. */
  get kinds(): readonly string[] {
    return [...this.entities.keys()];
  }

  /** Effects of `kind` are carried out by `carrier`; before recovery. */
  carry<Wanted extends Effect>(kind: string, carrier: EffectCarrier<Wanted>): void {
    this.effects.carry(kind, carrier);
  }

  /**
   * `index` learns every event once it is durable, replayed ones first: whole turns in the order of
   * the journal, before any listener sees them and before anything starts because of them. What it
   * knows is never taken back, so it may hold what it likes; before recovery.
   */
  index(index: EventListener): void {
    this.indexes.push(index);
  }

  /** `listener` sees every event after it is durable; replayed events are not shown again. */
  observe(listener: EventListener): void {
    this.listeners.push(listener);
  }

  /**
   * Decides the commands now, in order, as one atomic turn, and answers when it is durable.
   * Rejects if a decider threw: then nothing has changed.
   */
  dispatch(commands: readonly Command[]): Promise<readonly Outcome[]> {
    return this.answer(commands, false);
  }

  /** As `dispatch`, but one refusal refuses them all: nothing has changed and each is told it. */
  dispatchTogether(commands: readonly Command[]): Promise<readonly Outcome[]> {
    return this.answer(commands, true);
  }

  /** Dispatches for a caller that waits for no answer: the watch has been told of a defect. */
  tell(commands: readonly Command[]): void {
    this.dispatch(commands).catch(() => undefined);
  }

  /** Settles when everything decided so far is durable: what was read now may then be shown. */
  durable(): Promise<void> {
    return this.journal.highWatermark >= this.journal.endOffset ? settled : this.group.settled;
  }

  /** The actors of one kind, for reads; show what is read only after `durable()`. */
  actors(kind: string): ActorDirectory {
    const entity = this.entities.get(kind);
    if (entity === undefined) throw new Error(`no decider is registered for ${kind}`);
    return entity.actors;
  }

  /** Remembers one turn of the past: no decision, no reaction, nothing is sent. */
  replay(envelopes: readonly EventEnvelope[]): void {
    for (const envelope of envelopes) {
      const actors = this.actors(envelope.kind);
      actors.evolve(envelope, actors.find(envelope.id), this.past);
    }
    for (const index of this.indexes) index(envelopes);
  }

  /** Asks one stream what it wants and starts or stops accordingly. */
  reconcile(kind: string, id: string): void {
    const entity = this.entities.get(kind);
    const actor = entity?.actors.find(id);
    if (entity === undefined || actor === undefined) {
      this.effects.reconcile({ kind, id, firstOffset: -1, lastOffset: -1 }, noEffects);
      return;
    }
    // A later event of this stream may not be durable yet; its own commit will come back here.
    if (actor.lastOffset >= this.journal.highWatermark) return;
    const { firstOffset, lastOffset } = actor;
    const wanted = entity.registration.decider.wants(actor.state, id);
    this.effects.reconcile({ kind, id, firstOffset, lastOffset }, wanted);
  }

  /** Nothing new starts; what runs may end and be recorded. */
  stopEffects(): void {
    this.effects.stop();
  }

  private answer(commands: readonly Command[], together: boolean): Promise<readonly Outcome[]> {
    let outcomes: readonly Outcome[];
    try {
      outcomes = this.turn(commands, together);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.durable().then(() => outcomes);
  }

  private foldsOf(kind: string): Fold[] {
    return listIn(this.folds, kind);
  }

  private reactionsTo(kind: string): Reaction[] {
    return listIn(this.reactions, kind);
  }

  private turn(commands: readonly Command[], together: boolean): readonly Outcome[] {
    if (commands.length > turnCommandsMax) throw new Error('a turn takes at most 256 commands');
    const names = new SeededNames(this.makeSeed);
    for (;;) {
      names.restart();
      const turn = new Turn(this.entities, this.codec, this.changes, this.journal.endOffset, names);
      const outcomes = this.decide(turn, commands);
      const refusal = together ? outcomes.find(({ accepted }) => !accepted) : undefined;
      if (refusal !== undefined) {
        this.changes.revert();
        return commands.map(() => refusal);
      }
      if (this.codec.needsDefinition) {
        // The turn used an event shape that the log does not know. Deciding is pure: teach the log
        // the shape, which moves every offset, and decide again.
        this.changes.revert();
        this.join(this.journal.append([this.codec.definition(this.clock.now())]));
        continue;
      }
      this.commit(turn);
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

  /**
   * Memory keeps what the journal took, or neither has it: a turn may be too large, or too late.
   */
  private commit(turn: Turn): void {
    if (turn.records.length === 0) return;
    let appended: Appended;
    try {
      appended = this.journal.append(turn.records);
    } catch (error) {
      this.changes.revert();
      throw error;
    }
    this.changes.keep();
    this.join(appended).envelopes.push(...turn.envelopes);
  }

  /** The commit group that `appended` belongs to; a new one if the last has been closed. */
  private join(appended: Appended): CommitGroup {
    if (appended.durable !== this.lastDurable) {
      const envelopes: EventEnvelope[] = [];
      this.lastDurable = appended.durable;
      // A failed write never settles: the store has told the process, and the process ends.
      const settled = appended.durable.then(
        // Replies go first: they are the microtasks of this promise.
        () => void setImmediate(() => this.settle(envelopes)),
        () => forever,
      );
      this.group = { settled, envelopes };
    }
    return this.group;
  }

  private settle(envelopes: readonly EventEnvelope[]): void {
    for (const index of this.indexes) index(envelopes);
    for (const listener of this.listeners) listener(envelopes);
    for (const { kind, id } of envelopes) this.reconcile(kind, id);
  }
}

/** Names made from one seed; a turn that is decided again starts again at the first name. */
class SeededNames implements TurnNames {
  private seed = '';
  private index = 0;

  constructor(private readonly makeSeed: () => string) {}

  next(prefix: string): string {
    this.seed ||= this.makeSeed();
    this.index += 1;
    return `${prefix}_${this.seed}${this.index.toString(36)}`;
  }

  restart(): void {
    this.index = 0;
  }
}

/** The list of `kind`, which is made where there is none. */
function listIn<Item>(lists: Map<string, Item[]>, kind: string): Item[] {
  const known = lists.get(kind);
  if (known !== undefined) return known;
  const list: Item[] = [];
  lists.set(kind, list);
  return list;
}

const settled = Promise.resolve();
const forever = new Promise<never>(() => {});
const noEffects: readonly Effect[] = [];
