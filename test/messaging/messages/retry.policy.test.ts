import fc from 'fast-check';
import {
  defaultBackoffMs,
  forbidsRetry,
  retryDelayMs,
} from '../../../src/messaging/messages/retry.policy.js';

const now = Date.UTC(2026, 0, 15, 12, 0, 0);
const prefixes = ['svc-', 'upstash-'];

describe('the default backoff', () => {
  it('follows the published table', () => {
    const seconds = [1, 2, 3, 4, 5, 6].map((retry) => defaultBackoffMs(retry) / 1000);
    expect(seconds).toEqual([12, 148, 1808, 22_026, 86_400, 86_400]);
  });

  it('is at most a day for any number of retries', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 1_000_000 }), (retry) => {
        expect(defaultBackoffMs(retry)).toBe(86_400_000);
      }),
    );
  });
});

describe('the delay before a retry', () => {
  it('is the wait that the destination asks for, whatever the message says', () => {
    expect(retryDelayMs('1000', { attempt: 0, headers: ['Retry-After', '5'] }, now)).toBe(5000);
    expect(retryDelayMs('1000', { attempt: 0, headers: ['Retry-After', '0'] }, now)).toBe(0);
  });

  it('is the expression if the destination asks for no valid wait', () => {
    expect(retryDelayMs('1000 * (1 + retried)', { attempt: 0, headers: [] }, now)).toBe(1000);
    expect(retryDelayMs('1000 * (1 + retried)', { attempt: 2, headers: [] }, now)).toBe(3000);
    for (const value of ['315360000', '-5', 'later']) {
      expect(retryDelayMs('1000', { attempt: 0, headers: ['Retry-After', value] }, now)).toBe(1000);
    }
  });

  it('is the default backoff if there is no expression with a finite value', () => {
    expect(retryDelayMs('1 / retried', { attempt: 0, headers: [] }, now)).toBe(12_000);
    expect(retryDelayMs(null, { attempt: 1, headers: [] }, now)).toBe(148_000);
  });
});

describe('a response that forbids a retry', () => {
  it('is 489 with the header of either dialect', () => {
    expect(forbidsRetry(489, ['Svc-NonRetryable-Error', 'true'], prefixes)).toBe(true);
    expect(forbidsRetry(489, ['x', 'y', 'upstash-nonretryable-error', 'True'], prefixes)).toBe(
      true,
    );
  });

  it('is neither 489 alone nor the header alone', () => {
    expect(forbidsRetry(489, [], prefixes)).toBe(false);
    expect(forbidsRetry(489, ['Svc-NonRetryable-Error', 'false'], prefixes)).toBe(false);
    expect(forbidsRetry(500, ['Svc-NonRetryable-Error', 'true'], prefixes)).toBe(false);
  });
});
