/** The events of a job; its id is generated when it is created. */
import type { DomainEvent, EventEnvelope } from '../../engine/decider.js';

/** The stream kind of jobs. */
export const jobKind = 'job';

/**
 * One filter of a job; an item must match one of its values. Names are stored as values because
 * clients choose them.
 */
export interface JobFilter {
  readonly name: string;
  readonly values: readonly string[];
}

/** The definition of a job. */
export interface JobDefinition {
  /** The action on each item: `retry`. */
  readonly verb: string;
  /** The kind of items: `deadLetters`. */
  readonly over: string;
  /** Items must match all filters; no filters = all items. */
  readonly filters: readonly JobFilter[];
  /** Option headers of the request, names and values in turn: what to change of each item. */
  readonly options: readonly string[];
  /** The most items per second; null = as fast as possible without delaying others. */
  readonly rate: number | null;
  /** Events of the journal from this offset on are not touched. */
  readonly until: number;
}

/** The job was created; it begins once this is durable. */
export interface JobCreated extends DomainEvent, JobDefinition {
  readonly type: 'JobCreated';
}

/** An item that was not taken. */
export interface JobRefusal {
  readonly id: string;
  readonly reason: string;
}

/** Items were taken in the turn of this event: both are in the journal, or neither is. */
export interface JobAdvanced extends DomainEvent {
  readonly type: 'JobAdvanced';
  /** Where the job continues: position of the last item taken or refused, as its verb counts. */
  readonly position: number;
  /** How many items were taken. */
  readonly done: number;
  readonly refusals: readonly JobRefusal[];
}

/** The job is done: no items are left. */
export interface JobFinished extends DomainEvent {
  readonly type: 'JobFinished';
}

/** The job was aborted. Items that it took stay taken. */
export interface JobAborted extends DomainEvent {
  readonly type: 'JobAborted';
  /** Why the job cannot continue; null = a client aborted it. */
  readonly reason: string | null;
}

/** The job was forgotten: it ended long ago, or too many ended jobs were kept. */
export interface JobForgotten extends DomainEvent {
  readonly type: 'JobForgotten';
}

/** All events of the stream of a job, except checkpoints. */
export type JobEvent = JobCreated | JobAdvanced | JobFinished | JobAborted | JobForgotten;

/** Whether an event from the journal, whose type is not known yet, belongs to a job. */
export function isJobEvent(envelope: EventEnvelope): envelope is EventEnvelope<JobEvent> {
  return envelope.kind === jobKind;
}
