/** What can have happened to a failed run after it failed; its dlqId is the id. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of failed runs. */
export const failedRunKind = 'failed-run';

/** The operator has read it and needs it no more. */
export interface FailedRunDeleted extends DomainEvent {
  readonly type: 'FailedRunDeleted';
}

/** Another run goes on where it failed. */
export interface FailedRunResumed extends DomainEvent {
  readonly type: 'FailedRunResumed';
  readonly runId: string;
}

/** Another run began as it did. */
export interface FailedRunRestarted extends DomainEvent {
  readonly type: 'FailedRunRestarted';
  readonly runId: string;
}

/** All events of a failed run's own stream; it has one at most. */
export type FailedRunEvent = FailedRunDeleted | FailedRunResumed | FailedRunRestarted;
