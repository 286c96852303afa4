import type { MessageEvent, MessagePublished } from '../../src/messages/message.events.js';
import { evolveMessage, initialMessage, isFinalMessage } from '../../src/messages/message.state.js';
import { callbackOptions, messageOptions } from '../support/message-options.js';

const callback = callbackOptions();
const record = { attempt: 0, startedAt: 1, durationMs: 1, status: 500, headers: [], error: null };

const stateAfter = (published: Partial<MessagePublished>, ...events: MessageEvent[]) => {
  const first: MessageEvent = { ...messageOptions(), ...published, type: 'MessagePublished' };
  return [first, ...events].reduce(
    (state, event, index) => evolveMessage(state, event, { offset: 20 + index }),
    initialMessage(),
  );
};

describe('what a message remembers for those who are called back', () => {
  const who = { callback, dialect: 'upstash', callerIp: '10.0.0.1', bodyBytes: 5 } as const;
  const followUps = { ...who, failureCallback: null, publishedOffset: 20 };

  it('is nothing where nobody is', () => {
    expect(stateAfter({})).toMatchObject({ status: 'pending', followUps: null });
  });

  it('is where it was published, and in whose words', () => {
    expect(stateAfter(who)).toMatchObject({ followUps });
  });

  it.each([
    ['delivered', { type: 'MessageDelivered', ...record }],
    ['failed', { type: 'MessageFailed', ...record, cause: 'exhausted' }],
    ['canceled', { type: 'MessageCanceled' }],
  ] as const)('outlives its end: %s', (status, event) => {
    const state = stateAfter(who, event);
    expect(state).toEqual({ status, followUps });
    expect(isFinalMessage(state)).toBe(true);
  });

  it('outlives a failed attempt', () => {
    const retried = { type: 'AttemptFailed', ...record, retryAt: 9 } as const;
    expect(stateAfter(who, retried)).toMatchObject({ attempts: 1, notBefore: 9, followUps });
  });
});

describe('where a message waits', () => {
  it('is told by its queue, its flow-control key and the origin of its destination', () => {
    const flowControl = { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 };
    expect(
      stateAfter({ url: 'http://example.com:8080/a?b', queueName: 'q', flowControl }),
    ).toMatchObject({ queueName: 'q', flowControlKey: 'k', origin: 'http://example.com:8080' });
    expect(stateAfter({})).toMatchObject({ queueName: null, flowControlKey: null });
  });

  it('says nothing once it has ended without anybody to call', () => {
    expect(stateAfter({}, { type: 'MessageCanceled' })).toEqual({
      status: 'canceled',
      followUps: null,
    });
  });
});
