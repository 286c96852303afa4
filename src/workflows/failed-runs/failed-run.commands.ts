/** The commands of failed runs; `id` is the dlqId. */
import type { Command } from '../../engine/decider.js';

/** Remove the failed run. */
export interface DeleteFailedRun extends Command {
  readonly type: 'DeleteFailedRun';
}

/** Remove the failed run because the run `runId` continues it, in the same turn. */
export interface ResumeFailedRun extends Command {
  readonly type: 'ResumeFailedRun';
  readonly runId: string;
}

/** Remove the failed run because the run `runId` restarts it, in the same turn. */
export interface RestartFailedRun extends Command {
  readonly type: 'RestartFailedRun';
  readonly runId: string;
}

/**
 * Allow the failure callback to be published again in the same turn, before the command that
 * publishes it. Only one callback exists at a time, and a new one is allowed only after a failed
 * one.
 */
export interface AllowFailureCallback extends Command {
  readonly type: 'AllowFailureCallback';
}

/**
 * All commands, from `/v2/workflows/dlq` and from jobs. No command creates a failed run: the
 * failure of the run does.
 */
export type FailedRunCommand =
  | DeleteFailedRun
  | ResumeFailedRun
  | RestartFailedRun
  | AllowFailureCallback;
