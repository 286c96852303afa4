/** What the machine of a consumer group remembers, and how each event changes that. Pure. */
import { afterMoves, type Owners, type Strategy } from './assignment.policy.js';
import type { ConsumerGroupEvent, Rebalance } from './consumer-group.events.js';
import { Members } from './members.js';

/** An event with the time and the place at which the journal has it. */
export type RecordedGroupEvent = ConsumerGroupEvent & {
  readonly at: number;
  readonly offset: number;
};

type Recorded<Type extends ConsumerGroupEvent['type']> = Extract<
  RecordedGroupEvent,
  { readonly type: Type }
>;

/** Members, owners and generation of a group. */
export interface GroupContext {
  /** Rises with every change of members or owners; 0 = there was none. */
  readonly generation: number;
  readonly strategy: Strategy;
  readonly members: Members;
  readonly owners: Owners;
  /**
   * Of each topic that a member ever subscribed to: where the journal has that first. Of more than
   * 10,000 those are forgotten that no member subscribes to, the oldest first.
   */
  readonly firstSubscribed: ReadonlyMap<string, number>;
  /** Since when it has no members, Unix milliseconds; null = it has some. */
  readonly emptySince: number | null;
}

/** The context of a group that has not begun. */
export const noGroup: GroupContext = {
  generation: 0,
  strategy: 'range',
  members: Members.none,
  owners: new Map(),
  firstSubscribed: new Map(),
  emptySince: null,
};

/** A member has come, or has subscribed to other topics. */
export function subscribed(
  context: GroupContext,
  event: Recorded<'MemberJoined' | 'SubscriptionChanged'>,
): Partial<GroupContext> {
  const { instance, topics } = event;
  const members = context.members.with(instance, topics);
  return {
    ...rebalanced(context, event),
    strategy: event.type === 'MemberJoined' ? event.strategy : context.strategy,
    members,
    firstSubscribed: firstSubscribedWith(context.firstSubscribed, event, members),
    emptySince: null,
  };
}

/** The group is empty from the time on at which its last member left. */
export function left(context: GroupContext, event: Recorded<'MemberLeft'>): Partial<GroupContext> {
  const members = context.members.without(event.instance);
  const emptySince = members.size === 0 ? event.at : null;
  return { ...rebalanced(context, event), members, emptySince };
}

/** Partitions change hands, all at once. */
export function rebalanced(
  { owners }: GroupContext,
  { generation, moved }: Rebalance,
): Pick<GroupContext, 'generation' | 'owners'> {
  return { generation, owners: afterMoves(owners, moved) };
}

/** Topics need not be there: a client may go on to names that it makes up. */
const namesMax = 10_000;

function firstSubscribedWith(
  known: ReadonlyMap<string, number>,
  { topics, offset }: Recorded<'MemberJoined' | 'SubscriptionChanged'>,
  members: Members,
): ReadonlyMap<string, number> {
  const added = topics.filter((topic) => !known.has(topic));
  if (added.length === 0) return known;
  const all = new Map([...known, ...added.map((topic) => [topic, offset] as const)]);
  let tooMany = all.size - namesMax;
  for (const topic of tooMany > 0 ? known.keys() : []) {
    if (tooMany <= 0) break;
    if (members.topics.has(topic)) continue;
    all.delete(topic);
    tooMany -= 1;
  }
  return all;
}
