/** The commands of a schedule; its id is the schedule id. */
import type { Command } from '../../engine/decider.js';
import type { ScheduleDefinition } from './schedule.events.js';

/** Create the schedule, or overwrite all of its settings if there is one with this id. */
export interface CreateSchedule extends Command<ScheduleReceipt> {
  readonly type: 'CreateSchedule';
  readonly definition: ScheduleDefinition;
  readonly body: Buffer;
}

/** What the creation of a schedule answers. */
export interface ScheduleReceipt {
  readonly scheduleId: string;
}

/**
 * Count one trigger; its messages are published by the same turn, before this. Refused where that
 * trigger is not the one that the schedule wants now.
 */
export interface TriggerSchedule extends Command {
  readonly type: 'TriggerSchedule';
  /** The time that it was due, and the definition that was to be published. */
  readonly dueAt: number;
  readonly definitionOffset: number;
  readonly messageIds: readonly string[];
  /** Why nothing was published; null = something was. */
  readonly error: string | null;
}

/**
 * Count a trigger that a person asked for; its messages are published by the same turn, before
 * this. The next trigger stays when it was to be.
 */
export interface TriggerScheduleNow extends Command {
  readonly type: 'TriggerScheduleNow';
  /** The definition that was published. */
  readonly definitionOffset: number;
  readonly messageIds: readonly string[];
}

/** Skip triggers until it is resumed. One that is paused stays so. */
export interface PauseSchedule extends Command {
  readonly type: 'PauseSchedule';
}

/** Go on with the next trigger; those in between are not made up for. */
export interface ResumeSchedule extends Command {
  readonly type: 'ResumeSchedule';
}

/** Trigger no more. What was published lives on. */
export interface DeleteSchedule extends Command {
  readonly type: 'DeleteSchedule';
}

/** From requests, and from the schedule's own effect. */
export type ScheduleCommand =
  | CreateSchedule
  | TriggerSchedule
  | TriggerScheduleNow
  | PauseSchedule
  | ResumeSchedule
  | DeleteSchedule;
