/** The commands of a subscription; its id is its name. */
import type { Command } from '../../engine/decider.js';
import type { SubscriptionDefinition, SubscriptionDeleted } from './subscription.events.js';

/** Refused if there is one of this name already, or no such topic. */
export interface CreateSubscription extends Command {
  readonly type: 'CreateSubscription';
  readonly definition: SubscriptionDefinition;
  /** By partition, the first offset to push. */
  readonly positions: readonly number[];
}

/** The topic has so many partitions; repeated without harm. */
export interface GrowSubscription extends Command {
  readonly type: 'GrowSubscription';
  readonly partitions: number;
}

/** One that is paused stays so. */
export interface PauseSubscription extends Command {
  readonly type: 'PauseSubscription';
}

/** One that is active stays so. */
export interface ResumeSubscription extends Command {
  readonly type: 'ResumeSubscription';
}

/** Push no more, and say for whose sake; what is on its way arrives. */
export interface DeleteSubscription extends Command {
  readonly type: 'DeleteSubscription';
  readonly cause: SubscriptionDeleted['cause'];
}

/** From `/admin/subscriptions`, and from what becomes of its topic. */
export type SubscriptionCommand =
  | CreateSubscription
  | GrowSubscription
  | PauseSubscription
  | ResumeSubscription
  | DeleteSubscription;
