/**
 * How a feature joins the engine: its decider, what its decisions read, and what follows events of
 * its own and of others.
 */
import type { Command, Decider, DomainEvent, Effect, EventEnvelope, TurnNames } from './decider.js';
import type { Placed, TurnChanges } from './turn-changes.js';

/** A map of an index: a checkpoint and an image of memory put back what it held. */
export type RememberedMap<Value = unknown> = Map<string | number, Value>;

/** What an index remembers: what a snapshot stores of it, and a digest of memory names. */
export interface FoldMemory {
  /** No other index has it. */
  readonly name: string;
  /**
   * All of its maps by names of their own; they change by `TurnChanges` only. Keys are texts or
   * numbers, values are plain (see `StoredForm`) or maps of plain values.
   */
  readonly maps: Readonly<Record<string, RememberedMap>>;
  /** Those of them that stand in the order of their values' offsets (`deleteInOrder`). */
  readonly inOrder?: readonly RememberedMap<Placed>[];
  /** Those of `inOrder` whose entries expire. */
  readonly expiring?: readonly Expiring[];
  /** Settings that change what it remembers of the same events. */
  readonly settings?: readonly (string | number)[];
  /** It may keep entries of turns that were rolled back, so that digests leave it out. */
  readonly mayHoldMore?: true;
}

/**
 * A map whose entries expire. Every recorded sweep drops those that have, live and in replay, so
 * that memory is the same whether the swept events are still in the journal or not (ADR 108).
 * `evolve` drops none for its age: it would go by a clock that may be ahead for a moment.
 */
export interface Expiring {
  readonly map: RememberedMap<Placed>;
  /** Whether the entry has expired at `at`, Unix milliseconds. */
  isOver(entry: Placed, at: number): boolean;
}

type FieldOf<Event> = Event extends unknown ? keyof Event & string : never;

/** What concerns a follower: the events of `types`, and all those of `streams`. */
export interface Interest<Event extends DomainEvent> extends AnyInterest {
  readonly types: { readonly [Type in Event['type']]?: true | readonly FieldOf<Event>[] };
}

/** As the engine sees it, of events of any kind. */
export interface AnyInterest {
  /**
   * By type: every event (`true`), or each that names something in one of these fields. What an
   * event does not have is looked for in its stream's state before it, where that is known.
   * Without it: events of all types.
   */
  readonly types?: { readonly [type: string]: true | readonly string[] | undefined };
  /** Ids of streams. */
  readonly streams?: readonly { has(id: string): boolean }[];
  /** What a listener serves, such as open streams: it sees nothing while there is none. */
  readonly served?: { readonly size: number };
}

/** An in-memory index: a fold of events, changed in the same tick as the state. */
export interface Fold<Event extends DomainEvent = DomainEvent, State = unknown> {
  /** Which events `evolve` is called for; absent: all of the kinds that it follows. */
  readonly interest?: AnyInterest;
  /** null = it remembers nothing. */
  readonly memory: FoldMemory | null;
  /** `before` is the state of the event's stream before it. */
  evolve(envelope: EventEnvelope<Event>, changes: TurnChanges, before: State): void;
  /**
   * Journal offsets of events of ended streams that the index still shows at `at`: a sweep keeps
   * those streams. It names none of streams that have not ended, which are kept anyway.
   */
  references?(at: number): Iterable<number>;
}

/**
 * What the events of one kind mean for the streams of another feature: commands that are decided in
 * the same turn, as those of the kind's own `react`, whose parameters it has.
 */
export type Reaction<Event extends DomainEvent = DomainEvent, State = unknown> = (
  envelope: EventEnvelope<Event>,
  state: State,
  names: TurnNames,
  command: Command,
  before: State,
) => readonly Command[];

/** Sees events once they are durable, in journal order: some, never none. */
export type EventListener<Event extends DomainEvent = DomainEvent> = (
  envelopes: readonly EventEnvelope<Event>[],
) => void;

/** What an index of durable events remembers (see `Engine.index`). */
export interface IndexMemory<Part = unknown> {
  /** No other index has it. */
  readonly name: string;
  /** All of it as it is now, whatever is learned before the last part is asked for. */
  store(): IndexParts<Part>;
  /** Puts a part into an index that has learned nothing yet; each of them, in their order. */
  // A method, so that the engine, which does not know what parts are, may hand them back.
  restore(part: Part): void;
}

/** What an index remembered at one moment. */
export interface IndexParts<Part = unknown> {
  /** Plain values (see `StoredForm`); each is made within a few milliseconds. */
  parts(): Iterable<Part>;
  /** Nothing of it is asked for any more. */
  end(): void;
}

/** The same of an index that is small: it is stored at once. */
export function onePart<Part>(value: Part): IndexParts<Part> {
  return { parts: () => [value], end: () => undefined };
}

/** A feature's entry in the engine. */
export interface Registration<State, Cmd extends Command, Event extends DomainEvent, View> {
  readonly decider: Decider<State, Cmd, Event, View>;
  /** The read-only indexes that `decide` may look at. */
  readonly view: View;
  /** Indexes folded from this kind's events. */
  readonly folds: readonly Fold<Event, State>[];
}

/** A registration as the engine sees it: values pass through, their types are the feature's own. */
export type AnyRegistration = Registration<unknown, Command, DomainEvent, unknown>;

/** The stream an effect belongs to, at the moment it starts. */
export interface EffectSource {
  readonly kind: string;
  readonly id: string;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

/**
 * How an effect is carried out. `start` returns what stops it; stopping what has ended does
 * nothing.
 */
export interface EffectCarrier<Wanted extends Effect = Effect> {
  /** It only makes readable what is stored: it runs where nothing may change, too. */
  readonly changesNothing?: true;
  start(source: EffectSource, effect: Wanted): () => void;
}
