/** What the machine of a consumer group remembers, and how each event changes it. Pure. */
import { afterMoves, type Owners, type Strategy } from './assignment.policy.js';
import type { ConsumerGroupEvent, Rebalance } from './consumer-group.events.js';
import { Members } from './members.js';

/** An event with the time and the offset at which the journal has it. */
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
  /** Increases with every change of members or owners; 0 = there was no change yet. */
  readonly generation: number;
  readonly strategy: Strategy;
  readonly members: Members;
  readonly owners: Owners;
  /**
   * For each topic that a member ever subscribed to, the journal offset of the first subscription.
   * Beyond 10,000 topics, those without a current subscription are forgotten, oldest first.
   */
  readonly firstSubscribed: ReadonlyMap<string, number>;
  /** Since when the group has no members, Unix milliseconds; null = it has members. */
  readonly emptySince: number | null;
}

/** The context of a group that does not exist yet. */
export const noGroup: GroupContext = {
  generation: 0,
  strategy: 'range',
  members: Members.none,
  owners: new Map(),
  firstSubscribed: new Map(),
  emptySince: null,
};

/** Handles a member that joined, or that changed its subscription. */
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

/** Removes a member. The group is empty from the time when its last member leaves. */
export function left(context: GroupContext, event: Recorded<'MemberLeft'>): Partial<GroupContext> {
  const members = context.members.without(event.instance);
  const emptySince = members.size === 0 ? event.at : null;
  return { ...rebalanced(context, event), members, emptySince };
}

/** Moves partitions to new owners, all at once. */
export function rebalanced(
  { owners }: GroupContext,
  { generation, moved }: Rebalance,
): Pick<GroupContext, 'generation' | 'owners'> {
  return { generation, owners: afterMoves(owners, moved) };
}

/**
 * Bounded, because topics need not exist: a client can subscribe to any number of invented names.
 */
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
