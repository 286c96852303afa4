/** What an endpoint's SDK says in the headers of its answers, whatever their prefix. Pure. */
import type { Attempted } from './run-history.js';

/** The step that it names as the one that failed (workflows.md 2.2); null = none. */
export function failedStepName(answer: Attempted | null): string | null {
  return headerOf(answer, '-error-step-name');
}

/** Whether it was called for a failure and has no function for that (workflows.md 4.3). */
export function hasNoFailureFunction(answer: Attempted | null): boolean {
  return headerOf(answer, '-workflow-failure-callback-notfound') === 'true';
}

/** The first header whose name ends so, in lower case; null = there is none. */
function headerOf(answer: Attempted | null, ending: string): string | null {
  const headers = answer?.event.headers ?? [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index]?.toLowerCase().endsWith(ending)) return headers[index + 1] ?? null;
  }
  return null;
}
