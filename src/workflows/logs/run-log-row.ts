/** A row of the log of runs (workflows.md 5.2). Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import type { LogEntry } from '../../messaging/logs/log-entry.js';
import { errorOf } from '../../messaging/logs/log-row.js';
import type { Published } from '../../messaging/logs/published-messages.js';
import { redactionOfAnswer, shownResponse } from '../../messaging/logs/shown-response.js';
import { deadLetterId } from '../../messaging/messages/dead-letter-id.js';
import type { RunPlace } from '../../messaging/messages/message.events.js';
import { labelFields } from '../../messaging/messages/message-object.js';
import { redactedBody, redactedHeaders } from '../../messaging/messages/redaction.js';
import type { LoggedRun } from '../history/logged-runs.js';
import type { RunEvent, StepInfo } from '../run-state/run.events.js';
import { shownText } from '../shown-steps/shown-text.js';
import type { Showing, StepFields } from '../shown-steps/step-fields.js';
import { stalledError } from '../shown-steps/step-object.js';
import type { FilteredRun } from './run-logs.request.js';

/** The step that a row is about. */
export interface StepInfoObject extends StepFields {
  readonly stepName: string;
  readonly stepType: string;
  readonly callType: 'step' | 'toCallback' | 'fromCallback' | 'failureCall';
  /** Absent if no message is about the step. */
  readonly messageId?: string;
  readonly concurrent: number;
  /** Unix milliseconds, as are all times here. */
  readonly createdAt: number;
}

/** A step that was executed in an attempt. */
export interface ExecutedStepObject {
  /** 0 for the plan of a parallel step. */
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: string;
}

/** A message of a run. */
export interface RunMessage {
  readonly published: Published;
  /** The message's role and place in its run. */
  readonly run: RunPlace;
}

/** The fields of a message's row that come from the journal. */
export interface LoggedAttempt {
  readonly offset: number;
  /** The response body. */
  readonly response: Buffer | null;
  /** null = the row is not about a finished attempt to deliver to the endpoint. */
  readonly executed: readonly StepInfo[] | null;
}

/**
 * All times are Unix milliseconds. Texts are cut at `trimBody`, and redacted as the run or the
 * message requests.
 */
export interface RunLogRow {
  readonly time: number;
  readonly state: string;
  readonly workflowRunId: string;
  readonly workflowUrl: string;
  readonly workflowCreatedAt: number;
  /** Journal offset of the event; absent while an attempt is in flight. */
  readonly offset?: number;
  /** Number of the attempt, from 1. */
  readonly attempt?: number;
  /** How long the attempt took, in whole milliseconds. */
  readonly durationMs?: number;
  /** The steps that the endpoint executed in the attempt, in the order of their submission. */
  readonly executed?: readonly ExecutedStepObject[];
  readonly stepInfo?: StepInfoObject;
  /** Present on every row of a message: see `LogRow`. */
  readonly nextDeliveryTime?: number;
  readonly error?: string;
  readonly responseStatus?: number;
  readonly responseHeaders?: HeaderMap;
  readonly responseBody?: string;
  readonly responseBodyBase64?: string;
  /** The message's own headers that were forwarded. */
  readonly headers?: HeaderMap;
  readonly invokerWorkflowRunId?: string;
  readonly invokerWorkflowRunUrl?: string;
  readonly invokerWorkflowRunCreatedAt?: number;
  /** What the workflow function returned, as text. */
  readonly workflowRunResponse?: string;
  readonly dlqId?: string;
  readonly label?: string;
  readonly labels?: readonly string[];
  readonly callerIp: string;
}

/** The row of an event of a run, with `bytesMax` bytes of its texts (null = all, -1 = nothing). */
export function runRow(
  envelope: EventEnvelope<RunEvent>,
  run: LoggedRun,
  { state, time }: LogEntry<string>,
  bytesMax: number | null,
): RunLogRow {
  const { event } = envelope;
  const { invoker } = run.started.event;
  const isHidden = run.configuration.terms.redaction?.body === true;
  const response =
    event.type === 'RunSucceeded' ? shownText(envelope.body, bytesMax, isHidden) : undefined;
  const stepInfo = openedStepInfo(envelope);
  return {
    ...commonFields(originOfRun(run), state, time),
    offset: envelope.offset,
    ...(stepInfo !== null && { stepInfo }),
    ...(invoker !== null && {
      invokerWorkflowRunId: invoker.runId,
      invokerWorkflowRunUrl: invoker.url,
      invokerWorkflowRunCreatedAt: invoker.createdAt,
    }),
    ...(response !== undefined && { workflowRunResponse: response }),
    ...(event.type === 'RunFailed' && {
      dlqId: deadLetterId(envelope),
      ...(event.cause === 'stalled' && { error: stalledError }),
    }),
  };
}

