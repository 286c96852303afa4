/**
 * What the publisher makes of a request for a workflow run: the submission that it is, or a refusal
 * that its client understands. Pure.
 */

import { Refusal, type RefusalCode } from '../../grammar/result.js';
import type { OptionHeaders } from '../../http/dialect.js';
import type { PublishRules } from '../../messaging/publishing/option-reader.js';
import type { PublishInput } from '../../messaging/publishing/publish.request.js';
import type { PublishInterpreter } from '../../messaging/publishing/publish-interpreter.js';
import type { PublishTarget } from '../../messaging/publishing/publish-targets.js';
import { type Submission, WholeRefusal } from '../../messaging/publishing/submissions.js';
import { parseRunRequest, type RunRequestParsed } from './run.request.js';
import type { Names } from './run-start.js';
import { StartSubmission, StepSubmission, TriggerSubmission } from './run-submissions.js';
import { parseTrigger } from './trigger.request.js';

/** What a publish is that is a request for a run. */
export function readRun(
  input: PublishInput,
  target: PublishTarget,
  rules: PublishRules,
  names: Names,
): Submission | Refusal {
  const request = parseAt(target, () => parseRunRequest(input, rules, names));
  if (!request.ok) return runRefusal(request, input.headers);
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
  return request.ok ? new TriggerSubmission(request.command) : request;
}

/**
 * A refusal of a request for a run. An endpoint that adds to its run takes 400 for the news that
 * the run is over, and stops without a word: whatever else is wrong must have another status. 412
 * it does not try again (workflows.md 3.1).
 */
export function runRefusal(refusal: Refusal, headers: OptionHeaders): Refusal {
  const { code, message } = refusal;
  const own = isAddition(headers) ? (codesOfAdditions[code] ?? code) : code;
  return new WholeRefusal(own, message, refusal.headers, refusal.details);
}

const codesOfAdditions: Partial<Record<RefusalCode, RefusalCode>> = {
  invalid: 'unprocessable',
  too_large: 'over_limit',
};

/** Publishes that are requests for runs. */
export const runInterpreter: PublishInterpreter = {
  options: ['workflow-init', 'workflow-runid'],
  read: readRun,
  refusal: runRefusal,
};

function parseAt<Own>(
  { kind, text }: PublishTarget,
  parse: () => RunRequestParsed<Own>,
): RunRequestParsed<Own> {
  if (kind === 'group') {
    const message = `a workflow is called at its URL, and ${text} is the name of a URL group`;
    return new Refusal('invalid', message);
  }
  return parse();
}

/** It comes out of a run: a step, a call or an invocation. */
function isAddition({ options }: OptionHeaders): boolean {
  const isTrue = (option: string) => options.get(option)?.trim().toLowerCase() === 'true';
  return !isTrue('workflow-init') || isTrue('workflow-invoke');
}
