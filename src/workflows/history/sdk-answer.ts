/** Reads what an endpoint's SDK reports in headers of its answers, whatever their prefix. Pure. */
import type { Attempted } from './run-history.js';

/** The step that the SDK names as the failed one (workflows.md 2.2); null = none. */
export function failedStepName(answer: Attempted | null): string | null {
  return headerOf(answer, '-error-step-name');
}

/** Whether the SDK was called for a failure but has no failure function (workflows.md 4.3). */
export function hasNoFailureFunction(answer: Attempted | null): boolean {
  return headerOf(answer, '-workflow-failure-callback-notfound') === 'true';
}

/** The value of the first header whose name has this ending, ignoring case; null = none. */
function headerOf(answer: Attempted | null, ending: string): string | null {
  const headers = answer?.event.headers ?? [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index]?.toLowerCase().endsWith(ending)) return headers[index + 1] ?? null;
  }
  return null;
}
