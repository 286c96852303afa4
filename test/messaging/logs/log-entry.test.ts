import { entriesOf } from '../../../src/messaging/logs/log-entry.js';
import type {
  AttemptRecord,
  MessageEvent,
} from '../../../src/messaging/messages/message.events.js';
import { messageOptions } from '../../support/message-options.js';

const record: AttemptRecord = {
  attempt: 0,
  startedAt: 900,
  durationMs: 50,
  status: 500,
  headers: [],
  error: null,
};

const entries = (event: MessageEvent) =>
  entriesOf({ event, at: 1000 }).map(({ state, time, nextDeliveryTime, attempt, end }) => ({
    state,
    time,
    ...(attempt !== undefined && { attempt }),
    ...(nextDeliveryTime !== null && { nextDeliveryTime }),
    ...(end !== null && { status: end.status }),
  }));

describe('the entries of an event', () => {
  it('are one for a publish, with its delivery time', () => {
    const event: MessageEvent = {
      type: 'MessagePublished',
      ...messageOptions({ notBefore: 7000 }),
    };
    expect(entries(event)).toEqual([{ state: 'CREATED', time: 1000, nextDeliveryTime: 7000 }]);
  });

  it('are two for a delivery: the attempt began and the message arrived', () => {
    expect(entries({ type: 'MessageDelivered', ...record, attempt: 1, status: 200 })).toEqual([
      { state: 'ACTIVE', time: 900, nextDeliveryTime: 900, attempt: 2 },
      { state: 'DELIVERED', time: 1000, nextDeliveryTime: 900, attempt: 2, status: 200 },
    ]);
  });

  it('are three for a failed attempt that will be retried', () => {
    expect(entries({ type: 'AttemptFailed', ...record, retryAt: 5000 })).toEqual([
      { state: 'ACTIVE', time: 900, nextDeliveryTime: 900, attempt: 1 },
      { state: 'ERROR', time: 1000, nextDeliveryTime: 5000, attempt: 1, status: 500 },
      { state: 'RETRY', time: 1000, nextDeliveryTime: 5000, attempt: 1 },
    ]);
  });

  it('are three for a failed last attempt', () => {
    expect(entries({ type: 'MessageFailed', ...record, cause: 'exhausted' })).toEqual([
      { state: 'ACTIVE', time: 900, nextDeliveryTime: 900, attempt: 1 },
      { state: 'ERROR', time: 1000, nextDeliveryTime: 900, attempt: 1, status: 500 },
      { state: 'FAILED', time: 1000, nextDeliveryTime: 900, attempt: 1, status: 500 },
    ]);
  });

  it('are two for a canceled message', () => {
    expect(entries({ type: 'MessageCanceled' })).toEqual([
      { state: 'CANCEL_REQUESTED', time: 1000 },
      { state: 'CANCELED', time: 1000 },
    ]);
  });

  it('begin with the attempt that was in flight when the message ended', () => {
    const underWay = { attempt: 1, startedAt: 900 };
    const began = { state: 'ACTIVE', time: 900, nextDeliveryTime: 900, attempt: 2 };
    expect(entries({ type: 'MessageCanceled', underWay })).toEqual([
      began,
      { state: 'CANCEL_REQUESTED', time: 1000, nextDeliveryTime: 900 },
      { state: 'CANCELED', time: 1000, nextDeliveryTime: 900 },
    ]);
    expect(entries({ type: 'MessageCompleted', underWay })).toEqual([
      began,
      { state: 'DELIVERED', time: 1000, nextDeliveryTime: 900 },
    ]);
  });
});
