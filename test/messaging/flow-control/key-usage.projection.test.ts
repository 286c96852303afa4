import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { KeyUsage } from '../../../src/messaging/flow-control/key-usage.projection.js';
import type { MessageEvent } from '../../../src/messaging/messages/message.events.js';
import { messageOptions } from '../../support/message-options.js';

const attempt = {
  attempt: 0,
  startedAt: 0,
  durationMs: 1,
  status: 500,
  headers: [],
  error: null,
};
const publishedUnder = (key: string): MessageEvent => ({
  type: 'MessagePublished',
  ...messageOptions({ flowControl: { key, parallelism: 1, rate: null, periodSeconds: 1 } }),
});

function remember(
  usage: KeyUsage,
  changes: TurnChanges,
  id: string,
  event: MessageEvent,
): KeyUsage {
  usage.evolve(
    {
      kind: 'message',
      id,
      sequence: 0,
      at: 0,
      offset: 0,
      previous: -1,
      by: null,
      event,
      body: null,
      byteLength: 0,
    },
    changes,
  );
  return usage;
}

describe('the messages that name a key', () => {
  const changes = new TurnChanges(false);
  let usage: KeyUsage;

  beforeEach(() => {
    usage = new KeyUsage();
    remember(usage, changes, 'msg_1', publishedUnder('a'));
    remember(usage, changes, 'msg_2', publishedUnder('a'));
    remember(usage, changes, 'msg_3', publishedUnder('b'));
    remember(usage, changes, 'msg_4', { type: 'MessagePublished', ...messageOptions() } as never);
  });

  it('are counted for each key', () => {
    expect([usage.pendingOf('a'), usage.pendingOf('b'), usage.pendingOf('c')]).toEqual([2, 1, 0]);
  });

  it('still count while they are retried', () => {
    remember(usage, changes, 'msg_3', { type: 'AttemptFailed', ...attempt, retryAt: 9 } as never);
    expect(usage.pendingOf('b')).toBe(1);
  });

  it.each(['MessageDelivered', 'MessageFailed', 'MessageCanceled'])(
    'no longer count after %s',
    (type) => {
      remember(usage, changes, 'msg_1', { type, ...attempt } as never);
      remember(usage, changes, 'msg_4', { type, ...attempt } as never);
      expect(usage.pendingOf('a')).toBe(1);
      remember(usage, changes, 'msg_2', { type, ...attempt } as never);
      remember(usage, changes, 'msg_3', { type, ...attempt } as never);
      expect(usage).toEqual(new KeyUsage());
    },
  );

  it('are counted as before when their turn is rolled back', () => {
    const turn = new TurnChanges();
    remember(usage, turn, 'msg_5', publishedUnder('c'));
    remember(usage, turn, 'msg_3', { type: 'MessageCanceled' });
    turn.revert();
    expect([usage.pendingOf('b'), usage.pendingOf('c')]).toEqual([1, 0]);
  });
});
