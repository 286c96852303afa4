/**
 * A request for a workflow run as it stands on the wire -> the command that it is: a start, a step,
 * a call or an invocation (workflows.md 1.4, 1.5 and 3). What it says of messages is read
 * as every publish is; what it says of the run, here. Pure.
 */

import { Refusal } from '../../grammar/result.js';
import { type MessageHeaders, type OptionHeaders } from '../../http/dialect.js';
import type { MessagePublished } from '../../messaging/messages/message.events.js';
import { OptionReader, type PublishRules } from '../../messaging/publishing/option-reader.js';
import {
  type PublishParsed,
  type PublishRequest,
  parsePublish,
} from '../../messaging/publishing/publish.request.js';
import type { PublishTarget } from '../../messaging/publishing/publish-targets.js';
import type {
  InvokeRun,
  RequestCall,
  StartRun,
  StepOptions,
  SubmitStep,
} from '../run-state/run.commands.js';
import { runKind } from '../run-state/run.events.js';
import { callStep } from './call-step.js';
import { parseInvokeEnvelope } from './invoke-envelope.js';
import { failureHeaders, ownHeaders, readWorkflowOptions } from './run-headers.js';
import { type RunStart, refuseDeepInvocation, startRun } from './run-start.js';
import { parseStepBody } from './step-body.js';

type Message = Omit<MessagePublished, 'type'>;

/** A run's request of which all options were read. */
export interface ReadRunRequest extends RunStart {
  readonly reader: OptionReader;
}

/** Retries of a run's messages where its starter does not say (workflows.md 1.5). */
const runRetries = 3;

/** Which options of a request are not those of a message. */
type IsLeftOut = (option: string) => boolean;

const ofRuns: IsLeftOut = (option) => option.startsWith('workflow-');
/** A callback of a run has none of its own, but older clients send what it would be called with. */
const ofRunCallbacks: IsLeftOut = (option) =>
  ofRuns(option) || option.startsWith('callback') || option.startsWith('failure-callback');
const ofCalls: IsLeftOut = (option) => ofRuns(option) || option === 'failure-callback';

/** The command that a request for a run is; `invalid` is what no run can do. */
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
  if (isInit) return isInvoke ? invocation(request) : started(request);
  return isCall ? call(request) : step(request);
}

/** Older clients send options of a failure callback even if they name no failure callback. */
function withoutIdleCallback(said: MessageHeaders): MessageHeaders {
  const isIdle = said.failureCallback !== null && !said.options.has('failure-callback');
  return isIdle ? { ...said, failureCallback: null } : said;
}

/** Reads what a run's request says as a message; a callback is for calls only. */
export function readMessage(
  read: Omit<ReadRunRequest, 'message'>,
  target: PublishTarget,
  isCall: boolean,
  rules: PublishRules,
): ReadRunRequest | Refusal {
  const { reader, publish, said } = read;
  const retries = isCall ? rules.retries : Math.min(runRetries, rules.retriesMax);
  const ofMessage = withoutRunOptions(said, isCall);
  const parsed = parsePublish(publish, target, ofMessage, { ...rules, retries });
  if (parsed.ok) refuseMeaningless(reader, parsed, isCall);
  if (reader.refusal !== null) return reader.refusal;
  return parsed.ok ? { message: parsed.message, ...read } : parsed;
}

/** The refusal of what could not be read: the reader has noted why. */
function refusalIn({ refusal }: OptionReader): Refusal {
  if (refusal === null) throw new Error('refused without a reason');
  return refusal;
}

function withoutRunOptions(headers: MessageHeaders, isCall: boolean): MessageHeaders {
  const { callback, failureCallback } = headers;
  return {
    ...headers,
    ...without(headers, isCall ? ofCalls : ofRuns),
    callback: callback === null ? null : without(callback, ofRunCallbacks),
    failureCallback:
      failureCallback === null || isCall ? null : without(failureCallback, ofRunCallbacks),
  };
}

function without(
  { prefix, options, forwarded }: OptionHeaders,
  isLeftOut: IsLeftOut,
): OptionHeaders {
  const kept = new Map<string, string>();
  for (const [name, value] of options) if (!isLeftOut(name)) kept.set(name, value);
  return { prefix, forwarded, options: kept };
}

