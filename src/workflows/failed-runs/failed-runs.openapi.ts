/** The OpenAPI descriptions of the routes of failed runs (workflows.md 6). */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import { damagedSchema as damaged } from '../../http/damaged.openapi.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import {
  headerMapSchema,
  milliseconds,
  searchedToSchema,
  several,
} from '../../messaging/messages/message-schema.js';
import { callbackStates } from '../run-state/callback-state.js';
import type { FailedRunObject, FailureCallbackInfo } from './failed-run-object.js';
import type { failedRunFilters, failedRunListFilters } from './failed-runs.request.js';
import { resumeSchema } from './step-edits.request.js';

const callbackState = once(() => z.enum(callbackStates));

const failedRun = once(() =>
  z
    .object({
      messageId: z.string().describe('Id of the message that made the run fail'),
      dlqId: z.string(),
      url: z.string(),
      method: z.string(),
      header: headerMapSchema,
      body: z.string().describe('The payload').exactOptional(),
      bodyBase64: z
        .string()
        .describe('Instead of body, if the payload is not UTF-8')
        .exactOptional(),
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
          responseBodyBase64: z.string().exactOptional(),
          responseHeaders: headerMapSchema.exactOptional(),
        } satisfies Record<keyof FailureCallbackInfo, z.ZodType>)
        .exactOptional(),
      failureFunctionState: callbackState().exactOptional(),
      label: z.string().describe('The first of labels').exactOptional(),
      labels: z.array(z.string()).exactOptional(),
      error: z
        .string()
        .describe('Why the response was not accepted, or why there was none')
        .exactOptional(),
    } satisfies Record<keyof FailedRunObject, z.ZodType>)
    .meta({ id: 'FailedRun' }),
);

const bulkFields = once(
  () =>
    ({
      dlqIds: several,
      workflowUrl: several,
      workflowRunId: several.describe('Ids of runs, or prefixes of ids'),
      workflowCreatedAt: z.array(z.int()).optional(),
      label: several,
      failureFunctionState: z.array(callbackState()).optional(),
      responseStatus: z.array(z.int()).optional(),
      callerIp: several,
      flowControlKey: several,
      fromDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
      toDate: milliseconds.describe('Unix milliseconds, inclusive').optional(),
      count: z.int().min(1).max(100).default(100).optional(),
      cursor: z.string().describe('The cursor of the previous page').optional(),
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
  'Svc-Retries': option('Maximum number of attempts of each step after the first one'),
  'Svc-Retry-Delay': option(
    'Expression for the milliseconds before the next attempt; may use `retried`: 1000 * retried',
  ),
  'Svc-Timeout': option('Timeout of each attempt: 30, 2.5s, 1m30s'),
  'Svc-Delay': option('Delay before the first delivery: 90, 30s, 1d10h30m'),
  'Svc-Not-Before': option('Earliest time of the first delivery, Unix seconds; overrides a delay'),
  'Svc-Label': option('Labels that replace the old ones, comma separated'),
  'Svc-Flow-Control-Key': option(
    'Flow-control key whose limits apply to the run; requires a value',
  ),
  'Svc-Flow-Control-Value': option('parallelism=2, rate=3, period=1m'),
  'Svc-Failure-Callback': option('A URL to call if the new run fails'),
}));

const overrides = once(() => z.object(overrideFields()));
const overridesOfOne = once(() =>
  z.object({
    ...overrideFields(),
    'Svc-Workflow-RunId': option('The id of the new run'),
  }),
);

const more = once(() => z.string().describe('Absent when no more runs match').exactOptional());
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
    summary: 'List the workflow runs that failed',
    asOf: true,
    query: () => z.object(listFields()),
    answers: {
      200: {
        description: 'The runs, newest first unless `order` says otherwise',
        schema: () =>
          z.object({
            messages: z.array(failedRun()),
            searchedTo: searchedToSchema,
            damaged: damaged(),
            cursor: more(),
          }),
      },
    },
  },
  show: {
    summary: 'Get a failed workflow run',
    asOf: true,
    answers: { 200: { description: 'The run, with its last response', schema: failedRun } },
  },
  remove: {
    summary: 'Delete a failed workflow run',
    answers: { 200: { description: 'Deleted', schema: () => z.object({ deleted: z.int() }) } },
  },
  removeMany: {
    summary: 'Delete every failed workflow run that matches the filters',
    query: () => z.object(bulkFields()),
    body: { isRequired: false, schema: () => z.object(bulkFields()) },
    answers: {
      200: {
        description: 'How many runs were deleted',
        schema: () => z.object({ deleted: z.int(), cursor: more() }),
      },
    },
  },
  resume: {
    ...one('Resume a failed workflow run where it failed', 'The new run'),
    body: { isRequired: false, schema: () => resumeSchema },
  },
  restart: one('Restart a failed workflow run from its beginning', 'The new run'),
  resumeMany: many('Resume every failed workflow run that matches the filters'),
  restartMany: many('Restart every failed workflow run that matches the filters'),
  repeatCallback: {
    summary: 'Retry a failed failure callback',
    answers: { 200: { description: 'The run that failed', schema: reference } },
  },
  cancelCallback: {
    summary: 'Cancel a failure callback that is in progress',
    answers: { 200: { description: 'The run that failed', schema: reference } },
  },
} satisfies Record<string, RouteDescription>;
