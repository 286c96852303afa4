/** What can have happened to a schedule. */
import type { DomainEvent } from '../../engine/decider.js';
import type { MessageTemplate } from '../messages/message.events.js';

/** The stream kind of schedules. */
export const scheduleKind = 'schedule';

/** What a schedule publishes, where to, and when. */
export interface ScheduleDefinition {
  /** As it was written, trimmed, with its `CRON_TZ=` part. */
  readonly cron: string;
  /** Where its messages go: a URL, or the endpoints that a URL group has at that time. */
  readonly url: string | null;
  readonly topicName: string | null;
  readonly message: MessageTemplate;
}

/** It was created, or all of its settings were overwritten. Its body stands beside the event. */
export interface ScheduleCreated extends DomainEvent, ScheduleDefinition {
  readonly type: 'ScheduleCreated';
  /** The next trigger, Unix milliseconds. */
  readonly nextAt: number;
}

/** Its time had come, or had passed while the server was down; or a person triggered it. */
export interface ScheduleTriggered extends DomainEvent {
  readonly type: 'ScheduleTriggered';
  /** The time that this trigger was due, Unix milliseconds; by hand: when it was asked for. */
  readonly dueAt: number;
  /** The next trigger; null = its cron is not understood any more, `error` says why. */
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

/** It triggers again. */
export interface ScheduleResumed extends DomainEvent {
  readonly type: 'ScheduleResumed';
  readonly nextAt: number;
}

/** It triggers no more. */
export interface ScheduleDeleted extends DomainEvent {
  readonly type: 'ScheduleDeleted';
}

/** All events of a schedule's stream, but for its checkpoints. */
export type ScheduleEvent =
  | ScheduleCreated
  | ScheduleTriggered
  | SchedulePaused
  | ScheduleResumed
  | ScheduleDeleted;