function refuseMeaningless(
  reader: OptionReader,
  { message, schedule }: Extract<PublishParsed, { ok: true }>,
  isCall: boolean,
): void {
  const refuse = (option: string) =>
    reader.refuse('invalid', option, 'means nothing for a workflow run');
  if (schedule !== null) refuse('cron');
  if (message.queueName !== null) refuse('queue-name');
  if (message.deduplicationKey !== null) refuse('deduplication-id');
  if (isCall) return;
  if (message.callback !== null) refuse('callback');
  if (message.method !== 'POST') reader.refuse('invalid', 'method', 'of a workflow must be POST');
}

function started(request: ReadRunRequest): StartRun | Refusal {
  const { reader, publish, options } = request;
  refuseDeepInvocation(request, reader);
  if (reader.refusal !== null) return reader.refusal;
  const { features } = options;
  return startRun(request, publish.body, {
    answerCheck: features.has('WF_DetectTrigger') ? 'protocol' : 'none',
    // The client for Python says that it fetches, and cannot; it knows no later feature.
    fetchesLazily: features.has('LazyFetch') && features.has('WF_TriggerOnConfig'),
    reportsInitialBody: features.has('InitialBody'),
  });
}

function invocation(request: ReadRunRequest): InvokeRun | Refusal {
  const envelope = parseInvokeEnvelope(request.publish.body);
  if (!envelope.ok) return envelope;
  const child = started(request);
  if (child instanceof Refusal) return child;
  const { parentId, step: invoking, payload } = envelope.value;
  const { invoker, ...start } = child;
  return {
    type: 'InvokeRun',
    kind: runKind,
    id: parentId,
    at: request.publish.context.at,
    step: invoking,
    child: { ...start, payload },
  };
}

function step(request: ReadRunRequest): SubmitStep | Refusal {
  const { publish, said, message } = request;
  const { body, context } = publish;
  const runId = runIdOf(request);
  if (runId === null) return refusalIn(request.reader);
  const info = parseStepBody(body);
  if (!info.ok) return info.of('this is no step:');
  const { failureCallback } = message;
  return {
    type: 'SubmitStep',
    kind: runKind,
    id: runId,
    at: context.at,
    step: info.value,
    messageId: context.names.next('msg'),
    body,
    notBefore: message.notBefore,
    options: stepOptions(said, message),
    failureCallback:
      failureCallback === null
        ? null
        : { ...failureCallback, headers: failureHeaders(failureCallback.headers) },
  };
}

function call(request: ReadRunRequest): RequestCall | Refusal {
  const { reader, publish, said, message } = request;
  const { body, context } = publish;
  const runId = runIdOf(request);
  const callbackHeaders = said.callback;
  const { callback } = message;
  if (callback === null || callbackHeaders === null)
    reader.refuse('invalid', 'callback', 'is missing');
  const info = callback === null ? null : callStep(callback.headers, reader);
  if (runId === null || info === null || callback === null || callbackHeaders === null) {
    return refusalIn(reader);
  }
  return {
    type: 'RequestCall',
    kind: runKind,
    id: runId,
    at: context.at,
    step: info,
    messageId: context.names.next('msg'),
    message: { ...message, callback: null, failureCallback: null },
    body,
    callback: stepOptions(callbackHeaders, callback),
  };
}

/** The run that is added to; null = the request does not name it, and is refused. */
function runIdOf({ reader, options }: ReadRunRequest): string | null {
  if (options.runId === null) reader.refuse('invalid', 'workflow-runid', 'is missing');
  return options.runId;
}

/** The options that a step names itself; for the others the run's terms hold (workflows.md 1.5). */
function stepOptions(
  { options }: OptionHeaders,
  message: Pick<Message, keyof StepOptions>,
): StepOptions {
  const { maxRetries, retryDelay, timeoutMs, flowControl, labels, redaction, headers } = message;
  return {
    maxRetries: options.has('retries') ? maxRetries : null,
    retryDelay,
    timeoutMs,
    flowControl,
    labels: options.has('label') ? labels : null,
    redaction,
    headers: ownHeaders(headers),
  };
}
