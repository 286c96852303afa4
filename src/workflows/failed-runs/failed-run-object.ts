/** The API object of a failed run (workflows.md 6.1); absent values are left out. */
import type { EventEnvelope } from '../../engine/decider.js';
import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import type { StoredText } from '../../http/bytes/stored-text.js';
import { type LastAnswer, lastAnswer } from '../../messaging/dead-letters/last-answer.js';
import type { AttemptEvent, MessagePublished } from '../../messaging/messages/message.events.js';
import {
  bodyField,
  callerFields,
  labelFields,
  limitedFields,
  type ShownBody,
} from '../../messaging/messages/message-object.js';
import { redactedBody, redactedHeaders } from '../../messaging/messages/redaction.js';
import type { CallbackState } from '../run-state/callback-state.js';
import type { RunConfiguration, RunFailed } from '../run-state/run.events.js';
import { stalledError } from '../shown-steps/step-object.js';
import type { FailedRun } from './failed-runs.projection.js';
import { starterHeaders } from './starter-headers.js';

/** The outcome of the failure callback (workflows.md 6.1). */
export interface FailureCallbackInfo {
  readonly state: CallbackState;
  readonly responseStatus?: number;
  readonly responseBody?: StoredText;
  /** Instead of `responseBody`, if the answer is not UTF-8. */
  readonly responseBodyBase64?: StoredText;
  readonly responseHeaders?: HeaderMap;
}

/** The entry of `GET /v2/workflows/dlq/{dlqId}`; times are Unix milliseconds, `period` seconds. */
export interface FailedRunObject extends Partial<LastAnswer>, ShownBody {
  /**
   * Id of the message that made the run fail; the times and `maxRetries` are also of this message.
   */
  readonly messageId: string;
  readonly dlqId: string;
  readonly url: string;
  readonly method: string;
  /**
   * The headers that the run was started with: its configuration, and the headers for its endpoint.
   */
  readonly header: HeaderMap;
  readonly maxRetries: number;
  readonly notBefore: number;
  readonly createdAt: number;
  readonly failureCallback?: string;
  readonly failureCallbackHeader?: HeaderMap;
  readonly callerIP: string;
  readonly callerIp: string;
  readonly workflowRunId: string;
  readonly workflowCreatedAt: number;
  readonly workflowUrl: string;
  readonly flowControlKey?: string;
  readonly rate?: number;
  readonly parallelism?: number;
  readonly period?: number;
  readonly failureCallbackInfo?: FailureCallbackInfo;
  readonly failureFunctionState?: CallbackState;
  readonly label?: string;
  readonly labels?: readonly string[];
  /** Why an answer with a good status did not count, or why no answer came. */
  readonly error?: string;
}

/** Everything that the journal holds about a failed run. */
export interface ReportedRun {
  readonly run: FailedRun;
  readonly failure: RunFailed;
  readonly configuration: RunConfiguration;
  /** The message that made the run fail, and its last attempt. */
  readonly published: EventEnvelope<MessagePublished>;
  readonly attempt: AttemptEvent | null;
  /** The payload, or all entries unless the endpoint expects only the payload. */
  readonly body: Buffer | null;
  /** The failure callback's last attempt. */
  readonly callbackAttempt: AttemptEvent | null;
}

/** Builds the object; bodies and headers are redacted as the run requested. */
export function failedRunObject(reported: ReportedRun): FailedRunObject {
  const { run, failure, configuration, published, attempt, body } = reported;
  const { url, terms, callerIp } = configuration;
  const error = failure.cause === 'stalled' ? stalledError : attempt?.event.error;
  return {
    messageId: published.id,
    dlqId: run.id,
    url,
    method: published.event.method,
    header: redactedHeaders(
      headerMap('application/json', starterHeaders(run, configuration)),
      terms.redaction,
    ),
    ...bodyField(redactedBody(body, terms.redaction)),
    maxRetries: published.event.maxRetries,
    notBefore: published.event.notBefore,
    createdAt: published.at,
    ...failureCallbackFields(configuration),
    ...callerFields(callerIp),
    workflowRunId: run.runId,
    workflowCreatedAt: run.createdAt,
    workflowUrl: url,
    ...limitedFields(terms.flowControl),
    ...(attempt !== null && lastAnswer(attempt)),
    ...callbackFields(reported),
    ...labelFields(terms.labels),
    ...(typeof error === 'string' && { error }),
  };
}

function failureCallbackFields({ terms, failureHeaders }: RunConfiguration) {
  const { failureCallback, redaction } = terms;
  if (failureCallback === null) return {};
  const header = headerMap(failureCallback.contentType, failureHeaders);
  return {
    failureCallback: failureCallback.url,
    failureCallbackHeader: redactedHeaders(header, failureCallback.redaction ?? redaction),
  };
}

function callbackFields({ run, callbackAttempt }: ReportedRun) {
  if (run.callback === null) return {};
  const { state } = run.callback;
  const info: FailureCallbackInfo =
    callbackAttempt === null ? { state } : { state, ...callbackAnswer(callbackAttempt) };
  return { failureCallbackInfo: info, failureFunctionState: state };
}

function callbackAnswer(attempt: AttemptEvent): Omit<FailureCallbackInfo, 'state'> {
  const { responseHeader: responseHeaders, ...answer } = lastAnswer(attempt);
  return { ...answer, responseHeaders };
}
