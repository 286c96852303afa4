/** The events of a subscription, which pushes the records of a topic to a URL or a URL group. */
import type { DomainEvent } from '../../engine/decider.js';
import type { MessageTemplate } from '../../messaging/messages/message.events.js';

/** The stream kind of subscriptions; the stream's id is the subscription's name. */
export const subscriptionKind = 'subscription';

/** What is pushed, where to, and how. */
export interface SubscriptionDefinition {
  readonly topic: string;
  /**
   * The destination: a URL, or else `groupName`, a URL group with its endpoints at the time of a
   * push.
   */
  readonly url: string | null;
  readonly groupName: string | null;
  /** Records per message. 1 = the body is the value of a record; more = a JSON array of records. */
  readonly maxRecords: number;
  /** How bytes are encoded in that JSON. */
  readonly encoding: 'text' | 'base64';
  readonly message: MessageTemplate;
}

/** The subscription was created: it pushes the partitions from 0 on, each from its position. */
export interface SubscriptionCreated extends DomainEvent, SubscriptionDefinition {
  readonly type: 'SubscriptionCreated';
  readonly positions: readonly number[];
}

/**
 * The topic has more partitions: those from `from` on are new, and are pushed from their beginning.
 */
export interface SubscriptionGrown extends DomainEvent {
  readonly type: 'SubscriptionGrown';
  readonly from: number;
  /** The new number of partitions. */
  readonly partitions: number;
}

/** Nothing is pushed from now on; messages in flight are still delivered. */
export interface SubscriptionPaused extends DomainEvent {
  readonly type: 'SubscriptionPaused';
}

/** The subscription pushes again, from where it was. */
export interface SubscriptionResumed extends DomainEvent {
  readonly type: 'SubscriptionResumed';
}

/** The subscription pushes no more; messages in flight are still delivered. */
export interface SubscriptionDeleted extends DomainEvent {
  readonly type: 'SubscriptionDeleted';
  /**
   * A subscription is deleted with its topic, because its positions mean nothing in a new topic of
   * the same name.
   */
  readonly cause: 'request' | 'topicDeleted';
}

/** All events of a subscription's stream, except its checkpoints. */
export type SubscriptionEvent =
  | SubscriptionCreated
  | SubscriptionGrown
  | SubscriptionPaused
  | SubscriptionResumed
  | SubscriptionDeleted;
