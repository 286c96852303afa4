/** Commands to workflow runs, and their first event; a test names what it is about. */
import type {
  RunCommand,
  StartRun,
  SubmitStep,
} from '../../../src/workflows/run-state/run.commands.js';
import {
  type RunConfiguration,
  type RunStarted,
  type RunTerms,
  runKind,
  type StepInfo,
} from '../../../src/workflows/run-state/run.events.js';
import { noStepOptions } from '../../../src/workflows/runs/run-messages.policy.js';
import { epochMs } from '../given.js';

export const noPayload = Buffer.alloc(0);

export function runTermsOf(changes: Partial<RunTerms> = {}): RunTerms {
  return {
    maxRetries: 3,
    retryDelay: null,
    timeoutMs: null,
    flowControl: null,
    labels: [],
    redaction: null,
    failureCallback: null,
    ...changes,
  };
}

export function runConfiguration(changes: Partial<RunConfiguration> = {}): RunConfiguration {
  return {
    dialect: 'svc',
    url: 'https://app.example/wf',
    callerIp: '127.0.0.1',
    terms: runTermsOf(),
    headers: [],
    failureHeaders: [],
    answerCheck: 'none',
    fetchesLazily: true,
    reportsInitialBody: true,
    ...changes,
  };
}

/** A command to `wfr_1`, asked at `epochMs`, unless it says otherwise. */
export function toRun<Cmd extends RunCommand>(
  command: Omit<Cmd, 'kind' | 'id' | 'at'> & Partial<Pick<Cmd, 'id' | 'at'>>,
): Cmd {
  return { kind: runKind, id: 'wfr_1', at: epochMs, ...command } as Cmd;
}

export function startRun(changes: Partial<StartRun> = {}): StartRun {
  return {
    type: 'StartRun',
    kind: runKind,
    id: 'wfr_1',
    at: epochMs,
    configuration: runConfiguration(),
    messageId: 'msg_0',
    payload: noPayload,
    payloadOffset: null,
    notBefore: epochMs,
    isTakeover: false,
    invoker: null,
    inherited: null,
    repeated: [],
    handedOver: [],
    ...changes,
  };
}

export function stepInfo(id: number, changes: Partial<StepInfo> = {}): StepInfo {
  return { id, name: `step ${id}`, type: 'Run', concurrent: 1, target: null, ...changes };
}

/** The plan of the parallel step `target`. */
export function planOf(target: number, changes: Partial<StepInfo> = {}): StepInfo {
  return stepInfo(0, { name: `step ${target}`, concurrent: 2, target, ...changes });
}

export function submitStep(step: StepInfo, changes: Partial<SubmitStep> = {}): SubmitStep {
  return {
    type: 'SubmitStep',
    kind: runKind,
    id: 'wfr_1',
    at: epochMs,
    step,
    messageId: step.target === null ? `msg_${step.id}` : `msg_plan_${step.target}`,
    body: Buffer.from(JSON.stringify({ stepId: step.id, stepName: step.name })),
    notBefore: epochMs,
    options: noStepOptions,
    failureCallback: null,
    ...changes,
  };
}

export function runStarted(changes: Partial<RunStarted> = {}): RunStarted {
  return {
    type: 'RunStarted',
    configuration: runConfiguration(),
    messageId: 'msg_0',
    payloadBytes: 0,
    payloadOffset: null,
    invoker: null,
    inherited: null,
    ...changes,
  };
}
