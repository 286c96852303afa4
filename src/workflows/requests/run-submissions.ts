/** The submissions of requests for runs: a command, and how its outcome is answered. Pure. */
import type { Command, ResultOf } from '../../engine/decider.js';
import type { Refusal } from '../../grammar/result.js';
import type {
  Answer,
  RequestTemplate,
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

/** One command of a run; `success` turns its result into the answer. */
class RunSubmission<Own extends Command> implements Submission {
  readonly commands: readonly [Own];

  constructor(
    command: Own,
    readonly isWhole: boolean,
    private readonly success: (result: ResultOf<Own>, command: Own) => Answer,
    readonly template?: RequestTemplate | undefined,
  ) {
    this.commands = [command];
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const [command] = this.commands;
    const outcome = outcomes.of(command);
    return outcome.ok ? this.success(outcome.value, command) : outcome;
  }
}

/** Starts a run; answered like a publish (workflows.md 1.3). */
export function startSubmission(command: StartRun, template?: RequestTemplate): Submission {
  return new RunSubmission(command, false, startAnswer, template);
}

function startAnswer(
  { messageId, deduplicated }: StartReceipt,
  { configuration: { url } }: StartRun,
): Answer {
  return deduplicated
    ? { status: 202, body: { messageId, url, deduplicated } }
    : { status: 200, body: { messageId, url } };
}

/** Starts a run; the answer names the run instead of its message. */
export function triggerSubmission(command: StartRun): Submission {
  return new RunSubmission(
    command,
    false,
    ({ createdAt: workflowCreatedAt, deduplicated }, { id }) => {
      const body = { workflowRunId: id, workflowCreatedAt, ...(deduplicated && { deduplicated }) };
      return { status: 200, body };
    },
  );
}

/**
 * Adds to a run. The endpoint reads only the id in the first answer of a batch and assumes that the
 * rest succeeded, so a refusal must be the answer to the whole request.
 */
export function stepSubmission(
  command: SubmitStep | RequestCall | InvokeRun,
  template?: RequestTemplate,
): Submission {
  return new RunSubmission(command, true, stepAnswer, template);
}

function stepAnswer({ messageId }: StepReceipt): Answer {
  return { status: 200, body: messageId === null ? {} : { messageId } };
}
