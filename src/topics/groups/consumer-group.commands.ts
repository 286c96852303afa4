/** The commands of a consumer group; its id is the group's name. */
import type { Command } from '../../engine/decider.js';
import type { Access } from '../../http/identity/grant.js';
import type { Strategy } from './assignment.policy.js';
import type { ConsumerSettings } from './consumer.events.js';
import type { OffsetMove } from './consumer-group.events.js';

/** Make an instance a member, and the group if there is none. A member stays as it is. */
export interface JoinGroup extends Command<MembershipReceipt> {
  readonly type: 'JoinGroup';
  readonly instance: string;
  readonly topics: readonly string[];
  /** Of the instance, which is opened in the same turn. */
  readonly settings: ConsumerSettings;
  /** What the caller may do: refused where the group has members that read other topics. */
  readonly grant: Access;
  /** null = the group's, or range where the group has no members. */
  readonly strategy: Strategy | null;
}

/** Subscribe a member to these topics and no others. */
export interface ChangeSubscription extends Command<MembershipReceipt> {
  readonly type: 'ChangeSubscription';
  readonly instance: string;
  readonly topics: readonly string[];
  /** As that of `JoinGroup`. */
  readonly grant: Access;
}

/** The generation in which a member has what it subscribed to. */
export interface MembershipReceipt {
  readonly generation: number;
}

/** Give the partitions of an instance to others; a consequence of its end. */
export interface LeaveGroup extends Command {
  readonly type: 'LeaveGroup';
  readonly instance: string;
}

/** Spread partitions anew: topics came, grew or went. Nothing happens where nothing moves. */
export interface ReassignGroup extends Command {
  readonly type: 'ReassignGroup';
}

/** Other offsets are to be committed; refused while the group has members. */
export interface ResetOffsets extends Command {
  readonly type: 'ResetOffsets';
  readonly moves: readonly OffsetMove[];
}

/** Forget the group and its committed offsets; refused while it has members. */
export interface DeleteGroup extends Command {
  readonly type: 'DeleteGroup';
}

/** The same, because the group has had no member since `emptySince` (Unix milliseconds). */
export interface ExpireGroup extends Command {
  readonly type: 'ExpireGroup';
  readonly emptySince: number;
}

/** The committed offsets of a deleted group are gone. */
export interface RemoveGroup extends Command {
  readonly type: 'RemoveGroup';
}

/** From instances that come and go, operators, topics that change, and the group's own effects. */
export type ConsumerGroupCommand =
  | JoinGroup
  | ChangeSubscription
  | LeaveGroup
  | ReassignGroup
  | ResetOffsets
  | DeleteGroup
  | ExpireGroup
  | RemoveGroup;
