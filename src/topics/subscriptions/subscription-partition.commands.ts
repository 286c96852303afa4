/** The commands of one partition of a subscription; its id is `subscriptionPartitionId`. */
import type { Command } from '../../engine/decider.js';
import type { PublishMessage } from '../../messaging/messages/message.commands.js';
import type { RecordsPushed } from './subscription-partition.events.js';

/** Begin at `position`; a consequence of the subscription's creation or growth. */
export interface OpenPartition extends Command {
  readonly type: 'OpenPartition';
  readonly position: number;
  readonly isPaused: boolean;
}

/**
 * Count records as pushed and publish their messages, both or neither. Refused where those records
 * are not the next ones, or an earlier message is not final yet.
 */
export interface PushRecords
  extends Command,
    Pick<RecordsPushed, 'from' | 'until' | 'records' | 'skipped'> {
  readonly type: 'PushRecords';
  /** Where the partition is thought to be. */
  readonly position: number;
  readonly messages: readonly PublishMessage[];
}

/** Begin no push; what is on its way arrives. */
export interface PausePartition extends Command {
  readonly type: 'PausePartition';
}

/** Push again, from where it is. */
export interface ResumePartition extends Command {
  readonly type: 'ResumePartition';
}

/** End; a consequence of the subscription's end. */
export interface ClosePartition extends Command {
  readonly type: 'ClosePartition';
}

/** Reactions of the subscription, but for `PushRecords`, which the partition's own effect sends. */
export type SubscriptionPartitionCommand =
  | OpenPartition
  | PushRecords
  | PausePartition
  | ResumePartition
  | ClosePartition;
