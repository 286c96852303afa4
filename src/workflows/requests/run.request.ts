/**
 * A request for a workflow run as it stands on the wire -> the command that it is: a start, a step,
 * a call or an invocation (workflows.md 1.4, 1.5 and 3). What it says of messages is read
 * as every publish is; what it says of the run, here. Pure.
 */

import { ok, Refusal, type Result } from '../../grammar/result.js';
import { type MessageHeaders, type OptionHeaders } from '../../http/dialect.js';
import type { MessagePublished } from '../../messaging/messages/message.events.js';
import { OptionReader, type PublishRules } from '../../messaging/publishing/option-reader.js';
import {
  type PublishInput,
  type PublishParsed,
  parsePublish,
} from '../../messaging/publishing/publish.request.js';
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
import { failureHeaders, ownHeaders } from './run-headers.js';
import { type Names, type RunStart, refuseDeepInvocation, startRun } from './run-start.js';
import { parseStepBody } from './step-body.js';
import { readWorkflowOptions, type WorkflowOptions } from './workflow-options.js';

type Message = Omit<MessagePublished, 'type'>;

export type RunRequestParsed<Own> = { readonly ok: true; readonly command: Own } | Refusal;

/** A run's request of which all options were read. */
export interface ReadRunRequest extends RunStart {
  readonly reader: OptionReader;
}

/** Retries of a run's messages where its starter does not say (workflows.md 1.5). */
const runRetries = 3;

const ofRuns = /^workflow-/;
/** A callback of a run has none of its own, but older clients send what it would be called with. */
const ofRunCallbacks = /^(workflow-|(failure-)?callback)/;
const ofCalls = /^(workflow-|failure-callback$)/;

/** The command that a request for a run is; `invalid` is what no run can do. */
export function parseRunRequest(
  input: PublishInput,
  rules: PublishRules,
  names: Names,
): RunRequestParsed<StartRun | SubmitStep | RequestCall | InvokeRun> {
  const reader = new OptionReader(input.headers, rules);
  const options = readWorkflowOptions(reader);
  const { isInit, isInvoke, callType } = options;
  const isCall = !isInit && callType === 'toCallback';
  if (!isInit && isInvoke) reader.refuse('invalid', 'workflow-invoke', 'needs Workflow-Init: true');
  if (isInit && callType === 'toCallback') {
    reader.refuse('invalid', 'workflow-calltype', 'must be step where a run is started');
  }
  const request = readMessage(reader, withoutIdleCallback(input), options, isCall, rules, names);
  if (!request.ok) return request;
  if (isInit) return isInvoke ? invocation(request.value) : started(request.value);
  return isCall ? call(request.value) : step(request.value);
}

/** Older clients send options of a failure callback even if they name no failure callback. */
function withoutIdleCallback(input: PublishInput): PublishInput {
  const { headers } = input;
  const isNamed = headers.options.has('failure-callback');
  return isNamed ? input : { ...input, headers: { ...headers, failureCallback: null } };
}

/** Reads what a run's request says as a message; a callback is for calls only. */
export function readMessage(
  reader: OptionReader,
  input: PublishInput,
  options: WorkflowOptions,
  isCall: boolean,
  rules: PublishRules,
  names: Names,
): Result<ReadRunRequest> {
  const retries = isCall ? rules.retries : Math.min(runRetries, rules.retriesMax);
  const headers = withoutRunOptions(input.headers, isCall);
  const publish = parsePublish({ ...input, headers }, { ...rules, retries });
  if (publish.ok) refuseMeaningless(reader, publish, isCall);
  if (reader.refusal !== null) return reader.refusal;
  if (!publish.ok) return publish;
  return ok({ reader, input, options, message: publish.message, names });
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

function without(headers: OptionHeaders, pattern: RegExp): OptionHeaders {
  const { prefix, forwarded } = headers;
  const options = [...headers.options].filter(([name]) => !pattern.test(name));
  return { prefix, forwarded, options: new Map(options) };
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

function started(request: ReadRunRequest): RunRequestParsed<StartRun> {
  const { reader, input, options } = request;
  refuseDeepInvocation(request, reader);
  if (reader.refusal !== null) return reader.refusal;
  const { features } = options;
  return {
    ok: true,
    command: startRun(request, input.body, {
      answerCheck: features.has('WF_DetectTrigger') ? 'protocol' : 'none',
      // The client for Python says that it fetches, and cannot; it knows no later feature.
      fetchesLazily: features.has('LazyFetch') && features.has('WF_TriggerOnConfig'),
      reportsInitialBody: features.has('InitialBody'),
    }),
  };
}

function invocation(request: ReadRunRequest): RunRequestParsed<InvokeRun> {
  const envelope = parseInvokeEnvelope(request.input.body);
  if (!envelope.ok) return envelope;
  const child = started(request);
  if (!child.ok) return child;
  const { parentId, step: invoking, payload } = envelope.value;
  const { invoker, ...start } = child.command;
  return {
    ok: true,
    command: {
      type: 'InvokeRun',
      kind: runKind,
      id: parentId,
      at: request.input.at,
      step: invoking,
      child: { ...start, payload },
    },
  };
}

function step(request: ReadRunRequest): RunRequestParsed<SubmitStep> {
  const { input, message, names } = request;
  const runId = runIdOf(request);
  if (runId === null) return refusalIn(request.reader);
  const info = parseStepBody(input.body);
  if (!info.ok) return info.of('this is no step:');
  const { failureCallback } = message;
  return {
    ok: true,
    command: {
      type: 'SubmitStep',
      kind: runKind,
      id: runId,
      at: input.at,
      step: info.value,
      messageId: names.next('msg'),
      body: input.body,
      notBefore: message.notBefore,
      options: stepOptions(input.headers, message),
      failureCallback:
        failureCallback === null
          ? null
          : { ...failureCallback, headers: failureHeaders(failureCallback.headers) },
    },
  };
}

function call(request: ReadRunRequest): RunRequestParsed<RequestCall> {
  const { reader, input, message, names } = request;
  const runId = runIdOf(request);
  const callbackHeaders = input.headers.callback;
  const { callback } = message;
  if (callback === null || callbackHeaders === null)
    reader.refuse('invalid', 'callback', 'is missing');
  const info = callback === null ? null : callStep(callback.headers, reader);
  if (runId === null || info === null || callback === null || callbackHeaders === null) {
    return refusalIn(reader);
  }
  return {
    ok: true,
    command: {
      type: 'RequestCall',
      kind: runKind,
      id: runId,
      at: input.at,
      step: info,
      messageId: names.next('msg'),
      message: { ...message, callback: null, failureCallback: null },
      body: input.body,
      callback: stepOptions(callbackHeaders, callback),
    },
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
