/** The commands of a consumer group; the id is the group's name. */
import type { Command } from '../../engine/decider.js';
import type { Access } from '../../http/identity/grant.js';
import type { Strategy } from './assignment.policy.js';
import type { ConsumerSettings } from './consumer.events.js';
import type { OffsetMove } from './consumer-group.events.js';

/**
 * Add an instance as a member, and create the group if it does not exist. An existing member stays
 * unchanged.
 */
export interface JoinGroup extends Command<MembershipReceipt> {
  readonly type: 'JoinGroup';
  readonly instance: string;
  readonly topics: readonly string[];
  /** Settings of the instance, which is opened in the same turn. */
  readonly settings: ConsumerSettings;
  /**
   * The rights of the caller. Refused if the group's members read topics that the caller may not.
   */
  readonly grant: Access;
  /** null = the group's strategy, or `range` if the group has no members. */
  readonly strategy: Strategy | null;
}

/** Replace the topics that a member subscribes to. */
export interface ChangeSubscription extends Command<MembershipReceipt> {
  readonly type: 'ChangeSubscription';
  readonly instance: string;
  readonly topics: readonly string[];
  /** Like `grant` of `JoinGroup`. */
  readonly grant: Access;
}

/** The generation from which on the member's subscription is in effect. */
export interface MembershipReceipt {
  readonly generation: number;
}

/** Give the partitions of an instance to other members; a consequence of the instance's end. */
export interface LeaveGroup extends Command {
  readonly type: 'LeaveGroup';
  readonly instance: string;
}

/**
 * Assign the partitions again, because topics were created, grew or were deleted. Has no effect if
 * nothing moves.
 */
export interface ReassignGroup extends Command {
  readonly type: 'ReassignGroup';
}

/** Commit other offsets; refused while the group has members. */
export interface ResetOffsets extends Command {
  readonly type: 'ResetOffsets';
  readonly moves: readonly OffsetMove[];
}

/** Delete the group and its committed offsets; refused while the group has members. */
export interface DeleteGroup extends Command {
  readonly type: 'DeleteGroup';
}

/** Delete the group because it has had no member since `emptySince` (Unix milliseconds). */
export interface ExpireGroup extends Command {
  readonly type: 'ExpireGroup';
  readonly emptySince: number;
}

/** Finish the deletion of a group: its committed offsets are gone. */
export interface RemoveGroup extends Command {
  readonly type: 'RemoveGroup';
}

/**
 * All commands of a group: from instances that come and go, clients, changes of topics, and the
 * group's own effects.
 */
export type ConsumerGroupCommand =
  | JoinGroup
  | ChangeSubscription
  | LeaveGroup
  | ReassignGroup
  | ResetOffsets
  | DeleteGroup
  | ExpireGroup
  | RemoveGroup;
