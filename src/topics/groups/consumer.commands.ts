/** The commands of a consumer instance; see `consumerId`. */
import type { Command } from '../../engine/decider.js';
import type { CloseReason, ConsumerSettings } from './consumer.events.js';

/** Open the instance; a consequence of joining the group. */
export interface OpenConsumer extends Command {
  readonly type: 'OpenConsumer';
  readonly settings: ConsumerSettings;
}

/** Close the instance, which leaves the group. */
export interface CloseConsumer extends Command {
  readonly type: 'CloseConsumer';
  readonly reason: CloseReason;
}

/** `OpenConsumer` is a reaction of the group; `CloseConsumer` comes from requests and sessions. */
export type ConsumerCommand = OpenConsumer | CloseConsumer;
