import type { MessageEvent } from '../../../src/messaging/messages/message.events.js';
import type { MessageState, RunMembership } from '../../../src/messaging/messages/message.state.js';
import { messageEndedFor } from '../../../src/workflows/runs/run-end.policy.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';

const record = {
  attempt: 0,
  startedAt: epochMs,
  durationMs: 1,
  status: 200,
  headers: [],
  error: null,
};
const delivered: MessageEvent = { type: 'MessageDelivered', ...record };
const failed: MessageEvent = { type: 'MessageFailed', ...record, cause: 'non_retryable' };
const canceled: MessageEvent = { type: 'MessageCanceled' };
const completed: MessageEvent = { type: 'MessageCompleted' };

const member = (role: RunMembership['role']): MessageState => ({
  status: 'failed',
  followUps: null,
  run: { runId: 'wfr_1', role, entry: 1, callId: null, publishedOffset: 4 },
});
const commandsFor = (event: MessageEvent, state: MessageState) =>
  messageEndedFor(envelope(event), state);
const settle = {
  type: 'SettleRun',
  kind: 'run',
  id: 'wfr_1',
  at: epochMs,
  messageId: 'msg_1',
  publishedOffset: 4,
  attemptOffset: 7,
};

describe('the end of a message', () => {
  it.each(['step', 'callResult'] as const)('fails its run: %s', (role) => {
    expect(commandsFor(failed, member(role))).toEqual([
      { ...settle, type: 'FailRun', cause: 'non_retryable' },
    ]);
  });

  it('settles its run if a third party failed, as if it had answered', () => {
    expect(commandsFor(failed, member('call'))).toEqual([settle]);
    expect(commandsFor(delivered, member('call'))).toEqual([settle]);
  });

  it('settles its run if it was delivered, or completed by the end of the run', () => {
    expect(commandsFor(delivered, member('step'))).toEqual([settle]);
    expect(commandsFor(completed, member('step'))).toEqual([settle]);
  });

  it('settles its run as canceled if it was canceled', () => {
    expect(commandsFor(canceled, member('step'))).toEqual([{ ...settle, attemptOffset: null }]);
  });

  it('means nothing to its run if it is the failure callback', () => {
    for (const event of [delivered, failed, canceled]) {
      expect(commandsFor(event, member('failureCallback'))).toEqual([]);
    }
  });

  it('means nothing if it belongs to no run, or has not ended', () => {
    expect(commandsFor(failed, { status: 'failed', followUps: null, run: null })).toEqual([]);
    expect(commandsFor(failed, { status: 'absent' })).toEqual([]);
  });
});
