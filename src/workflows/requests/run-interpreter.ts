/**
 * Interprets a publish as a request for a workflow run. The result is a submission, which says how
 * its outcome is answered, or a refusal that the client understands. Pure.
 */

import { Refusal, type RefusalCode } from '../../grammar/result.js';
import type { MessageHeaders, OptionHeaders } from '../../http/dialect.js';
import { OptionReader, type PublishRules } from '../../messaging/publishing/option-reader.js';
import type { PublishRequest } from '../../messaging/publishing/publish.request.js';
import type { PublishInterpreter } from '../../messaging/publishing/publish-interpreter.js';
import type { PublishTarget } from '../../messaging/publishing/publish-targets.js';
import { type Submission, WholeRefusal } from '../../messaging/publishing/submissions.js';
import type { InvokeRun, RequestCall, StartRun, SubmitStep } from '../run-state/run.commands.js';
import { callIn } from './call.request.js';
import { invocationIn } from './invocation.request.js';
import { startTemplate, stepTemplate } from './request-templates.js';
import { readMessage, readWorkflowOptions } from './run-headers.js';
import { startIn } from './run-start.js';
import { startSubmission, stepSubmission, triggerSubmission } from './run-submissions.js';
import { stepIn } from './step.request.js';
import { parseTrigger } from './trigger.request.js';

/** Reads a publish that is a request for a run. */
export function readRun(
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
): Submission | Refusal {
  const command = groupRefusal(target) ?? parseRunRequest(publish, target, said, rules);
  if (command instanceof Refusal) return runRefusal(command, said);
  // A point in time would be wrong in a later request made from the template.
  const isRepeatable = !said.options.has('not-before');
  if (command.type === 'StartRun') {
    return startSubmission(command, isRepeatable ? startTemplate(command) : undefined);
  }
  const isStep = isRepeatable && command.type === 'SubmitStep';
  return stepSubmission(command, isStep ? stepTemplate(command) : undefined);
}

/** The command of a request for a run; `invalid` if no run can do what it asks. */
export function parseRunRequest(
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
): StartRun | SubmitStep | RequestCall | InvokeRun | Refusal {
  const reader = new OptionReader(said, rules);
  const options = readWorkflowOptions(reader);
  const { isInit, isInvoke, callType } = options;
  const isCall = !isInit && callType === 'toCallback';
  if (!isInit && isInvoke) reader.refuse('invalid', 'workflow-invoke', 'needs Workflow-Init: true');
  if (isInit && callType === 'toCallback') {
    reader.refuse('invalid', 'workflow-calltype', 'must be step where a run is started');
  }
  const read = { reader, publish, said: withoutIdleCallback(said), options };
  const request = readMessage(read, target, isCall, rules);
  if (request instanceof Refusal) return request;
  if (isInit) return isInvoke ? invocationIn(request) : startIn(request);
  return isCall ? callIn(request) : stepIn(request);
}

/** Older clients send options of a failure callback even if they name no failure callback. */
function withoutIdleCallback(said: MessageHeaders): MessageHeaders {
  const isIdle = said.failureCallback !== null && !said.options.has('failure-callback');
  return isIdle ? { ...said, failureCallback: null } : said;
}

/** Reads a trigger. */
export function readTrigger(
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
): Submission | Refusal {
  const command = groupRefusal(target) ?? parseTrigger(publish, target, said, rules);
  return command instanceof Refusal ? command : triggerSubmission(command);
}

/**
 * Adapts a refusal of a request for a run. An endpoint that adds to its run takes 400 to mean that
 * the run has ended, and stops silently, so every other refusal gets another status. After 412 the
 * endpoint does not try again (workflows.md 3.1).
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

/** The interpreter of publishes that are requests for runs. */
export const runInterpreter: PublishInterpreter = {
  options: ['workflow-init', 'workflow-runid'],
  read: readRun,
  refusal: runRefusal,
};

function groupRefusal({ kind, text }: PublishTarget): Refusal | null {
  if (kind === 'url') return null;
  const message = `a workflow is called at its URL, and ${text} is the name of a URL group`;
  return new Refusal('invalid', message);
}

/** Whether the request comes from a run: a step, a call or an invocation. */
function isAddition({ options }: OptionHeaders): boolean {
  const isTrue = (option: string) => options.get(option)?.trim().toLowerCase() === 'true';
  return !isTrue('workflow-init') || isTrue('workflow-invoke');
}
