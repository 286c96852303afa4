/**
 * The headers that a run was started with, as its dead letter shows them: what says that it is one,
 * its configuration, and what its starter gave its endpoint (workflows.md 6.1).
 */
import { formatFlowControlValue } from '../../grammar/flow-control-value.js';
import { dialects } from '../../http/dialect.js';
import { runHeaders } from '../../messaging/outbound/request-head.js';
import type { RunConfiguration, RunTerms } from '../run-state/run.events.js';
import type { FailedRun } from './failed-runs.projection.js';

/** Names and values in turn. */
export function starterHeaders(
  { runId, createdAt }: Pick<FailedRun, 'runId' | 'createdAt'>,
  { dialect, url, headers, terms }: RunConfiguration,
): readonly string[] {
  const { messagePrefix } = dialects[dialect];
  const place = { role: 'step', entry: 0, runId, url, createdAt } as const;
  return [...runHeaders(place, messagePrefix), ...options(terms, messagePrefix), ...headers];
}

/** Labels are not among them: they stand among the headers for the endpoint. */
function options(
  { maxRetries, retryDelay, timeoutMs, flowControl, failureCallback }: RunTerms,
  prefix: string,
): readonly string[] {
  const options = [`${prefix}Retries`, String(maxRetries)];
  if (retryDelay !== null) options.push(`${prefix}Retry-Delay`, retryDelay);
  if (timeoutMs !== null) options.push(`${prefix}Timeout`, `${timeoutMs / 1000}s`);
  if (flowControl !== null) {
    options.push(`${prefix}Flow-Control-Key`, flowControl.key);
    options.push(`${prefix}Flow-Control-Value`, formatFlowControlValue(flowControl));
  }
  if (failureCallback !== null) options.push(`${prefix}Failure-Callback`, failureCallback.url);
  return options;
}
