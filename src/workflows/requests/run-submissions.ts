/** Orders of workflow runs, and what the caller is told of their outcomes. Pure. */
import type { Outcome } from '../../engine/turn.js';
import { type Refusal, refusalOf } from '../../http/error-shapes.js';
import type {
  Answer,
  Submission,
  SubmissionOutcomes,
} from '../../messaging/publishing/submissions.js';
import type {
  InvokeRun,
  RequestCall,
  StartReceipt,
  StartRun,
  StepReceipt,
  SubmitStep,
} from '../run-state/run.commands.js';

/** Starts a run; told as a publish is (workflows.md 1.3). */
export class StartSubmission implements Submission {
  readonly commands: readonly [StartRun];
  readonly isWhole = false;

  constructor(command: StartRun) {
    this.commands = [command];
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const receipt = resultOf<StartReceipt>(outcomes.of(this.commands[0]));
    if ('status' in receipt) return receipt;
    const { messageId, deduplicated } = receipt;
    const { url } = this.commands[0].configuration;
    return deduplicated
      ? { status: 202, body: { messageId, url, deduplicated } }
      : { status: 200, body: { messageId, url } };
  }
}

/** Starts a run for a caller that wants to hear of the run instead of its message. */
export class TriggerSubmission implements Submission {
  readonly commands: readonly [StartRun];
  readonly isWhole = false;

  constructor(command: StartRun) {
    this.commands = [command];
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const receipt = resultOf<StartReceipt>(outcomes.of(this.commands[0]));
    if ('status' in receipt) return receipt;
    const { createdAt: workflowCreatedAt, deduplicated } = receipt;
    const run = { workflowRunId: this.commands[0].id, workflowCreatedAt };
    return { status: 200, body: deduplicated ? { ...run, deduplicated } : run };
  }
}

/**
 * Adds to a run. Its endpoint reads the id of the first answer of a batch and takes everything else
 * for granted, so that a refusal must be the answer of the whole request.
 */
export class StepSubmission implements Submission {
  readonly commands: readonly [SubmitStep | RequestCall | InvokeRun];
  readonly isWhole = true;

  constructor(command: SubmitStep | RequestCall | InvokeRun) {
    this.commands = [command];
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const receipt = resultOf<StepReceipt>(outcomes.of(this.commands[0]));
    if ('status' in receipt) return receipt;
    const { messageId } = receipt;
    return { status: 200, body: messageId === null ? {} : { messageId } };
  }
}

function resultOf<Receipt>(outcome: Outcome): Receipt | Refusal {
  return outcome.accepted ? (outcome.result as Receipt) : refusalOf(outcome.rejection);
}
