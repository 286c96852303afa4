/** What may be asked of a schedule; its id is the schedule id. */
import type { Command } from '../engine/decider.js';
import type { ScheduleDefinition } from './schedule.events.js';

/** Create the schedule, or overwrite all of its settings if there is one with this id. */
export interface CreateSchedule extends Command {
  readonly type: 'CreateSchedule';
  readonly definition: ScheduleDefinition;
  readonly body: Buffer;
}
