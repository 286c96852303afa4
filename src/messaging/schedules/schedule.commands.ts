/** The commands of a schedule; the id is the schedule id. */
import type { Command } from '../../engine/decider.js';
import type { ScheduleDefinition } from './schedule.events.js';

/** Create a schedule, or overwrite all settings of the one with this id. */
export interface CreateSchedule extends Command<ScheduleReceipt> {
  readonly type: 'CreateSchedule';
  readonly definition: ScheduleDefinition;
  readonly body: Buffer;
}

/** The result of creating a schedule. */
export interface ScheduleReceipt {
  readonly scheduleId: string;
}

/**
 * Count one trigger. Its messages are published by the same turn, before this command. Refused if
 * the schedule is not waiting for this trigger.
 */
export interface TriggerSchedule extends Command {
  readonly type: 'TriggerSchedule';
  /** The time at which it was due, and the definition to publish. */
  readonly dueAt: number;
  readonly definitionOffset: number;
  readonly messageIds: readonly string[];
  /** Why nothing was published; null = something was. */
  readonly error: string | null;
}

/**
 * Count a manual trigger. Its messages are published by the same turn, before this command. The
 * time of the next trigger does not change.
 */
export interface TriggerScheduleNow extends Command {
  readonly type: 'TriggerScheduleNow';
  /** The definition whose messages were published. */
  readonly definitionOffset: number;
  readonly messageIds: readonly string[];
}

/** Skip triggers until the schedule is resumed. A paused schedule stays paused. */
export interface PauseSchedule extends Command {
  readonly type: 'PauseSchedule';
}

/** Continue with the next trigger; those missed in between are not made up for. */
export interface ResumeSchedule extends Command {
  readonly type: 'ResumeSchedule';
}

/** Delete the schedule. Messages that it published are not affected. */
export interface DeleteSchedule extends Command {
  readonly type: 'DeleteSchedule';
}

/** All commands of a schedule: from requests, and from its own effect. */
export type ScheduleCommand =
  | CreateSchedule
  | TriggerSchedule
  | TriggerScheduleNow
  | PauseSchedule
  | ResumeSchedule
  | DeleteSchedule;
