/** All that is known of what a run waits for: what `why` is answered from. */
import type { MessageSituation } from '../../messaging/why/message-situation.js';
import type { RunStateName } from '../run-state/run-state-name.policy.js';

/** One thing that an active run waits for. Times in Unix milliseconds. */
export type OpenBranch =
  /** Its endpoint is called: with the step's result, or with what a third party has answered. */
  | {
      readonly kind: 'delivery';
      readonly stepName: string;
      readonly messageId: string;
      readonly message: MessageSituation;
    }
  | {
      readonly kind: 'call';
      readonly stepName: string;
      readonly messageId: string;
      readonly message: MessageSituation;
    }
  | { readonly kind: 'invocation'; readonly stepName: string; readonly runId: string }
  | {
      readonly kind: 'event';
      readonly stepName: string;
      readonly eventId: string;
      readonly deadline: number;
    }
  | { readonly kind: 'sleep'; readonly stepName: string; readonly until: number };

/** A run that is there, and what it waits for. */
export interface ActiveRunSituation {
  readonly status: 'active';
  readonly state: RunStateName;
  /** At most `branchesMax` of them. */
  readonly branches: readonly OpenBranch[];
  /** How many there are in all. */
  readonly open: number;
}

/** A run that has ended, as the journal has it. */
export interface EndedRunSituation {
  readonly status: 'succeeded' | 'failed' | 'canceled';
  /** Unix milliseconds. */
  readonly at: number;
  /** Why it failed; null = it did not. */
  readonly cause: 'exhausted' | 'non_retryable' | 'stalled' | null;
  /** The dead letter that a failed run became; null = there is none, or no more. */
  readonly dlqId: string | null;
}

/** What `RunSituations.of` answers, and `whyRun` is given. */
export type RunSituation = ActiveRunSituation | EndedRunSituation;

/** A run of thousands of parallel steps shows so many of them. */
export const branchesMax = 100;
