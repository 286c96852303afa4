/**
 * What jobs can do: each feature adds its verbs, and jobs know nothing else of features. A verb
 * finds what a job means one by one, in an order of places that only go forward, and makes the
 * commands that take one. The job dispatches them in one turn with its own progress.
 */
import type { Command } from '../../engine/decider.js';
import type { Result } from '../../grammar/result.js';
import type { JobFilter } from './job.events.js';

/** What a job is asked to take, as it is written. */
export interface WrittenJob {
  readonly filters: readonly JobFilter[];
  /** Option headers as flat name, value pairs. */
  readonly options: readonly string[];
  /** When it was asked for, Unix milliseconds. */
  readonly at: number;
}

/** Of what there is, a part. */
export interface JobRange {
  /** What is behind this place; null = from the first one on. */
  readonly position: number | null;
  /** Only what began before this offset of the journal. */
  readonly until: number;
}

/** One that a job means. */
export interface JobItem {
  readonly id: string;
  /**
   * Reads what taking it needs; refused where it cannot be taken. What it answers makes the
   * commands, to be dispatched in the same tick; null = something has changed: prepare it again.
   */
  prepare(): Promise<PreparedItem>;
}

/**
 * A refusal = the item cannot be taken, and the job notes why. Its function answers null where
 * something has changed since: prepare the item again.
 */
export type PreparedItem = Result<() => readonly Command[] | null>;

/** A place that was looked at, and what a job means of it. */
export interface JobStep {
  readonly position: number;
  /** null = it is not meant. */
  readonly item: JobItem | null;
}

/** What is meant, step by step; leaves the event loop to others now and then. */
export type JobSteps = (range: JobRange) => AsyncIterable<JobStep>;

/** One thing that can be done with many. */
export interface JobVerb {
  readonly over: string;
  readonly verb: string;
  /** So many may be prepared and taken in one turn. */
  readonly atOnce: number;
  /** It stores something new: it waits while the disk is full. */
  readonly takesRoom: boolean;
  /** Refused where a filter or an option is not understood. */
  read(task: WrittenJob): Result<JobSteps>;
}

/** So many of what costs little are taken in one turn. */
export const manyAtOnce = 32;

/** One table for the server; filled by modules of features while they are built. */
export class JobVerbs {
  private readonly verbs: JobVerb[] = [];

  /** Jobs may do these from now on. */
  add(...verbs: readonly JobVerb[]): void {
    this.verbs.push(...verbs);
  }

  /** Undefined where nothing of the kind is done. */
  find(over: string, verb: string): JobVerb | undefined {
    return this.verbs.find((each) => each.over === over && each.verb === verb);
  }

  /** What can be done with all of them: `retry`, `delete`. */
  of(over: string): readonly string[] {
    return this.verbs.filter((each) => each.over === over).map(({ verb }) => verb);
  }

  /** What jobs can be about. */
  get subjects(): readonly string[] {
    return [...new Set(this.verbs.map(({ over }) => over))];
  }
}
