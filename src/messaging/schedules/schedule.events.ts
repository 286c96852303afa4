/** The events of a schedule. */
import type { DomainEvent } from '../../engine/decider.js';
import type { MessageTemplate } from '../messages/message.events.js';

/** The stream kind of schedules. */
export const scheduleKind = 'schedule';

/** What a schedule publishes, to which target, and when. */
export interface ScheduleDefinition {
  /** The expression as written, trimmed, including its `CRON_TZ=` part. */
  readonly cron: string;
  /** The target of its messages: a URL, or the endpoints that a URL group has at that time. */
  readonly url: string | null;
  readonly topicName: string | null;
  readonly message: MessageTemplate;
}

/** The schedule was created or completely overwritten. Its body is stored beside the event. */
export interface ScheduleCreated extends DomainEvent, ScheduleDefinition {
  readonly type: 'ScheduleCreated';
  /** The next trigger, Unix milliseconds. */
  readonly nextAt: number;
}

/** The schedule triggered: when due, when late because the server was down, or by hand. */
export interface ScheduleTriggered extends DomainEvent {
  readonly type: 'ScheduleTriggered';
  /** When this trigger was due, Unix milliseconds; if manual, when it was requested. */
  readonly dueAt: number;
  /** The next trigger; null = the cron expression is no longer valid, for the reason in `error`. */
  readonly nextAt: number | null;
  /** The messages that this trigger published. */
  readonly messageIds: readonly string[];
  /** Why nothing was published, or why there is no next trigger. */
  readonly error: string | null;
}

/** Triggers are skipped from now on. */
export interface SchedulePaused extends DomainEvent {
  readonly type: 'SchedulePaused';
}

/** The schedule triggers again. */
export interface ScheduleResumed extends DomainEvent {
  readonly type: 'ScheduleResumed';
  readonly nextAt: number;
}

/** The schedule was deleted. */
export interface ScheduleDeleted extends DomainEvent {
  readonly type: 'ScheduleDeleted';
}

/** All events of the stream of a schedule, except checkpoints. */
export type ScheduleEvent =
  | ScheduleCreated
  | ScheduleTriggered
  | SchedulePaused
  | ScheduleResumed
  | ScheduleDeleted;
