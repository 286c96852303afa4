/** The OpenAPI descriptions of the routes of failed runs (workflows.md 6). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import { damagedSchema as damaged } from '../../http/damaged.openapi.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { headerMapSchema, milliseconds, several } from '../../messaging/messages/message-schema.js';
import { callbackStates } from '../run-state/callback-state.js';
import type { FailedRunObject, FailureCallbackInfo } from './failed-run-object.js';
import type { failedRunFilters, failedRunListFilters } from './failed-runs.request.js';
import { resumeSchema } from './step-edits.request.js';

const callbackState = once(() => z.enum(callbackStates));

const failedRun = once(() =>
  z
    .object({
      messageId: z.string().describe('Of the message that the run failed with'),
      dlqId: z.string(),
      url: z.string(),
      method: z.string(),
      header: headerMapSchema,
      body: z.string().describe('The payload').exactOptional(),
      bodyBase64: z.string().describe('Of a payload that is no UTF-8').exactOptional(),
      maxRetries: z.int(),
      notBefore: milliseconds,
      createdAt: milliseconds,
      failureCallback: z.string().exactOptional(),
      failureCallbackHeader: headerMapSchema.exactOptional(),
      callerIP: z.string(),
      callerIp: z.string().describe('The same as callerIP'),
      workflowRunId: z.string(),
      workflowCreatedAt: milliseconds,
      workflowUrl: z.string(),
      flowControlKey: z.string().exactOptional(),
      rate: z.int().exactOptional(),
      parallelism: z.int().exactOptional(),
      period: z.int().describe('Seconds').exactOptional(),
      responseStatus: z.int().describe('0 = the last attempt got no response').exactOptional(),
      responseHeader: headerMapSchema.exactOptional(),
      responseBody: z.string().exactOptional(),
      responseBodyBase64: z.string().exactOptional(),
      failureCallbackInfo: z
        .object({
          state: callbackState(),
          responseStatus: z.int().exactOptional(),
          responseBody: z.string().exactOptional(),
          responseHeaders: headerMapSchema.exactOptional(),
        } satisfies Record<keyof FailureCallbackInfo, z.ZodType>)
        .exactOptional(),
      failureFunctionState: callbackState().exactOptional(),
      label: z.string().describe('The first of labels').exactOptional(),
      labels: z.array(z.string()).exactOptional(),
      error: z.string().describe('Why an answer did not count, or none came').exactOptional(),
    } satisfies Record<keyof FailedRunObject, z.ZodType>)
    .meta({ id: 'FailedRun' }),
);

const bulkFields = once(
  () =>
    ({
      dlqIds: several,
      workflowUrl: several,
      workflowRunId: several.describe('Ids, or what they begin with'),
      workflowCreatedAt: z.array(z.int()).optional(),
      label: several,
      failureFunctionState: z.array(callbackState()).optional(),
      responseStatus: z.array(z.int()).optional(),
      callerIp: several,
      flowControlKey: several,
      fromDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
      toDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
      count: z.int().min(1).max(100).default(100).optional(),
      cursor: z.string().describe('Of the page before').optional(),
    }) satisfies Record<keyof typeof failedRunFilters, z.ZodType>,
);

const listFields = once(
  () =>
    ({
      ...bulkFields(),
      order: z.enum(['latestFirst', 'earliestFirst']).default('latestFirst').optional(),
      url: several.describe('The same as workflowUrl'),
      source: z.literal('workflow').optional(),
    }) satisfies Record<keyof typeof failedRunListFilters, z.ZodType>,
);

const revivalFields = once(() =>
  z.object({
    ...bulkFields(),
    count: z.int().min(1).max(50).default(50).optional(),
  }),
);

const option = (means: string) => z.string().optional().describe(means);

const overrideFields = once(() => ({
  'Svc-Retries': option('Attempts after the first, of every step'),
  'Svc-Retry-Delay': option('Milliseconds before the next attempt, of `retried`: 1000 * retried'),
  'Svc-Timeout': option('The longest an attempt may take: 30, 2.5s, 1m30s'),
  'Svc-Delay': option('From now to the first delivery: 90, 30s, 1d10h30m'),
  'Svc-Not-Before': option('The first delivery, in Unix seconds; wins over a delay'),
  'Svc-Label': option('Labels instead of the old ones, with commas between them'),
  'Svc-Flow-Control-Key': option('Whose limits the run shares; a value goes with it'),
  'Svc-Flow-Control-Value': option('parallelism=2, rate=3, period=1m'),
  'Svc-Failure-Callback': option('Called when the new run fails'),
}));

const overrides = once(() => z.object(overrideFields()));
const overridesOfOne = once(() =>
  z.object({
    ...overrideFields(),
    'Svc-Workflow-RunId': option('What the new run is called'),
  }),
);

const more = once(() => z.string().describe('Absent when nothing is left').exactOptional());
const reference = once(() =>
  z
    .object({ workflowRunId: z.string(), workflowCreatedAt: milliseconds })
    .meta({ id: 'RunReference' }),
);

const one = (summary: string, description: string) => ({
  summary,
  headers: overridesOfOne,
  answers: { 200: { description, schema: reference } },
});

const many = (summary: string) => ({
  summary,
  query: revivalFields,
  headers: overrides,
  body: { isRequired: false, schema: revivalFields },
  answers: {
    200: {
      description: 'The new runs, at most 50',
      schema: () => z.object({ workflowRuns: z.array(reference()), cursor: more() }),
    },
  },
});

/** The routes of `/v2/workflows/dlq`. */
export const failedRunRoutes = {
  list: {
    summary: 'Workflow runs that failed',
    asOf: true,
    query: () => z.object(listFields()),
    answers: {
      200: {
        description: 'The newest first unless `order` says otherwise',
        schema: () =>
          z.object({ messages: z.array(failedRun()), cursor: more(), damaged: damaged() }),
      },
    },
  },
  show: {
    summary: 'One workflow run that failed',
    asOf: true,
    answers: { 200: { description: 'The run, and its last answer', schema: failedRun } },
  },
  remove: {
    summary: 'Delete a workflow run that failed',
    answers: { 200: { description: 'Deleted', schema: () => z.object({ deleted: z.int() }) } },
  },
  removeMany: {
    summary: 'Delete every failed workflow run that the filters mean',
    query: () => z.object(bulkFields()),
    body: { isRequired: false, schema: () => z.object(bulkFields()) },
    answers: {
      200: {
        description: 'How many were deleted',
        schema: () => z.object({ deleted: z.int(), cursor: more() }),
      },
    },
  },
  resume: {
    ...one('Go on with a workflow run where it failed', 'The new run'),
    body: { isRequired: false, schema: () => resumeSchema },
  },
  restart: one('Begin a workflow run that failed anew', 'The new run'),
  resumeMany: many('Go on with every failed workflow run that the filters mean'),
  restartMany: many('Begin every failed workflow run that the filters mean anew'),
  repeatCallback: {
    summary: 'Call a failure callback again that failed',
    answers: { 200: { description: 'The run that failed', schema: reference } },
  },
  cancelCallback: {
    summary: 'Take a failure callback back that is in progress',
    answers: { 200: { description: 'The run that failed', schema: reference } },
  },
} satisfies Record<string, RouteDescription>;
