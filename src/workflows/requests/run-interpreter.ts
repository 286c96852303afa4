/**
 * What the publisher makes of a request for a workflow run: the submission that it is, or a refusal
 * that its client understands. Pure.
 */
import type { OptionHeaders } from '../../http/dialect.js';
import { type Refusal, refusalOf } from '../../http/error-shapes.js';
import type { PublishRules } from '../../messaging/publishing/option-reader.js';
import type { PublishInput } from '../../messaging/publishing/publish.request.js';
import type { PublishInterpreter } from '../../messaging/publishing/publish-interpreter.js';
import type { PublishTarget } from '../../messaging/publishing/publish-targets.js';
import type { Submission, SubmissionRefusal } from '../../messaging/publishing/submissions.js';
import { parseRunRequest, type RunRequestParsed } from './run.request.js';
import type { Names } from './run-start.js';
import { StartSubmission, StepSubmission, TriggerSubmission } from './run-submissions.js';
import { parseTrigger } from './trigger.request.js';
import { asksForRun } from './workflow-options.js';

/** What a publish is that is a request for a run. */
export function readRun(
  input: PublishInput,
  target: PublishTarget,
  rules: PublishRules,
  names: Names,
): Submission | SubmissionRefusal {
  const request = parseAt(target, () => parseRunRequest(input, rules, names));
  if (!request.ok) return runRefusal(request.refusal, input.headers);
  const { command } = request;
  return command.type === 'StartRun' ? new StartSubmission(command) : new StepSubmission(command);
}

/** What a trigger is. */
export function readTrigger(
  input: PublishInput,
  target: PublishTarget,
  rules: PublishRules,
  names: Names,
): Submission | Refusal {
  const request = parseAt(target, () => parseTrigger(input, rules, names));
  return request.ok ? new TriggerSubmission(request.command) : request.refusal;
}

/**
 * A refusal of a request for a run. An endpoint that adds to its run takes 400 for the news that
 * the run is over, and stops without a word: whatever else is wrong must have another status. 412
 * it does not try again (workflows.md 3.1).
 */
export function runRefusal(refusal: Refusal, headers: OptionHeaders): SubmissionRefusal {
  const { status } = refusal;
  if (!isAddition(headers)) return { ...refusal, isWhole: true };
  const own = { 400: 422, 413: 412 }[status] ?? status;
  return { ...refusal, status: own, isWhole: true };
}

/** Publishes that are requests for runs. */
export const runInterpreter: PublishInterpreter = {
  takes: asksForRun,
  read: readRun,
  refusal: runRefusal,
};

type Parsed<Own> =
  | Extract<RunRequestParsed<Own>, { ok: true }>
  | { readonly ok: false; readonly refusal: Refusal };

function parseAt<Own>(
  { kind, text }: PublishTarget,
  parse: () => RunRequestParsed<Own>,
): Parsed<Own> {
  if (kind === 'group') {
    const message = `a workflow is called at its URL, and ${text} is the name of a URL group`;
    return { ok: false, refusal: { status: 400, message } };
  }
  const request = parse();
  return request.ok ? request : { ok: false, refusal: refusalOf(request.refusal) };
}

/** It comes out of a run: a step, a call or an invocation. */
function isAddition({ options }: OptionHeaders): boolean {
  const isTrue = (option: string) => options.get(option)?.trim().toLowerCase() === 'true';
  return !isTrue('workflow-init') || isTrue('workflow-invoke');
}
