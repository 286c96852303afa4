/** The object of a run in the listing of runs (workflows.md 5.1). Absent values are left out. */

import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import { deadLetterId } from '../../messaging/messages/dead-letter-id.js';
import { labelFields } from '../../messaging/messages/message-object.js';
import type { HistoryMessage, RunHistory } from '../history/run-history.js';
import { endStates, type RunLifeState } from '../history/run-log-entry.js';
import { hasNoFailureFunction } from '../history/sdk-answer.js';
import type { CallbackState } from '../run-state/callback-state.js';
import { type RunStateName, runStateName } from '../run-state/run-state-name.policy.js';
import { runSteps } from '../shown-steps/run-steps.js';
import type { RunSurroundings } from '../shown-steps/run-surroundings.js';
import { shownText } from '../shown-steps/shown-text.js';
import { type StepError, type StepGroupObject, stepError } from '../shown-steps/step-object.js';

/** How the failure callback of a run went. */
export interface FailureFunctionObject {
  readonly messageId: string;
  readonly url: string;
  readonly state: CallbackState;
  /** The status of the endpoint's last answer before the failure; 0 = there was no answer. */
  readonly failStatus: number;
  readonly failHeaders: HeaderMap;
  readonly failResponse: string;
  readonly dlqId: string;
  readonly maxRetries: number;
  readonly errors?: readonly StepError[];
  readonly responseStatus?: number;
  readonly responseHeaders?: HeaderMap;
  readonly responseBody?: string;
  /** Unix milliseconds. */
  readonly nextDeliveryTime?: number;
}

/** A run of `GET /v2/workflows/logs`. */
export interface RunObject {
  readonly workflowRunId: string;
  readonly workflowUrl: string;
  readonly workflowState: RunLifeState;
  /** What the run does now, or how it ended. */
  readonly state: RunStateName;
  /** Unix milliseconds. */
  readonly workflowRunCreatedAt: number;
  readonly workflowRunCompletedAt?: number;
  readonly workflowRunCallerIp: string;
  readonly label?: string;
  readonly labels?: readonly string[];
  readonly flowControlKey?: string;
  readonly dlqId?: string;
  /** What the workflow function returned, as text. */
  readonly workflowRunResponse?: string;
  readonly invoker?: {
    readonly workflowRunId: string;
    readonly workflowUrl: string;
    readonly workflowRunCreatedAt: number;
  };
  readonly failureFunction?: FailureFunctionObject;
  readonly steps: readonly StepGroupObject[];
}

/** Builds the object of a run from its `history`. */
export function runObject(history: RunHistory, around: RunSurroundings): RunObject {
  const { started, configuration, end, invoker } = history;
  const { url, callerIp, terms } = configuration;
  const failureFunction = failureFunctionOf(history, around);
  return {
    workflowRunId: started.id,
    workflowUrl: url,
    workflowState: end === null ? 'RUN_STARTED' : endStates[end.event.type],
    state: runStateName(history.state, history.openMessages(), around.now),
    workflowRunCreatedAt: started.at,
    ...(end !== null && { workflowRunCompletedAt: end.at }),
    workflowRunCallerIp: callerIp,
    ...labelFields(terms.labels),
    ...(terms.flowControl !== null && { flowControlKey: terms.flowControl.key }),
    ...(end?.event.type === 'RunFailed' && { dlqId: deadLetterId(end) }),
    ...responseField(history, around),
    ...(invoker !== null && {
      invoker: {
        workflowRunId: invoker.runId,
        workflowUrl: invoker.url,
        workflowRunCreatedAt: invoker.createdAt,
      },
    }),
    ...(failureFunction !== null && { failureFunction }),
    steps: runSteps(history, around),
  };
}

function responseField(
  { end, configuration }: RunHistory,
  { bytesMax }: RunSurroundings,
): Pick<RunObject, 'workflowRunResponse'> {
  if (end?.event.type !== 'RunSucceeded') return {};
  const isHidden = configuration.terms.redaction?.body === true;
  const workflowRunResponse = shownText(end.body, bytesMax, isHidden);
  return workflowRunResponse === undefined ? {} : { workflowRunResponse };
}

/** Shows the latest call: a failed failure callback may have been called again. */
function failureFunctionOf(
  { messages, end }: RunHistory,
  around: RunSurroundings,
): FailureFunctionObject | null {
  const isCalled = ({ published }: HistoryMessage) =>
    published.event.run?.role === 'failureCallback';
  const message = [...messages.values()].findLast(isCalled);
  if (message === undefined || end?.event.type !== 'RunFailed') return null;
  const { published, failures, status, notBefore, last } = message;
  // Clients name themselves as the failure callback of every run, even without a failure function.
  if (hasNoFailureFunction(last)) return null;
  const { bytesMax, running } = around;
  const failed = messages.get(end.event.messageId)?.last ?? null;
  const isAwaited = status === 'pending' && !running.has(published.id);
  return {
    messageId: published.id,
    url: published.event.url,
    state: stateOfCallback[status],
    failStatus: failed?.event.status ?? 0,
    failHeaders: headerMap(null, failed?.event.headers ?? []),
    failResponse: shownText(failed?.body ?? null, bytesMax, false) ?? '',
    dlqId: deadLetterId(end),
    maxRetries: published.event.maxRetries,
    ...(failures.length > 0 && { errors: failures.map((each) => stepError(each, bytesMax)) }),
    ...answerFields(message, around),
    ...(isAwaited && { nextDeliveryTime: notBefore }),
  };
}

const stateOfCallback: Readonly<Record<HistoryMessage['status'], CallbackState>> = {
  pending: 'CALLBACK_INPROGRESS',
  delivered: 'CALLBACK_SUCCESS',
  failed: 'CALLBACK_FAIL',
  canceled: 'CALLBACK_CANCELED',
};

function answerFields(
  { last }: HistoryMessage,
  { bytesMax }: RunSurroundings,
): Partial<FailureFunctionObject> {
  if (last === null || last.event.status === 0) return {};
  const responseBody = shownText(last.body, bytesMax, false);
  return {
    responseStatus: last.event.status,
    responseHeaders: headerMap(null, last.event.headers),
    ...(responseBody !== undefined && { responseBody }),
  };
}
