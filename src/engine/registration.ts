/**
 * How a feature joins the engine: its decider, what its decisions read, and what follows its own
 * events and those of others.
 */
import type { Command, Decider, DomainEvent, Effect, EventEnvelope, TurnNames } from './decider.js';
import type { Placed, TurnChanges } from './turn-changes.js';

/** A map of an index: checkpoints and images of memory restore its content. */
export type RememberedMap<Value = unknown> = Map<string | number, Value>;

/** What an index remembers: stored by snapshots, and compared by digests of memory. */
export interface FoldMemory {
  /** Unique among the indexes. */
  readonly name: string;
  /**
   * All maps of the index, by name; only `TurnChanges` may change them. Keys are texts or numbers,
   * values are plain (see `StoredForm`) or maps of plain values.
   */
  readonly maps: Readonly<Record<string, RememberedMap>>;
  /** Those maps that are in the order of their values' offsets (`deleteInOrder`). */
  readonly inOrder?: readonly RememberedMap<Placed>[];
  /** Those of `inOrder` whose entries expire. */
  readonly expiring?: readonly Expiring[];
  /** Settings that change what the index remembers of the same events. */
  readonly settings?: readonly (string | number)[];
  /** The index may keep entries of turns that were rolled back, so digests leave it out. */
  readonly mayHoldMore?: true;
}

/**
 * A map whose entries expire. Every recorded sweep drops expired entries, live and in replay, so
 * that memory is the same whether the swept events are still in the journal or not (ADR 108).
 * `evolve` drops none because of its age: the clock might be ahead for a moment. A change of an
 * entry in its place does not make it older.
 */
export interface Expiring {
  readonly map: RememberedMap<Placed>;
  /** Whether the entry has expired at `at`, Unix milliseconds. */
  isOver(entry: Placed, at: number): boolean;
}

type FieldOf<Event> = Event extends unknown ? keyof Event & string : never;

/** The events that concern a follower: those of `types`, and all events of `streams`. */
export interface Interest<Event extends DomainEvent> extends AnyInterest {
  readonly types: { readonly [Type in Event['type']]?: true | readonly FieldOf<Event>[] };
}

/** An interest as the engine sees it, in events of any kind. */
export interface AnyInterest {
  /**
   * By type: every event (`true`), or each event that has a value in one of these fields. If an
   * event lacks a field, the state of its stream before it is checked, if known. Absent: events of
   * all types.
   */
  readonly types?: { readonly [type: string]: true | readonly string[] | undefined };
  /** Ids of streams whose events all concern the follower. */
  readonly streams?: readonly { has(id: string): boolean }[];
  /** What a listener serves, such as open connections: it is shown nothing while this is empty. */
  readonly served?: { readonly size: number };
}

/** An in-memory index: a fold of events, changed in the same tick as the state. */
export interface Fold<Event extends DomainEvent = DomainEvent, State = unknown> {
  /** The events for which `evolve` is called; absent: all events of the kinds it follows. */
  readonly interest?: AnyInterest;
  /** null = the index remembers nothing. */
  readonly memory: FoldMemory | null;
  /** `before` is the state of the event's stream before the event. */
  evolve(envelope: EventEnvelope<Event>, changes: TurnChanges, before: State): void;
  /**
   * Journal offsets of events of ended streams that the index still shows at `at`: a sweep keeps
   * those streams. Need not name streams that have not ended: they are kept anyway.
   */
  references?(at: number): Iterable<number>;
}

/**
 * What the events of one kind mean for the streams of another feature: commands that are decided in
 * the same turn. Has the parameters of the kind's own `react`.
 */
export type Reaction<Event extends DomainEvent = DomainEvent, State = unknown> = (
  envelope: EventEnvelope<Event>,
  state: State,
  names: TurnNames,
  command: Command,
  before: State,
) => readonly Command[];

/** Receives events once they are durable, in journal order: at least one per call. */
export type EventListener<Event extends DomainEvent = DomainEvent> = (
  envelopes: readonly EventEnvelope<Event>[],
) => void;

/** What an index of durable events remembers (see `Engine.index`). */
export interface IndexMemory<Part = unknown> {
  /** Unique among the indexes. */
  readonly name: string;
  /** All it remembers as of now, even if it learns more before the last part is taken. */
  store(): IndexParts<Part>;
  /** Restores a part in an index that has learned nothing yet; called with each part, in order. */
  // A method, so that the engine, which does not know what parts are, may hand them back.
  restore(part: Part): void;
}

/** What an index remembered at one moment, in parts. */
export interface IndexParts<Part = unknown> {
  /** Plain values (see `StoredForm`); each is made within a few milliseconds. */
  parts(): Iterable<Part>;
  /** Called when no more parts will be taken. */
  end(): void;
}

/** The parts of a small index, which is stored at once. */
export function onePart<Part>(value: Part): IndexParts<Part> {
  return { parts: () => [value], end: () => undefined };
}

/** What a feature registers for its kind of entity. */
export interface Registration<State, Cmd extends Command, Event extends DomainEvent, View> {
  readonly decider: Decider<State, Cmd, Event, View>;
  /** The read-only indexes that `decide` may look at. */
  readonly view: View;
  /** Indexes folded from this kind's events. */
  readonly folds: readonly Fold<Event, State>[];
}

/** A registration as the engine sees it: values pass through, typed by the feature only. */
export type AnyRegistration = Registration<unknown, Command, DomainEvent, unknown>;

/** The stream an effect belongs to, at the moment it starts. */
export interface EffectSource {
  readonly kind: string;
  readonly id: string;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

/**
 * How an effect is carried out. `start` returns a function that stops it; stopping an effect that
 * has ended does nothing.
 */
export interface EffectCarrier<Wanted extends Effect = Effect> {
  /** The effect only makes stored data readable: it runs even if nothing may change. */
  readonly changesNothing?: true;
  start(source: EffectSource, effect: Wanted): () => void;
}
