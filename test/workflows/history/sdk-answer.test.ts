import type { Attempted } from '../../../src/workflows/history/run-history.js';
import { failedStepName, hasNoFailureFunction } from '../../../src/workflows/history/sdk-answer.js';
import { envelope } from '../../support/envelope.js';

const answer = (...headers: string[]): Attempted =>
  envelope({
    type: 'AttemptFailed',
    attempt: 0,
    startedAt: 0,
    durationMs: 1,
    status: 500,
    headers,
    error: null,
    retryAt: 0,
  });

describe('an answer of an SDK', () => {
  it.each(['Upstash-Error-Step-Name', 'svc-error-step-name'])(
    'names the step that failed, as %s',
    (name) => {
      expect(failedStepName(answer('content-type', 'text/plain', name, 'pay'))).toBe('pay');
    },
  );

  it('names no step if the header is absent, or if there was no answer', () => {
    expect(failedStepName(answer('x-error-step', 'pay'))).toBeNull();
    expect(failedStepName(answer())).toBeNull();
    expect(failedStepName(null)).toBeNull();
  });

  it('does not mistake a value for a name', () => {
    expect(failedStepName(answer('x-about', 'upstash-error-step-name', 'x', 'y'))).toBeNull();
  });

  it.each<[string, string[], boolean]>([
    ['says so', ['Upstash-Workflow-Failure-Callback-Notfound', 'true'], true],
    ['says so in other words', ['svc-workflow-failure-callback-notfound', 'true'], true],
    ['says the contrary', ['Svc-Workflow-Failure-Callback-Notfound', 'false'], false],
    ['says nothing', ['Svc-Workflow-Failure-Callback', 'true'], false],
  ])('reports a missing failure function if it %s', (_, headers, isNone) => {
    expect(hasNoFailureFunction(answer(...headers))).toBe(isNone);
  });
});
