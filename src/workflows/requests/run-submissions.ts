/** What requests for workflow runs dispatch, and how the outcomes are answered. Pure. */

import type { Refusal } from '../../grammar/result.js';
import type {
  Answer,
  Submission,
  SubmissionOutcomes,
} from '../../messaging/publishing/submissions.js';
import type { InvokeRun, RequestCall, StartRun, SubmitStep } from '../run-state/run.commands.js';

type StepCommand = SubmitStep | RequestCall | InvokeRun;

/** Starts a run; answered as a publish is (workflows.md 1.3). */
export class StartSubmission implements Submission {
  readonly commands: readonly [StartRun];
  readonly isWhole = false;

  constructor(command: StartRun) {
    this.commands = [command];
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const outcome = outcomes.of(this.commands[0]);
    if (!outcome.ok) return outcome;
    const { messageId, deduplicated } = outcome.value;
    const { url } = this.commands[0].configuration;
    return deduplicated
      ? { status: 202, body: { messageId, url, deduplicated } }
      : { status: 200, body: { messageId, url } };
  }
}

/** Starts a run; the answer names the run instead of its message. */
export class TriggerSubmission implements Submission {
  readonly commands: readonly [StartRun];
  readonly isWhole = false;

  constructor(command: StartRun) {
    this.commands = [command];
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const outcome = outcomes.of(this.commands[0]);
    if (!outcome.ok) return outcome;
    const { createdAt: workflowCreatedAt, deduplicated } = outcome.value;
    const run = { workflowRunId: this.commands[0].id, workflowCreatedAt };
    return { status: 200, body: deduplicated ? { ...run, deduplicated } : run };
  }
}

/**
 * Adds to a run. Its endpoint reads the id of the first answer of a batch and takes everything else
 * for granted, so that a refusal must be the answer of the whole request.
 */
export class StepSubmission implements Submission {
  readonly commands: readonly [StepCommand];
  readonly isWhole = true;

  constructor(command: StepCommand) {
    this.commands = [command];
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const outcome = outcomes.of(this.commands[0]);
    if (!outcome.ok) return outcome;
    const { messageId } = outcome.value;
    return { status: 200, body: messageId === null ? {} : { messageId } };
  }
}
