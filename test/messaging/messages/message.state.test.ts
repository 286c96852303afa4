import type {
  MessageEvent,
  MessagePublished,
} from '../../../src/messaging/messages/message.events.js';
import {
  evolveMessage,
  initialMessage,
  isFinalMessage,
} from '../../../src/messaging/messages/message.state.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';

const callback = callbackOptions();
const record = { attempt: 0, startedAt: 1, durationMs: 1, status: 500, headers: [], error: null };

const stateAfter = (published: Partial<MessagePublished>, ...events: MessageEvent[]) => {
  const first: MessageEvent = { ...messageOptions(), ...published, type: 'MessagePublished' };
  return [first, ...events].reduce(
    (state, event, index) => evolveMessage(state, event, { offset: 20 + index }),
    initialMessage(),
  );
};

describe('what a message remembers for its callbacks', () => {
  const who = { callback, dialect: 'upstash', callerIp: '10.0.0.1', bodyBytes: 5 } as const;
  const followUps = { ...who, failureCallback: null, publishedOffset: 20, run: null };

  it('is nothing if it has none', () => {
    expect(stateAfter({})).toMatchObject({ status: 'pending', followUps: null });
  });

  it('is its journal offset and its dialect', () => {
    expect(stateAfter(who)).toMatchObject({ followUps });
  });

  it.each([
    ['delivered', { type: 'MessageDelivered', ...record }],
    ['failed', { type: 'MessageFailed', ...record, cause: 'exhausted' }],
    ['canceled', { type: 'MessageCanceled' }],
  ] as const)('is kept after its end: %s', (status, event) => {
    const state = stateAfter(who, event);
    expect(state).toEqual({ status, followUps, run: null });
    expect(isFinalMessage(state)).toBe(true);
  });

  it('is kept after a failed attempt', () => {
    const retried = { type: 'AttemptFailed', ...record, retryAt: 9 } as const;
    expect(stateAfter(who, retried)).toMatchObject({ attempts: 1, notBefore: 9, followUps });
  });
});

describe('how a message is delivered', () => {
  const delivery = (published: Partial<MessagePublished>) => {
    const state = stateAfter(published);
    if (state.status !== 'pending') throw new Error(`it is ${state.status}`);
    return state.delivery;
  };
  const flowControl = { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 };

  it('holds its queue, flow-control key, origin and retries', () => {
    const url = 'http://example.com:8080/a?b';
    const retries = { maxRetries: 7, retryDelay: '1000 * retried' };
    expect(delivery({ url, queueName: 'q', flowControl, ...retries })).toEqual({
      origin: 'http://example.com:8080',
      queueName: 'q',
      flowControlKey: 'k',
      ...retries,
    });
    expect(delivery({})).toMatchObject({ queueName: null, flowControlKey: null });
  });

  it('is one object for all messages that are delivered alike', () => {
    const first = delivery({ url: 'https://example.com/a', queueName: 'q' });
    const second = delivery({ url: 'https://example.com/b', queueName: 'q' });
    expect(second).toBe(first);
  });

  it.each<[string, Partial<MessagePublished>]>([
    ['origin', { url: 'https://other.example.com/' }],
    ['queue', { queueName: 'other' }],
    ['flow-control key', { flowControl: { ...flowControl, key: 'other' } }],
    ['number of retries', { maxRetries: 4 }],
    ['retry delay', { retryDelay: '5' }],
  ])('is a separate object for another %s, whatever was published before', (_what, changes) => {
    const usual = { url: 'https://example.com/', queueName: 'q', flowControl, maxRetries: 3 };
    const before = delivery(usual);
    const other = delivery({ ...usual, ...changes });
    expect(other).not.toEqual(before);
    expect(delivery(usual)).toEqual(before);
    expect(delivery({ ...usual, ...changes })).toEqual(other);
  });
});

describe('a message that has ended', () => {
  it('remembers nothing if it has no callback', () => {
    expect(stateAfter({}, { type: 'MessageCanceled' })).toEqual({
      status: 'canceled',
      followUps: null,
      run: null,
    });
  });
});
