/**
 * Who follows the events of entities: folds and reactions in their turn, listeners once it is
 * durable. Most need few events: by type they are selected once, by fields before each call.
 */
import type { DomainEvent, EventEnvelope } from './decider.js';
import type { AnyInterest, EventListener, IndexMemory } from './registration.js';

/** What the type of an event leaves to be asked of it: what it names, and of which stream it is. */
interface Condition {
  readonly fields: readonly string[];
  readonly streams: NonNullable<AnyInterest['streams']>;
}

/** What may say which events concern it. */
interface Following {
  readonly interest?: AnyInterest | undefined;
}

/** A follower that events of one type may concern. */
interface Interested<Follower> {
  readonly follower: Follower;
  /** For `meets`; null = all of them concern it. */
  readonly condition: Condition | null;
}

/** Those of one kind of entity, by the types of its events: each event is shown to few of them. */
export class Followers<Follower extends Following> {
  private readonly byType = new Map<string, readonly Interested<Follower>[]>();
  private known = 0;

  /** In the order in which they joined; more may join until recovery. */
  constructor(readonly all: readonly Follower[]) {}

  /** Those that an event of this type may concern, in their order. */
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
  /** What `conditionOf` has said of types that came. */
  readonly conditions: Map<string, Condition | null | undefined>;
}

/** Listeners, each with the kinds of entities whose durable events it is shown. */
export class Subscribers {
  /** What those remember that remember anything. */
  readonly memories: IndexMemory[] = [];
  private readonly all: Subscriber[] = [];

  /**
   * `listener` is shown the events of `kinds`, or those of `interest`, and remembers `memory` of
   * them.
   */
  add(
    kinds: readonly string[],
    listener: EventListener,
    interest?: AnyInterest,
    memory: IndexMemory | null = null,
  ): void {
    this.all.push({ kinds: new Set(kinds), listener, interest, conditions: new Map() });
    if (memory !== null) this.memories.push(memory);
  }

  /** Shows each listener its events of `envelopes`; one that has none of them is not called. */
  show(envelopes: readonly EventEnvelope[]): void {
    const kindsShown = new Set<string>();
    const types = new Set<string>();
    let last = '';
    for (const { kind, event } of envelopes) {
      kindsShown.add(kind);
      // Mostly those of one type follow each other.
      if (event.type !== last) types.add(event.type);
      last = event.type;
    }
    for (const subscriber of this.all) {
      const { kinds, listener, interest } = subscriber;
      if (interest?.served?.size === 0) continue;
      const own = ownOf(envelopes, kindsShown, kinds);
      const meant =
        interest?.types === undefined ? own : concerning(own, types, interest, subscriber);
      if (meant.length > 0) listener(meant);
    }
  }
}

const none: readonly EventEnvelope[] = [];

/** Those of `kinds`; most commits have events of one kind, and then no list is made. */
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
 * Those that concern a listener, of events of `types`. One that follows streams learns of them by
 * the events of its types: where one of these is shown, the later ones of its stream are shown with
 * it.
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
  let meant: EventEnvelope[] | null = null;
  const begun = interest.streams === undefined ? null : new Set<string>();
  for (const envelope of envelopes) {
    const condition = conditions.get(envelope.event.type);
    const isMeant = condition !== undefined && meets(condition, envelope, undefined);
    if (!isMeant && begun?.has(envelope.id) !== true) continue;
    begun?.add(envelope.id);
    if (meant === null) meant = [envelope];
    else meant.push(envelope);
  }
  return meant ?? none;
}

const always: Condition | null = null;
const noFields: readonly string[] = [];
const noStreams: Condition['streams'] = [];

/** null = every event of this type concerns one with this interest; undefined = none does. */
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
 * What an event does not have is looked for in the state before it. Which fields there are was
 * checked where the interest was written.
 */
function names(event: DomainEvent, before: unknown, field: string): boolean {
  const own = (event as DomainEvent & Fields)[field];
  const named = own === undefined ? (before as Fields | null | undefined)?.[field] : own;
  return named !== undefined && named !== null;
}
