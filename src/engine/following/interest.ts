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

/**
 * Whether an event concerns one with this interest, or with none: that is everything. `before` is
 * the state before the event, if it is known.
 */
export function concerns(
  interest: AnyInterest | undefined,
  { id, event }: { readonly id: string; readonly event: Typed },
  before: unknown,
): boolean {
  if (interest?.types === undefined) return true;
  const { types, streams = none } = interest;
  const fields = types[event.type];
  if (fields === true || (fields !== undefined && namesAny(event, before, fields))) return true;
  for (const ids of streams) if (ids.has(id)) return true;
  return false;
}

const none: NonNullable<AnyInterest['streams']> = [];

type Fields = Readonly<Record<string, unknown>>;

function namesAny(event: Typed, before: unknown, fields: readonly string[]): boolean {
  for (const field of fields) {
    const named = ((field in event ? event : before) as Fields | undefined)?.[field];
    if (named !== undefined && named !== null) return true;
  }
  return false;
}

/** What may say which events concern it. */
interface Following {
  readonly interest?: AnyInterest | undefined;
}

/** A follower that events of one type may concern. */
export interface Interested<Follower> {
  readonly follower: Follower;
  /** For `concerns`, where some of them do not; undefined = all do. */
  readonly interest: AnyInterest | undefined;
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
      interested = this.all.flatMap((follower) => interestedIn(follower, type));
      this.byType.set(type, interested);
    }
    return interested;
  }
}

function interestedIn<Follower extends Following>(
  follower: Follower,
  type: string,
): readonly Interested<Follower>[] {
  const { interest } = follower;
  const fields = interest?.types === undefined ? true : interest.types[type];
  if (fields === true) return [{ follower, interest: undefined }];
  const isNever = fields === undefined && interest?.streams === undefined;
  return isNever ? [] : [{ follower, interest }];
}
