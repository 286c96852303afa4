/** The events of a failed run after its failure; the id is the dlqId. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of failed runs. */
export const failedRunKind = 'failed-run';

/** A client deleted the failed run. */
export interface FailedRunDeleted extends DomainEvent {
  readonly type: 'FailedRunDeleted';
}

/** Another run continues where this one failed. */
export interface FailedRunResumed extends DomainEvent {
  readonly type: 'FailedRunResumed';
  readonly runId: string;
}

/** Another run started again from the beginning. */
export interface FailedRunRestarted extends DomainEvent {
  readonly type: 'FailedRunRestarted';
  readonly runId: string;
}

/** All events of a failed run's own stream, which has at most one. */
export type FailedRunEvent = FailedRunDeleted | FailedRunResumed | FailedRunRestarted;
