/** The OpenAPI descriptions of the logs of runs (workflows.md 5). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import { damagedSchema as damaged } from '../../http/damaged.openapi.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { stateWords } from '../../messaging/logs/logs.request.js';
import {
  headerMapSchema as headerMap,
  milliseconds,
  searchedToSchema as searchedTo,
  several,
} from '../../messaging/messages/message-schema.js';
import { runLogStates, runStates } from '../history/run-log-entry.js';
import { callbackStates } from '../run-state/callback-state.js';
import { runStateNames } from '../run-state/run-state-name.policy.js';
import type { StepFields } from '../shown-steps/step-fields.js';
import type { NextStepObject, StepError, StepObject } from '../shown-steps/step-object.js';
import type { RunLogRow, StepInfoObject } from './run-log-row.js';
import type { FailureFunctionObject, RunObject } from './run-object.js';

const stepFields = once(
  () =>
    ({
      out: z.string().describe('JSON as text; Base64 for a wait').exactOptional(),
      sleepFor: z.number().describe('Seconds').exactOptional(),
      sleepUntil: z.number().describe('Unix seconds').exactOptional(),
      callUrl: z.string().exactOptional(),
      callMethod: z.string().exactOptional(),
      callHeaders: headerMap.exactOptional(),
      callBody: z.string().exactOptional(),
      callResponseStatus: z.int().exactOptional(),
      callResponseHeaders: headerMap.exactOptional(),
      callResponseBody: z.string().exactOptional(),
      waitEventId: z.string().exactOptional(),
      waitTimeoutDuration: z.string().exactOptional(),
      waitTimeoutDeadline: milliseconds.exactOptional(),
      waitTimeout: z.boolean().exactOptional(),
      invokedWorkflowRunId: z.string().exactOptional(),
      invokedWorkflowUrl: z.string().exactOptional(),
      invokedWorkflowCreatedAt: milliseconds.exactOptional(),
      invokedWorkflowRunBody: z.string().exactOptional(),
      invokedWorkflowRunHeaders: headerMap.exactOptional(),
    }) satisfies Record<keyof StepFields, z.ZodType>,
);

const stepInfo = once(() =>
  z.object({
    stepName: z.string(),
    stepType: z.string(),
    callType: z.enum(['step', 'toCallback', 'fromCallback', 'failureCall']),
    messageId: z.string().exactOptional(),
    concurrent: z.int(),
    createdAt: milliseconds,
    ...stepFields(),
  } satisfies Record<keyof StepInfoObject, z.ZodType>),
);

const labels = once(() => ({
  label: z.string().describe('The first of labels').exactOptional(),
  labels: z.array(z.string()).exactOptional(),
}));

/** A row of the flat log. */
export const runLogRowSchema = once(() =>
  z
    .object({
      time: milliseconds,
      state: z.string().describe(`${[...runLogStates].join(', ')}, or a state of messages`),
      workflowRunId: z.string(),
      workflowUrl: z.string(),
      workflowCreatedAt: milliseconds,
      offset: z
        .int()
        .describe('Offset in the journal; absent while an attempt is in flight')
        .exactOptional(),
      attempt: z.int().describe('Number of the attempt, counted from 1').exactOptional(),
      durationMs: z.int().describe('How long the attempt took').exactOptional(),
      executed: z
        .array(z.object({ stepId: z.int(), stepName: z.string(), stepType: z.string() }))
        .describe('The steps that the endpoint executed in the attempt, as it submitted them')
        .exactOptional(),
      stepInfo: stepInfo()
        .describe('On rows of messages, and of what a run waits for')
        .exactOptional(),
      nextDeliveryTime: milliseconds.describe('On every row of a message').exactOptional(),
      error: z.string().exactOptional(),
      responseStatus: z.int().exactOptional(),
      responseHeaders: headerMap.exactOptional(),
      responseBody: z.string().exactOptional(),
      responseBodyBase64: z
        .string()
        .describe('Instead of responseBody, if the body is not UTF-8')
        .exactOptional(),
      headers: headerMap.exactOptional(),
      invokerWorkflowRunId: z.string().exactOptional(),
      invokerWorkflowRunUrl: z.string().exactOptional(),
      invokerWorkflowRunCreatedAt: milliseconds.exactOptional(),
      workflowRunResponse: z.string().exactOptional(),
      dlqId: z.string().exactOptional(),
      ...labels(),
      callerIp: z.string(),
    } satisfies Record<keyof RunLogRow, z.ZodType>)
    .meta({ id: 'RunLogRow' }),
);

const stepState = once(() =>
  z.enum(['STEP_PROGRESS', 'STEP_SUCCESS', 'STEP_RETRY', 'STEP_FAILED', 'STEP_CANCELED']),
);

const stepError = once(() =>
  z.object({
    status: z.int().exactOptional(),
    error: z.string(),
    body: z.string(),
    headers: headerMap,
    time: milliseconds,
  } satisfies Record<keyof StepError, z.ZodType>),
);

const delivery = once(() => ({
  retries: z.int(),
  retryDelay: z.string().exactOptional(),
  nextDeliveryTime: milliseconds.exactOptional(),
  errors: z.array(stepError()).exactOptional(),
}));

