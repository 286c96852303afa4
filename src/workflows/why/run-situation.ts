/** What is known about why a run waits: the data from which `why` is answered. */
import type { MessageSituation } from '../../messaging/why/message-situation.js';
import type { RunStateName } from '../run-state/run-state-name.policy.js';

/** One thing that an active run waits for. Times in Unix milliseconds. */
export type OpenBranch =
  /** The endpoint is called with the step's result, or with a third party's answer. */
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

/** An active run, and what it waits for. */
export interface ActiveRunSituation {
  readonly status: 'active';
  readonly state: RunStateName;
  /** At most `branchesMax` of the things that the run waits for. */
  readonly branches: readonly OpenBranch[];
  /** The number of all things that the run waits for. */
  readonly open: number;
}

/** A run that has ended, as the journal has it. */
export interface EndedRunSituation {
  readonly status: 'succeeded' | 'failed' | 'canceled';
  /** Unix milliseconds. */
  readonly at: number;
  /** Why the run failed; null = it did not fail. */
  readonly cause: 'exhausted' | 'non_retryable' | 'stalled' | null;
  /** The dead letter of a failed run; null = it never existed, or exists no longer. */
  readonly dlqId: string | null;
}

/** The result of `RunSituations.of`, and the input of `whyRun`. */
export type RunSituation = ActiveRunSituation | EndedRunSituation;

/** The most branches that are shown of a run, which may have thousands of parallel steps. */
export const branchesMax = 100;
