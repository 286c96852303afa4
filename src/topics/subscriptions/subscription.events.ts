/** What can have happened to a subscription: the records of a topic are pushed to a URL. */
import type { DomainEvent } from '../../engine/decider.js';
import type { MessageTemplate } from '../../messaging/messages/message.events.js';

/** The stream kind of subscriptions; the stream's id is the name. */
export const subscriptionKind = 'subscription';

/** What is pushed, where to, and how. */
export interface SubscriptionDefinition {
  readonly topic: string;
  /** Where its messages go: a URL, or the endpoints that a URL group has at that time. */
  readonly url: string | null;
  readonly groupName: string | null;
  /** Of one message. 1 = the value of a record is the body; more = a JSON array of records. */
  readonly maxRecords: number;
  /** How bytes stand in that JSON. */
  readonly encoding: 'text' | 'base64';
  readonly message: MessageTemplate;
}

/** It pushes from now on: partitions 0 and on, each from its position. */
export interface SubscriptionCreated extends DomainEvent, SubscriptionDefinition {
  readonly type: 'SubscriptionCreated';
  readonly positions: readonly number[];
}

/** The topic has more partitions: `from` and on are new, and are pushed from their beginning. */
export interface SubscriptionGrown extends DomainEvent {
  readonly type: 'SubscriptionGrown';
  readonly from: number;
  /** How many there are now. */
  readonly partitions: number;
}

/** Nothing is pushed from now on; what is on its way arrives. */
export interface SubscriptionPaused extends DomainEvent {
  readonly type: 'SubscriptionPaused';
}

/** It pushes again, from where it was. */
export interface SubscriptionResumed extends DomainEvent {
  readonly type: 'SubscriptionResumed';
}

/** It pushes no more; what is on its way arrives. */
export interface SubscriptionDeleted extends DomainEvent {
  readonly type: 'SubscriptionDeleted';
  /** A subscription goes with its topic: its positions mean nothing in another of that name. */
  readonly cause: 'request' | 'topicDeleted';
}

/** All events of a subscription's stream, but for its checkpoints. */
export type SubscriptionEvent =
  | SubscriptionCreated
  | SubscriptionGrown
  | SubscriptionPaused
  | SubscriptionResumed
  | SubscriptionDeleted;
