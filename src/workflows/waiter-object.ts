/** Runs that wait, as they are shown (spec: Waiter, Notify result item). */
import { z } from 'zod';
import { dialects } from '../http/dialect.js';
import { type HeaderMap, headerMap } from '../messages/message-object.js';
import { headerMapSchema } from '../messages/message-schema.js';
import { redactedHeaders } from '../messages/redaction.js';
import type { RunConfiguration } from './run.events.js';

export const waiterSchema = z.object({
  url: z.string().describe('The endpoint of the run'),
  headers: headerMapSchema.describe('The id and the URL of the run, and the headers of its user'),
  deadline: z.int().describe('Unix seconds'),
});

export type WaiterObject = z.output<typeof waiterSchema>;

export const notifyItemSchema = z.object({
  waiter: waiterSchema,
  messageId: z.string().describe('What delivers the event to the run').exactOptional(),
  workflowRunId: z.string(),
  workflowCreatedAt: z.int().describe('Unix milliseconds'),
  error: z.string().describe('Why it waits on').exactOptional(),
});

export type NotifyItem = z.output<typeof notifyItemSchema>;

/** `deadline` in Unix milliseconds. Headers of the user are hidden as the run says. */
export function waiterObject(
  runId: string,
  deadline: number,
  { dialect, url, headers, terms }: RunConfiguration,
): WaiterObject {
  const { messagePrefix } = dialects[dialect];
  const own = [`${messagePrefix}Workflow-RunId`, runId, `${messagePrefix}Workflow-Url`, url];
  const shown: HeaderMap = {
    ...redactedHeaders(headerMap(null, headers), terms.redaction),
    ...headerMap(null, own),
  };
  return { url, headers: shown, deadline: Math.floor(deadline / 1000) };
}
