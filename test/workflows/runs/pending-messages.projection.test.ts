import { TurnChanges } from '../../../src/engine/turn-changes.js';
import type { MessageEvent, RunPlace } from '../../../src/messaging/messages/message.events.js';
import {
  evolveMessage,
  initialMessage,
  type MessageState,
} from '../../../src/messaging/messages/message.state.js';
import { PendingRunMessages } from '../../../src/workflows/runs/pending-messages.projection.js';
import { envelope } from '../../support/envelope.js';
import { messageOptions } from '../../support/message-options.js';
import { runPlace } from '../../support/workflows/run-place.js';

/** The state of each message after its events. */
let states: Map<string, MessageState>;
let pending: PendingRunMessages;

beforeEach(() => {
  states = new Map();
  pending = new PendingRunMessages();
});

const happen = (id: string, event: MessageEvent, changes = new TurnChanges()) => {
  const before = states.get(id) ?? initialMessage();
  const happened = envelope(event, { id });
  pending.evolve(happened, changes, before);
  states.set(id, evolveMessage(before, event, happened));
};
const publish = (id: string, run: RunPlace | null = runPlace(), changes?: TurnChanges) =>
  happen(id, { type: 'MessagePublished', ...messageOptions({ run }) }, changes);
const canceled: MessageEvent = { type: 'MessageCanceled' };
const attempt = { attempt: 0, startedAt: 0, durationMs: 1, status: 500, headers: [], error: null };

describe('the messages of a run that are not final', () => {
  it('are known in the order in which they were published', () => {
    for (const id of ['msg_3', 'msg_1', 'msg_2']) publish(id);
    publish('msg_other', runPlace({ runId: 'wfr_2' }));
    expect(pending.of('wfr_1')).toEqual(['msg_3', 'msg_1', 'msg_2']);
    expect(pending.of('wfr_2')).toEqual(['msg_other']);
    expect([pending.of('wfr_3'), pending.has('wfr_3')]).toEqual([[], false]);
  });

  it('are removed one by one, however they end, until the run has none', () => {
    const ends: MessageEvent[] = [
      canceled,
      { type: 'MessageCompleted' },
      { type: 'MessageDelivered', ...attempt },
      { type: 'MessageFailed', ...attempt, cause: 'exhausted' },
    ];
    for (const index of ends.keys()) publish(`msg_${index}`);
    for (const [index, end] of ends.entries()) {
      expect(pending.of('wfr_1')).toHaveLength(ends.length - index);
      happen(`msg_${index}`, end);
    }
    expect([pending.of('wfr_1'), pending.has('wfr_1')]).toEqual([[], false]);
  });

  it('are known when another message of the run ends', () => {
    for (const id of ['msg_1', 'msg_2']) publish(id);
    publish('msg_3', null);
    const left = ['msg_1', 'msg_3', 'msg_2'].map((id) => {
      happen(id, canceled);
      return pending.hasOthers(states.get(id) ?? initialMessage());
    });
    expect(left).toEqual([true, false, false]);
  });

  it('stay while they are retried', () => {
    publish('msg_1');
    happen('msg_1', { type: 'AttemptFailed', ...attempt, retryAt: 9 });
    expect(pending.of('wfr_1')).toEqual(['msg_1']);
  });

  it('include neither messages without a run nor failure callbacks', () => {
    publish('msg_1', null);
    publish('msg_2', runPlace({ role: 'failureCallback' }));
    expect(pending.has('wfr_1')).toBe(false);
    publish('msg_3');
    happen('msg_2', canceled);
    expect(pending.of('wfr_1')).toEqual(['msg_3']);
  });

  it.each([1, 2, 3])('are as before when the turn is rolled back: %i', (count) => {
    const ids = Array.from({ length: count }, (_, index) => `msg_${index}`);
    for (const id of ids) publish(id);
    const changes = new TurnChanges();
    happen('msg_0', canceled, changes);
    publish('msg_new', runPlace(), changes);
    expect(pending.of('wfr_1')).toEqual([...ids.slice(1), 'msg_new']);
    changes.revert();
    expect([...pending.of('wfr_1')].sort()).toEqual(ids);
  });
});