const step = once(() =>
  z
    .object({
      stepId: z.int(),
      stepName: z.string(),
      stepType: z.string(),
      callType: z.enum(['step', 'toCallback', 'fromCallback']),
      messageId: z.string().exactOptional(),
      state: stepState(),
      createdAt: milliseconds,
      concurrent: z.int(),
      editedAt: milliseconds
        .describe('When a resume replaced the result of the step')
        .exactOptional(),
      headers: headerMap,
      ...delivery(),
      ...stepFields(),
    } satisfies Record<keyof StepObject, z.ZodType>)
    .meta({ id: 'RunStep' }),
);

const nextStep = once(() =>
  z.object({
    messageId: z.string(),
    state: stepState(),
    stepName: z.string().exactOptional(),
    ...delivery(),
  } satisfies Record<keyof NextStepObject, z.ZodType>),
);

const failureFunction = once(() =>
  z.object({
    messageId: z.string(),
    url: z.string(),
    state: z.enum(callbackStates),
    failStatus: z.int(),
    failHeaders: headerMap,
    failResponse: z.string(),
    dlqId: z.string(),
    maxRetries: z.int(),
    errors: z.array(stepError()).exactOptional(),
    responseStatus: z.int().exactOptional(),
    responseHeaders: headerMap.exactOptional(),
    responseBody: z.string().exactOptional(),
    nextDeliveryTime: milliseconds.exactOptional(),
  } satisfies Record<keyof FailureFunctionObject, z.ZodType>),
);

/** A run with its steps. */
export const runSchema = once(() =>
  z
    .object({
      workflowRunId: z.string(),
      workflowUrl: z.string(),
      workflowState: z.enum(runStates),
      state: z.enum(runStateNames).describe('What the run does now, or how it ended'),
      workflowRunCreatedAt: milliseconds,
      workflowRunCompletedAt: milliseconds.exactOptional(),
      workflowRunCallerIp: z.string(),
      ...labels(),
      flowControlKey: z.string().exactOptional(),
      dlqId: z.string().exactOptional(),
      workflowRunResponse: z.string().exactOptional(),
      invoker: z
        .object({
          workflowRunId: z.string(),
          workflowUrl: z.string(),
          workflowRunCreatedAt: milliseconds,
        })
        .exactOptional(),
      failureFunction: failureFunction().exactOptional(),
      steps: z.array(
        z.discriminatedUnion('type', [
          z.object({ type: z.enum(['sequential', 'parallel']), steps: z.array(step()) }),
          z.object({ type: z.literal('next'), steps: z.array(nextStep()) }),
        ]),
      ),
    } satisfies Record<keyof RunObject, z.ZodType>)
    .meta({ id: 'Run' }),
);

const filters = once(() => ({
  cursor: z.string().describe('The cursor of the previous page').optional(),
  order: z.enum(['latestFirst', 'earliestFirst']).default('latestFirst').optional(),
  workflowRunId: several,
  workflowUrl: several,
  workflowCreatedAt: z.array(milliseconds).optional(),
  workflowRuns: z
    .array(z.string())
    .describe('Ids of runs with their times of creation: wfr_1@1767000000000')
    .optional(),
  messageId: several,
  messageIds: several,
  label: several,
  host: several,
  path: several,
  callerIp: several,
  flowControlKey: several,
  fromDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
  toDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
  trimBody: z.int().min(-1).describe('Bytes to keep of each body; -1 = no bodies').optional(),
}));

const rowsQuery = once(() =>
  z.object({
    ...filters(),
    count: z.int().min(1).max(1000).default(1000).optional(),
    state: z.array(z.enum([...stateWords.keys(), ...runLogStates])).optional(),
  }),
);

const runsQuery = once(() =>
  z.object({
    ...filters(),
    count: z.int().min(1).max(10).default(10).optional(),
    state: z.array(z.enum(runStates)).optional(),
    groupBy: z.literal('workflowRunId').optional(),
  }),
);

const cursor = once(() => z.string().describe('Absent on the last page').optional());
const rows = once(() =>
  z.object({
    cursor: cursor(),
    searchedTo,
    damaged: damaged(),
    events: z.array(runLogRowSchema()),
  }),
);
const runs = once(() =>
  z.object({
    cursor: cursor(),
    searchedTo,
    damaged: damaged(),
    runs: z.array(runSchema()),
  }),
);

/** The route `GET /v2/workflows/messageLogs`. */
export const runMessageLogsRoute: RouteDescription = {
  summary: 'List what happened to runs and their messages, page by page',
  asOf: true,
  query: rowsQuery,
  answers: {
    200: { description: 'The rows, newest first unless `order` says otherwise', schema: rows },
  },
};

/** The route `GET /v2/workflows/events`. */
export const runEventsRoute: RouteDescription = {
  summary: 'The rows of messageLogs or, with groupBy, the runs of logs',
  asOf: true,
  query: () => rowsQuery().extend({ groupBy: z.literal('workflowRunId').optional() }),
  answers: {
    200: {
      description: 'Rows or, with groupBy, runs',
      schema: () => z.union([rows(), runs()]),
    },
  },
};

/** The route `GET /v2/workflows/logs`. */
export const runLogsRoute: RouteDescription = {
  summary: 'List runs with their steps, page by page',
  asOf: true,
  query: runsQuery,
  answers: {
    200: { description: 'The runs, newest first unless `order` says otherwise', schema: runs },
  },
};
