/** What starters, endpoints and notifiers of simulated runs ask of the server. */
import { type DialectName, dialects } from '../../../src/http/dialect.js';
import type {
  CancelRun,
  EndRun,
  InvokeRun,
  OpenWaitForEvent,
  RequestCall,
  StartRun,
  SubmitStep,
} from '../../../src/workflows/run-state/run.commands.js';
import {
  type RunTerms,
  runKind,
  type StepInfo,
} from '../../../src/workflows/run-state/run.events.js';
import { noStepOptions } from '../../../src/workflows/runs/run-messages.policy.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';
import type { Program, Step } from './workflow-program.js';

export const endpoint = 'https://app.example/workflow';
export const thirdParty = 'https://third.example/';

/** How a run wants to be called. */
export interface RunStart {
  readonly id: string;
  /** What its headers call it: by the name of the run that it goes on for, if it does. */
  readonly knownAs: string;
  readonly messageId: string;
  readonly program: Program;
  readonly dialect: DialectName;
  readonly delayMs: number;
  readonly terms: Pick<RunTerms, 'maxRetries' | 'timeoutMs' | 'flowControl'>;
  readonly hasFailureCallback: boolean;
}

/** Runs of which the starter does not know what they want to hear say so with this header. */
const unknownSdk = 'X-Unknown-Sdk';
const at = 0;

export function startRun(start: RunStart, now: number): StartRun {
  const { id, knownAs, messageId, program, delayMs, dialect, terms, hasFailureCallback } = start;
  const { headers, ...failureCallback } = callbackOptions({ url: endpoint, retryDelay: '1000' });
  return {
    type: 'StartRun',
    kind: runKind,
    id,
    at,
    messageId,
    notBefore: now + delayMs,
    payload: Buffer.from(JSON.stringify(program)),
    payloadOffset: null,
    isTakeover: false,
    invoker: null,
    inherited: null,
    repeated: [],
    handedOver: [],
    configuration: {
      dialect,
      url: endpoint,
      callerIp: '127.0.0.1',
      headers: ['X-Run', knownAs, ...(program.takesOver ? [unknownSdk, 'true'] : [])],
      failureHeaders: ['X-Run', knownAs],
      answerCheck: 'sdk',
      fetchesLazily: false,
      reportsInitialBody: true,
      terms: {
        ...terms,
        retryDelay: '1000',
        labels: [],
        redaction: null,
        failureCallback: hasFailureCallback ? failureCallback : null,
      },
    },
  };
}

/** Its endpoint says anew how the run is to be called. */
export function takeOver(start: RunStart, now: number): StartRun {
  const program = { ...start.program, takesOver: false };
  return { ...startRun({ ...start, program }, now), isTakeover: true };
}

/** Whether this delivery asks its endpoint to take the run over. */
export function asksForTakeover(headers: readonly string[]): boolean {
  return headers.includes(unknownSdk);
}

export function plan(
  id: string,
  step: Step,
  target: number,
  concurrent: number,
  messageId: string,
  now: number,
): SubmitStep {
  const info = { id: 0, name: step.name, type: step.type, concurrent, target };
  const json = { stepId: 0, ...named(info), targetStep: target };
  return submit(id, info, json, messageId, step.type === 'SleepFor' ? now + step.ms : now);
}

export function result(
  id: string,
  step: StepInfo,
  out: string,
  messageId: string,
  notBefore: number,
): SubmitStep {
  return submit(id, step, { stepId: step.id, ...named(step), out }, messageId, notBefore);
}

function submit(
  id: string,
  step: StepInfo,
  json: object,
  messageId: string,
  notBefore: number,
): SubmitStep {
  const body = Buffer.from(JSON.stringify(json));
  const options = noStepOptions;
  return {
    type: 'SubmitStep',
    kind: runKind,
    id,
    at,
    step,
    messageId,
    body,
    notBefore,
    options,
    failureCallback: null,
  };
}

function named({ name, type, concurrent }: StepInfo) {
  return { stepName: name, stepType: type, concurrent };
}

/** The answer comes back with what the endpoint has to know to make a step of it. */
export function requestCall(
  id: string,
  step: StepInfo,
  dialect: DialectName,
  messageId: string,
  now: number,
): RequestCall {
  const { messagePrefix } = dialects[dialect];
  const headers = [
    ...[`${messagePrefix}Workflow-Callback`, 'true'],
    ...[`${messagePrefix}Workflow-StepId`, String(step.id)],
    ...[`${messagePrefix}Workflow-StepName`, step.name],
    ...[`${messagePrefix}Workflow-StepType`, step.type],
    ...[`${messagePrefix}Workflow-Concurrent`, String(step.concurrent)],
  ];
  const body = Buffer.from(`call ${step.id} of ${id}`);
  return {
    type: 'RequestCall',
    kind: runKind,
    id,
    at,
    step,
    messageId,
    body,
    callback: { ...noStepOptions, headers },
    message: messageOptions({
      url: `${thirdParty}${id}`,
      dialect,
      notBefore: now,
      maxRetries: 1,
      retryDelay: '1000',
      bodyBytes: body.length,
    }),
  };
}

export function openWait(
  id: string,
  step: StepInfo,
  { eventId, timeoutMs }: Extract<Step, { type: 'Wait' }>,
  messageId: string,
  now: number,
): OpenWaitForEvent {
  const timeout = `${timeoutMs / 1000}s`;
  const deadline = now + timeoutMs;
  return { type: 'OpenWait', kind: runKind, id, at, step, eventId, timeout, deadline, messageId };
}

export function invokeRun(id: string, step: StepInfo, child: StartRun): InvokeRun {
  return { type: 'InvokeRun', kind: runKind, id, at, step, child };
}

export function endRun(id: string, response: string): EndRun {
  return { type: 'EndRun', kind: runKind, id, at, response: Buffer.from(response) };
}

export function cancelRun(id: string): CancelRun {
  return { type: 'CancelRun', kind: runKind, id, at };
}
