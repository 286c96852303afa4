/**
 * The followers of entities' events: folds and reactions during a turn, listeners once it is
 * durable. Most need few events: they are selected by type once, and by fields before each call.
 */
import type { DomainEvent, EventEnvelope } from './decider.js';
import type { AnyInterest, EventListener, IndexMemory } from './registration.js';

/** What is left to check once an event's type is known: the fields it names, and its stream. */
interface Condition {
  readonly fields: readonly string[];
  readonly streams: NonNullable<AnyInterest['streams']>;
}

/** A follower that may say which events concern it. */
interface Following {
  readonly interest?: AnyInterest | undefined;
}

/** A follower that events of one type may concern. */
interface Interested<Follower> {
  readonly follower: Follower;
  /** To be checked by `meets`; null = all events of the type concern the follower. */
  readonly condition: Condition | null;
}

/** The followers of one kind of entity by event type: each event is shown to few of them. */
export class Followers<Follower extends Following> {
  private readonly byType = new Map<string, readonly Interested<Follower>[]>();
  private known = 0;

  /** In the order in which they joined; more may join until recovery. */
  constructor(readonly all: readonly Follower[]) {}

  /** The followers that an event of this type may concern, in their order. */
  of(type: string): readonly Interested<Follower>[] {
    if (this.known !== this.all.length) {
      this.byType.clear();
      this.known = this.all.length;
    }
    let interested = this.byType.get(type);
    if (interested === undefined) {
      interested = this.all.flatMap((follower) => {
        const condition = conditionOf(follower.interest, type);
        return condition === undefined ? [] : [{ follower, condition }];
      });
      this.byType.set(type, interested);
    }
    return interested;
  }
}

interface Subscriber {
  readonly kinds: ReadonlySet<string>;
  readonly listener: EventListener;
  readonly interest: AnyInterest | undefined;
  /** The answers of `conditionOf` for types seen so far. */
  readonly conditions: Map<string, Condition | null | undefined>;
}

/** Listeners, each with the kinds of entities whose durable events it is shown. */
export class Subscribers {
  /** The memories of those listeners that have one. */
  readonly memories: IndexMemory[] = [];
  private readonly all: Subscriber[] = [];

  /** Shows `listener` the events of `kinds` (or of `interest`); `memory` is what it remembers. */
  add(
    kinds: readonly string[],
    listener: EventListener,
    interest?: AnyInterest,
    memory: IndexMemory | null = null,
  ): void {
    this.all.push({ kinds: new Set(kinds), listener, interest, conditions: new Map() });
    if (memory !== null) this.memories.push(memory);
  }

  /** Shows each listener its events of `envelopes`; a listener that has none is not called. */
  show(envelopes: readonly EventEnvelope[]): void {
    const kindsShown = new Set<string>();
    const types = new Set<string>();
    let last = '';
    for (const { kind, event } of envelopes) {
      kindsShown.add(kind);
      // Events of the same type mostly follow each other.
      if (event.type !== last) types.add(event.type);
      last = event.type;
    }
    for (const subscriber of this.all) {
      const { kinds, listener, interest } = subscriber;
      if (interest?.served?.size === 0) continue;
      const own = ownOf(envelopes, kindsShown, kinds);
      const selected =
        interest?.types === undefined ? own : concerning(own, types, interest, subscriber);
      if (selected.length > 0) listener(selected);
    }
  }
}

const none: readonly EventEnvelope[] = [];

/** The events of `kinds`; most commits have events of one kind, and need no new list. */
function ownOf(
  envelopes: readonly EventEnvelope[],
  shown: ReadonlySet<string>,
  kinds: ReadonlySet<string>,
): readonly EventEnvelope[] {
  let common = 0;
  for (const kind of shown) if (kinds.has(kind)) common += 1;
  if (common === 0) return none;
  return common === shown.size ? envelopes : envelopes.filter(({ kind }) => kinds.has(kind));
}

/**
 * The events that concern a listener, out of events of `types`. A listener that follows streams
 * learns of a new stream by an event of its types: once that is shown, the stream's later events
 * are shown with it.
 */
function concerning(
  envelopes: readonly EventEnvelope[],
  types: ReadonlySet<string>,
  interest: AnyInterest,
  { conditions }: Subscriber,
): readonly EventEnvelope[] {
  let mayConcern = false;
  let concernsAll = true;
  for (const type of types) {
    if (!conditions.has(type)) conditions.set(type, conditionOf(interest, type));
    const condition = conditions.get(type);
    mayConcern ||= condition !== undefined;
    concernsAll &&= condition === always;
  }
  if (!mayConcern) return none;
  if (concernsAll) return envelopes;
  let selected: EventEnvelope[] | null = null;
  const begun = interest.streams === undefined ? null : new Set<string>();
  for (const envelope of envelopes) {
    const condition = conditions.get(envelope.event.type);
    const isSelected = condition !== undefined && meets(condition, envelope, undefined);
    if (!isSelected && begun?.has(envelope.id) !== true) continue;
    begun?.add(envelope.id);
    if (selected === null) selected = [envelope];
    else selected.push(envelope);
  }
  return selected ?? none;
}

const always: Condition | null = null;
const noFields: readonly string[] = [];
const noStreams: Condition['streams'] = [];

/** null = all events of this type concern a follower with this interest; undefined = none do. */
function conditionOf(
  interest: AnyInterest | undefined,
  type: string,
): Condition | null | undefined {
  if (interest?.types === undefined) return always;
  const { types, streams } = interest;
  const fields = types[type];
  if (fields === true) return always;
  if (fields === undefined && streams === undefined) return undefined;
  return { fields: fields ?? noFields, streams: streams ?? noStreams };
}

/** Whether an event meets a condition; `before` is the state before the event, if it is known. */
export function meets(
  condition: Condition | null,
  { id, event }: Pick<EventEnvelope, 'id' | 'event'>,
  before: unknown,
): boolean {
  if (condition === null) return true;
  const { fields, streams } = condition;
  for (const field of fields) if (names(event, before, field)) return true;
  for (const ids of streams) if (ids.has(id)) return true;
  return false;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether an event, or else the state before it, has a value for the field. The interest's type has
 * checked that such fields exist.
 */
function names(event: DomainEvent, before: unknown, field: string): boolean {
  const own = (event as DomainEvent & Fields)[field];
  const named = own === undefined ? (before as Fields | null | undefined)?.[field] : own;
  return named !== undefined && named !== null;
}
