import {
  capturedBytesMax,
  storedBytesMax,
} from '../../../src/messaging/delivery/delivery-attempts.js';
import type { CallbackOptions, RunPlace } from '../../../src/messaging/messages/message.events.js';
import type { AttemptMeaning } from '../../../src/messaging/messages/retry.policy.js';

const limits = { lastBytesMax: 1_000_000, callBytesMax: 9_000_000 };
const shown = 64 * 1024;

const callback = { url: 'https://example.com' } as CallbackOptions;
const place = (role: RunPlace['role']) => ({ role }) as RunPlace;
const plain = { callback: null, failureCallback: null, run: null };

/**
 * For a kind of message: how much is stored of an answer that delivers it, is followed by a retry,
 * or fails it.
 */
const table: readonly [string, Parameters<typeof storedBytesMax>[0], readonly number[]][] = [
  ['without a callback', plain, [shown, shown, shown]],
  ['with a callback', { ...plain, callback }, [1_000_000, shown, 1_000_000]],
  ['with a failure callback', { ...plain, failureCallback: callback }, [shown, shown, 1_000_000]],
  ['that is a step', { ...plain, run: place('step') }, [shown, shown, 1_000_000]],
  [
    "that brings a call's result",
    { ...plain, run: place('callResult') },
    [shown, shown, 1_000_000],
  ],
  ['that is a call', { ...plain, callback, run: place('call') }, [9_000_000, shown, 9_000_000]],
  [
    'that tells of a failed run',
    { ...plain, run: place('failureCallback') },
    [shown, shown, shown],
  ],
];

const meanings: readonly AttemptMeaning[] = ['delivered', 'retried', 'failed'];

describe.each(table)('an answer to a message %s', (_what, message, bytes) => {
  it('is stored up to the limit for its outcome', () => {
    expect(meanings.map((each) => storedBytesMax(message, each, limits))).toEqual(bytes);
  });

  it('is captured up to the most that may be stored', () => {
    expect(capturedBytesMax(message, limits)).toBe(Math.max(...bytes));
  });

  it('is never stored beyond the limit', () => {
    const tight = { lastBytesMax: 1024, callBytesMax: 1024 };
    for (const each of meanings) expect(storedBytesMax(message, each, tight)).toBe(1024);
  });
});
