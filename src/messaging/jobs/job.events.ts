/** What can have happened to a job; its id is made when it is created. */
import type { DomainEvent, EventEnvelope } from '../../engine/decider.js';

/** The stream kind of jobs. */
export const jobKind = 'job';

/** One filter of a job: values are alternatives. A list, as a filter's name is a client's word. */
export interface JobFilter {
  readonly name: string;
  readonly values: readonly string[];
}

/** What a job is to do. */
export interface JobDefinition {
  /** What is done with each: `retry`. */
  readonly verb: string;
  /** Of what: `deadLetters`. */
  readonly over: string;
  /** All of them hold; none = all that there are. */
  readonly filters: readonly JobFilter[];
  /** Option headers of the request as flat name, value pairs: what is changed of each. */
  readonly options: readonly string[];
  /** At most so many in a second; null = as fast as others are not held up. */
  readonly rate: number | null;
  /** What the journal has from this offset on is not touched. */
  readonly until: number;
}

/** It was asked for; it begins once it is durable. */
export interface JobCreated extends DomainEvent, JobDefinition {
  readonly type: 'JobCreated';
}

/** One that was not taken. */
export interface JobRefusal {
  readonly id: string;
  readonly reason: string;
}

/** What was taken in the turn of this event: both are in the journal, or neither is. */
export interface JobAdvanced extends DomainEvent {
  readonly type: 'JobAdvanced';
  /** Where it goes on: the place of the last one that was taken or refused, as its verb counts. */
  readonly position: number;
  /** How many were taken. */
  readonly done: number;
  readonly refusals: readonly JobRefusal[];
}

/** Nothing is left that it means. */
export interface JobFinished extends DomainEvent {
  readonly type: 'JobFinished';
}

/** It takes no more. What it has taken stays taken. */
export interface JobAborted extends DomainEvent {
  readonly type: 'JobAborted';
  /** Why it cannot go on; null = a client aborted it. */
  readonly reason: string | null;
}

/** It ended long ago, or there were too many that had ended. */
export interface JobForgotten extends DomainEvent {
  readonly type: 'JobForgotten';
}

/** All events of a job's stream, but for its checkpoints. */
export type JobEvent = JobCreated | JobAdvanced | JobFinished | JobAborted | JobForgotten;

/** Of the events that the journal gives, untyped: those of jobs. */
export function isJobEvent(envelope: EventEnvelope): envelope is EventEnvelope<JobEvent> {
  return envelope.kind === jobKind;
}
