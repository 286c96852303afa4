/**
 * Which events a follower of a kind of entity is called for. Most followers need few of them, which
 * are selected by type, once, and by fields before the follower is called.
 */

/** The one field of any event that an interest needs. */
interface Typed {
  readonly type: string;
}

type FieldOf<Event> = Event extends unknown ? keyof Event & string : never;

/** What concerns a follower: the events of `types`, and all those of `streams`. */
export interface Interest<Event extends Typed> extends AnyInterest {
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

/** What the type of an event leaves to be asked of it: what it names, and of which stream it is. */
export interface Condition {
  readonly fields: readonly string[];
  readonly streams: NonNullable<AnyInterest['streams']>;
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
  { id, event }: { readonly id: string; readonly event: Typed },
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
function names(event: Typed, before: unknown, field: string): boolean {
  const own = (event as Typed & Fields)[field];
  const named = own === undefined ? (before as Fields | null | undefined)?.[field] : own;
  return named !== undefined && named !== null;
}

/** Which events concern one with an interest, or with none: that is everything. */
export class Concern {
  private readonly byType = new Map<string, Condition | null | undefined>();

  constructor(private readonly interest: AnyInterest | undefined) {}

  /** Whether an event does; `before` is the state before it, if it is known. */
  isIn(envelope: { readonly id: string; readonly event: Typed }, before: unknown): boolean {
    const { byType } = this;
    const { type } = envelope.event;
    let condition = byType.get(type);
    if (condition === undefined && !byType.has(type)) {
      condition = conditionOf(this.interest, type);
      byType.set(type, condition);
    }
    return condition !== undefined && meets(condition, envelope, before);
  }
}

/** What may say which events concern it. */
interface Following {
  readonly interest?: AnyInterest | undefined;
}

/** A follower that events of one type may concern. */
export interface Interested<Follower> {
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
