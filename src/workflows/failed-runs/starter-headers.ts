/**
 * The headers that a run was started with, as its dead letter shows them: those that mark it as a
 * run, its configuration, and the starter's headers for the endpoint (workflows.md 6.1).
 */
import { formatFlowControlValue } from '../../grammar/flow-control-value.js';
import { dialects } from '../../http/dialect.js';
import { runHeaders } from '../../messaging/outbound/request-head.js';
import type { RunConfiguration, RunTerms } from '../run-state/run.events.js';
import type { FailedRun } from './failed-runs.projection.js';

/** Alternating names and values. */
export function starterHeaders(
  { runId, createdAt }: Pick<FailedRun, 'runId' | 'createdAt'>,
  { dialect, url, headers, terms }: RunConfiguration,
): readonly string[] {
  const { messagePrefix } = dialects[dialect];
  const place = { role: 'step', entry: 0, runId, url, createdAt } as const;
  return [...runHeaders(place, messagePrefix), ...options(terms, messagePrefix), ...headers];
}

/**
 * The configuration as headers. Labels are left out: they are among the headers for the endpoint.
 */
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
