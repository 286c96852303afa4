/** The commands of a subscription; the id is its name. */
import type { Command } from '../../engine/decider.js';
import type { SubscriptionDefinition, SubscriptionDeleted } from './subscription.events.js';

/** Create a subscription. Refused if the name is taken, or there is no such topic. */
export interface CreateSubscription extends Command {
  readonly type: 'CreateSubscription';
  readonly definition: SubscriptionDefinition;
  /** The first offset to push, by partition. */
  readonly positions: readonly number[];
}

/** The topic now has this many partitions; repeating the command is harmless. */
export interface GrowSubscription extends Command {
  readonly type: 'GrowSubscription';
  readonly partitions: number;
}

/** Pause the subscription; a paused one stays paused. */
export interface PauseSubscription extends Command {
  readonly type: 'PauseSubscription';
}

/** Resume the subscription; an active one stays active. */
export interface ResumeSubscription extends Command {
  readonly type: 'ResumeSubscription';
}

/** Stop pushing for good, with the cause; messages in flight are still delivered. */
export interface DeleteSubscription extends Command {
  readonly type: 'DeleteSubscription';
  readonly cause: SubscriptionDeleted['cause'];
}

/** All commands: from `/admin/subscriptions`, and from changes of the topic. */
export type SubscriptionCommand =
  | CreateSubscription
  | GrowSubscription
  | PauseSubscription
  | ResumeSubscription
  | DeleteSubscription;
