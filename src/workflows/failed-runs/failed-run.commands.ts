/** The commands of runs that failed; the dlqId is the id. */
import type { Command } from '../../engine/decider.js';

/** Take it away. */
export interface DeleteFailedRun extends Command {
  readonly type: 'DeleteFailedRun';
}

/** Take it away because the run `runId` goes on for it, in the same turn. */
export interface ResumeFailedRun extends Command {
  readonly type: 'ResumeFailedRun';
  readonly runId: string;
}

/** Take it away because the run `runId` begins anew for it, in the same turn. */
export interface RestartFailedRun extends Command {
  readonly type: 'RestartFailedRun';
  readonly runId: string;
}

/**
 * Let its failure callback be published anew in the same turn, before the command that publishes
 * it: there is one callback at a time, and a new one only after one that failed.
 */
export interface AllowFailureCallback extends Command {
  readonly type: 'AllowFailureCallback';
}

/**
 * From `/v2/workflows/dlq` and from jobs. There is none that makes a failed run: its failure does.
 */
export type FailedRunCommand =
  | DeleteFailedRun
  | ResumeFailedRun
  | RestartFailedRun
  | AllowFailureCallback;
