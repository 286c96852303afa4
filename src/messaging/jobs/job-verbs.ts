/**
 * The verbs of jobs. Each feature adds its own, and jobs know nothing else about features. A verb
 * finds the items of a job one by one, in the order of ever increasing positions, and makes the
 * commands that take an item. The job dispatches them in one turn with its own progress.
 */
import type { Command } from '../../engine/decider.js';
import type { Result } from '../../grammar/result.js';
import type { JobFilter } from './job.events.js';

/** The request for a job, as it was written. */
export interface WrittenJob {
  readonly filters: readonly JobFilter[];
  /** Option headers, names and values in turn. */
  readonly options: readonly string[];
  /** When the job was requested, Unix milliseconds. */
  readonly at: number;
}

/** The range in which a job searches. */
export interface JobRange {
  /** Items after this position; null = from the first one on. */
  readonly position: number | null;
  /** Only items that began before this journal offset. */
  readonly until: number;
}

/** An item that a job is to take. */
export interface JobItem {
  readonly id: string;
  /**
   * Reads what is needed to take the item; refused if it cannot be taken. The returned function
   * makes the commands, to be dispatched in the same tick; it returns null if something has
   * changed: then prepare the item again.
   */
  prepare(): Promise<PreparedItem>;
}

/**
 * A refusal = the item cannot be taken, and the job records why. The function returns null if
 * something has changed since: then prepare the item again.
 */
export type PreparedItem = Result<() => readonly Command[] | null>;

/** A position that was examined, and the item to take there, if any. */
export interface JobStep {
  readonly position: number;
  /** null = nothing at this position matches. */
  readonly item: JobItem | null;
}

/** Walks over the items of a job, yielding to the event loop now and then. */
export type JobSteps = (range: JobRange) => AsyncIterable<JobStep>;

/** An action that jobs can perform on many items. */
export interface JobVerb {
  readonly over: string;
  readonly verb: string;
  /** How many items may be prepared and taken in one turn. */
  readonly atOnce: number;
  /** Whether the verb stores something new, so that it must wait while the disk is full. */
  readonly takesRoom: boolean;
  /** Whether option headers change what becomes of the items; if not, a request has none. */
  readonly takesOptions: boolean;
  /** Reads a job; refused if a filter or an option is invalid. */
  read(task: WrittenJob): Result<JobSteps>;
}

/** How many items are taken in one turn if they are cheap. */
export const manyAtOnce = 32;

/** The verbs of a server; modules of features add theirs while they are built. */
export class JobVerbs {
  private readonly verbs: JobVerb[] = [];

  /** Adds verbs. */
  add(...verbs: readonly JobVerb[]): void {
    this.verbs.push(...verbs);
  }

  /** The verb for these items; undefined = there is none. */
  find(over: string, verb: string): JobVerb | undefined {
    return this.verbs.find((each) => each.over === over && each.verb === verb);
  }

  /** The verbs for these items, such as `retry` and `delete`. */
  of(over: string): readonly string[] {
    return this.verbs.filter((each) => each.over === over).map(({ verb }) => verb);
  }

  /** The kinds of items that jobs can be about. */
  get subjects(): readonly string[] {
    return [...new Set(this.verbs.map(({ over }) => over))];
  }
}
