/**
 * What the bearer of a public token may see of a run. Such tokens are for browsers, which must
 * receive no secrets. Pure.
 */
import type { RunLogRow, StepInfoObject } from '../logs/run-log-row.js';
import { callStepType, callWaitStepType, webhookStepType } from '../run-state/known-steps.js';

/**
 * Steps whose submitted result contains headers of third parties, or the URL that ends a wait; that
 * URL consists of the run's id and the awaited event.
 */
const confidentialResults: ReadonlySet<string> = new Set([
  callStepType,
  webhookStepType,
  callWaitStepType,
]);

/**
 * Removes headers, labels, addresses, and the queries of URLs, which may contain secrets. Also
 * removes what is sent to third parties, such as the URL of a webhook that they should call.
 */
export function publicRow(row: RunLogRow): RunLogRow {
  const { headers: _h, responseHeaders: _r, label: _l, labels: _ls, stepInfo, ...shown } = row;
  const { invokerWorkflowRunUrl: invokerUrl } = row;
  return {
    ...shown,
    workflowUrl: withoutQuery(row.workflowUrl),
    callerIp: '',
    ...(invokerUrl !== undefined && { invokerWorkflowRunUrl: withoutQuery(invokerUrl) }),
    ...(stepInfo !== undefined && { stepInfo: publicStep(stepInfo) }),
  };
}

function publicStep(step: StepInfoObject): StepInfoObject {
  const {
    callHeaders: _c,
    callBody: _b,
    callResponseHeaders: _cr,
    invokedWorkflowRunHeaders: _i,
    out,
    waitEventId,
    callUrl,
    invokedWorkflowUrl,
    ...shown
  } = step;
  const isConfidential = confidentialResults.has(step.stepType);
  return {
    ...shown,
    ...(out !== undefined && !isConfidential && { out }),
    ...(waitEventId !== undefined && !isConfidential && { waitEventId }),
    ...(callUrl !== undefined && { callUrl: withoutQuery(callUrl) }),
    ...(invokedWorkflowUrl !== undefined && {
      invokedWorkflowUrl: withoutQuery(invokedWorkflowUrl),
    }),
  };
}

/** Origin and path of a URL: no user, password, query or fragment. */
function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