/** The row of a run's message; `logged` is null while the attempt is not in the journal yet. */
export function runMessageRow(
  message: RunMessage,
  stepInfo: StepInfoObject,
  entry: LogEntry<string>,
  logged: LoggedAttempt | null,
  bytesMax: number | null,
): RunLogRow {
  const { contentType, headers, redaction, notBefore } = message.published.event;
  return {
    ...commonFields(originOfMessage(message), entry.state, entry.time),
    ...(logged !== null && { offset: logged.offset }),
    ...(entry.attempt !== undefined && { attempt: entry.attempt }),
    ...(entry.end !== null && { durationMs: Math.round(entry.end.durationMs) }),
    ...executedField(logged),
    stepInfo,
    nextDeliveryTime: entry.nextDeliveryTime ?? notBefore,
    ...endFields(entry, logged?.response ?? null, {
      bytesMax,
      redaction: redactionOfAnswer(message.published.event, redaction),
    }),
    headers: redactedHeaders(headerMap(contentType, headers), redaction),
  };
}

/** The fields of a run's row that filters check. */
export function originOfRun({ started: { id, at }, configuration }: LoggedRun): FilteredRun {
  const { url, callerIp, terms } = configuration;
  const { labels, flowControl } = terms;
  const flowControlKey = flowControl?.key ?? null;
  return { runId: id, url, createdAt: at, labels, flowControlKey, callerIp };
}

/** The fields of a message's row that filters check. */
export function originOfMessage({ published, run }: RunMessage): FilteredRun {
  const { labels, flowControl, callerIp } = published.event;
  const { runId, url, createdAt } = run;
  return { runId, url, createdAt, labels, flowControlKey: flowControl?.key ?? null, callerIp };
}

const callTypes = {
  step: 'step',
  call: 'toCallback',
  callResult: 'fromCallback',
  failureCallback: 'failureCall',
} as const;

/**
 * The step info of a message; a `step` of null means that the message reports the run's failure.
 */
export function messageStepInfo(
  { published, run }: RunMessage,
  step: StepInfo | null,
  fields: StepFields,
): StepInfoObject {
  return {
    stepName: step?.name ?? 'failureCallback',
    stepType: step?.type ?? 'FailureCallback',
    callType: callTypes[run.role],
    messageId: published.id,
    concurrent: step?.concurrent ?? 1,
    createdAt: published.at,
    ...fields,
  };
}

/** The step info of a step that a run's own event opened, without a message. */
function openedStepInfo({ event, at }: EventEnvelope<RunEvent>): StepInfoObject | null {
  if (event.type !== 'WaitOpened' && event.type !== 'StepInvoked') return null;
  const { name, type, concurrent } = event.step;
  const common = {
    stepName: name,
    stepType: type,
    callType: 'step',
    concurrent,
    createdAt: at,
  } as const;
  return event.type === 'WaitOpened'
    ? {
        ...common,
        waitEventId: event.eventId,
        waitTimeoutDuration: event.timeout,
        waitTimeoutDeadline: event.deadline,
      }
    : {
        ...common,
        invokedWorkflowRunId: event.runId,
        invokedWorkflowUrl: event.url,
        invokedWorkflowCreatedAt: at,
      };
}

function executedField(logged: LoggedAttempt | null): Pick<RunLogRow, 'executed'> {
  const executed = logged?.executed ?? null;
  if (executed === null) return {};
  return {
    executed: executed.map(({ id, name, type }) => ({
      stepId: id,
      stepName: name,
      stepType: type,
    })),
  };
}

function commonFields(
  { runId, url, createdAt, labels, callerIp }: FilteredRun,
  state: string,
  time: number,
) {
  return {
    time,
    state,
    workflowRunId: runId,
    workflowUrl: url,
    workflowCreatedAt: createdAt,
    ...labelFields(labels),
    callerIp,
  };
}

function endFields(
  { state, end }: LogEntry<string>,
  responseBody: Buffer | null,
  { bytesMax, redaction }: Showing,
): Partial<RunLogRow> {
  if (end === null) return {};
  const isFailure = state !== 'DELIVERED';
  return {
    ...(isFailure && { error: errorOf(end) }),
    ...(end.status !== 0 && {
      responseStatus: end.status,
      responseHeaders: redactedHeaders(headerMap(null, end.headers), redaction),
      ...shownResponse(redactedBody(responseBody, redaction), bytesMax),
    }),
  };
}
