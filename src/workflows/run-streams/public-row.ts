/** What a public token may see of a run: it is made for browsers, which no secret reaches. Pure. */
import type { RunLogRow, StepInfoObject } from '../logs/run-log-row.js';

/**
 * Steps whose result, as it was submitted, has headers of third parties in it, or the URL that ends
 * a wait; that URL is made of the run's id and the event that the wait is for.
 */
const confidentialResults: ReadonlySet<string> = new Set([
  'Call',
  'CreateWebhook',
  'WaitForWebhook',
]);

/**
 * Without headers, labels and addresses, and without the queries of URLs, which hold secrets; nor
 * what third parties are sent, such as the URL of the webhook that they are to call.
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
