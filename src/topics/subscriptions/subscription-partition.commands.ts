/** The commands of one partition of a subscription; the id is `subscriptionPartitionId`. */
import type { Command } from '../../engine/decider.js';
import type { PublishMessage } from '../../messaging/messages/message.commands.js';
import type { RecordsPushed } from './subscription-partition.events.js';

/** Start to push at `position`; a consequence of the subscription's creation or growth. */
export interface OpenPartition extends Command {
  readonly type: 'OpenPartition';
  readonly position: number;
  readonly isPaused: boolean;
}

/**
 * Count records as pushed and publish their messages, both or neither. Refused if the records are
 * not the next ones, or an earlier message is not final yet.
 */
export interface PushRecords
  extends Command,
    Pick<RecordsPushed, 'from' | 'until' | 'records' | 'skipped'> {
  readonly type: 'PushRecords';
  /** The position that the sender assumes the partition to have. */
  readonly position: number;
  readonly messages: readonly PublishMessage[];
}

/** Start no further push; messages in flight are still delivered. */
export interface PausePartition extends Command {
  readonly type: 'PausePartition';
}

/** Push again, from the current position. */
export interface ResumePartition extends Command {
  readonly type: 'ResumePartition';
}

/** Stop pushing for good; a consequence of the subscription's end. */
export interface ClosePartition extends Command {
  readonly type: 'ClosePartition';
}

/** Reactions of the subscription, except `PushRecords`, which the partition's own effect sends. */
export type SubscriptionPartitionCommand =
  | OpenPartition
  | PushRecords
  | PausePartition
  | ResumePartition
  | ClosePartition;
