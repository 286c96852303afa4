/** The objects that show waiting runs (workflows.md 3.4). */
import { z } from 'zod';
import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import { dialects } from '../../http/dialect.js';
import { headerMapSchema } from '../../messaging/messages/message-schema.js';
import { redactedHeaders } from '../../messaging/messages/redaction.js';
import { protocolVersion } from '../../messaging/outbound/request-head.js';
import { endedWaitBody } from '../deliveries/entry-body.js';
import type { OpenWait, RunConfiguration } from '../run-state/run.events.js';

/** A run that waits. */
export const waiterSchema = z.object({
  url: z.string().describe('The endpoint of the run'),
  headers: headerMapSchema.describe('The id and the URL of the run, and the headers of its user'),
  deadline: z.int().describe('Unix seconds'),
  timeoutUrl: z.string().describe('Where the timeout is delivered: the endpoint of the run'),
  timeoutBody: z.string().describe('The step that is delivered at the timeout, Base64'),
  timeoutHeaders: headerMapSchema.describe('Headers of that delivery'),
});

/** What `waiterSchema` describes. */
export type WaiterObject = z.output<typeof waiterSchema>;

/** The answer of a notification for each wait that it addressed. */
export const notifyItemSchema = z.object({
  waiter: waiterSchema,
  messageId: z.string().describe('What delivers the event to the run').exactOptional(),
  workflowRunId: z.string(),
  workflowCreatedAt: z.int().describe('Unix milliseconds'),
  error: z.string().describe('Why the run still waits').exactOptional(),
});

/** What `notifyItemSchema` describes; `error` and `messageId` exclude each other. */
export type NotifyItem = z.output<typeof notifyItemSchema>;

/**
 * Shows a waiting run. The wait's `deadline` is given in Unix milliseconds. Headers of the user are
 * redacted as the run requests.
 */
export function waiterObject(
  runId: string,
  { step, eventId, deadline }: Omit<OpenWait, 'offset'>,
  { dialect, url, headers, terms }: RunConfiguration,
): WaiterObject {
  const { messagePrefix } = dialects[dialect];
  const own = [
    `${messagePrefix}Workflow-RunId`,
    runId,
    `${messagePrefix}Workflow-Url`,
    url,
    `${messagePrefix}Workflow-Sdk-Version`,
    protocolVersion,
  ];
  const shown: HeaderMap = {
    ...redactedHeaders(headerMap(null, headers), terms.redaction),
    ...headerMap(null, own),
  };
  const timedOut = endedWaitBody({ step, eventId, isTimeout: true }, null);
  return {
    url,
    headers: shown,
    deadline: Math.floor(deadline / 1000),
    timeoutUrl: url,
    timeoutBody: timedOut.toString('base64'),
    timeoutHeaders: { ...shown, 'Content-Type': ['application/json'] },
  };
}
