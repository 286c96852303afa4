import type {
  EndWait,
  OpenWaitForEvent,
  StoreNotification,
} from '../../../src/workflows/run-state/run.commands.js';
import type {
  RunEvent,
  WaitEnded,
  WaitOpened,
} from '../../../src/workflows/run-state/run.events.js';
import { runDecider } from '../../../src/workflows/runs/run.decider.js';
import type { RunView } from '../../../src/workflows/runs/run-view.js';
import { given } from '../../support/given.js';
import { runStarted, stepInfo, toRun } from '../../support/workflows/run-commands.js';

const viewOf = (notificationOffset: number | null = null): RunView => ({
  known: () => undefined,
  pending: () => [],
  hasPending: () => false,
  hasRoom: () => true,
  notificationOffset: () => notificationOffset,
});
const started = runStarted({ payloadBytes: 7 });
const step = stepInfo(1, { type: 'Wait' });
const open: OpenWaitForEvent = toRun({
  type: 'OpenWait',
  step,
  eventId: 'paid',
  timeout: '1h',
  deadline: 5,
  messageId: 'msg_wait',
});
const opened: WaitOpened = {
  type: 'WaitOpened',
  step,
  eventId: 'paid',
  timeout: '1h',
  deadline: 5,
};
const came = (id: string, body: string): EndWait =>
  toRun({
    type: 'EndWait',
    stepId: 1,
    waitOffset: 1,
    messageId: 'msg_end',
    notification: { id, body: Buffer.from(body) },
  });
const timedOut: EndWait = toRun({
  type: 'EndWait',
  stepId: 1,
  waitOffset: 1,
  messageId: 'msg_late',
  notification: null,
});
const store = (eventId: string, isCall = false, body = 'data'): StoreNotification =>
  toRun({ type: 'StoreNotification', eventId, body: Buffer.from(body), isCall });
const stored = (eventId: string): RunEvent => ({ type: 'NotificationStored', eventId, bytes: 4 });
const run = (...history: readonly RunEvent[]) => given(runDecider, viewOf(), started, ...history);
const notActive = { code: 'conflict', message: 'the wait has ended' };

describe('a wait', () => {
  it('is open, and delivers nothing, until its event comes', () => {
    expect(run().when(open)).toMatchObject({ events: [opened], result: { messageId: null } });
  });

  it('that is submitted again is open only once', () => {
    expect(run(opened).when(open)).toMatchObject({ events: [], result: { messageId: null } });
  });

  it('ends at once with an event that came before, the oldest one first', () => {
    const { events, result } = run(stored('paid'), stored('paid')).when(open);
    const end = { type: 'WaitEnded', isTimeout: false, notificationOffset: 1, step };
    expect(events).toMatchObject([opened, { ...end, messageId: 'msg_wait' }]);
    expect(result).toEqual({ messageId: 'msg_wait' });
  });

  it('takes an event that came before, which no other wait gets', () => {
    const { state } = run(stored('paid')).when(open);
    expect(state?.context).toMatchObject({ notifications: [], waits: [] });
    expect(run(stored('shipped')).when(open)).toMatchObject({ events: [opened] });
  });

  it('has one outcome: the event or the timeout, whichever comes first', () => {
    const ends: [EndWait, EndWait][] = [
      [came('ntf_1', 'data'), timedOut],
      [timedOut, came('ntf_1', 'data')],
    ];
    for (const [first, second] of ends) {
      const { events = [] } = run(opened).when(first);
      expect(events).toMatchObject([{ isTimeout: first.notification === null }]);
      expect(run(opened, ...events).when(second)).toEqual({ rejected: notActive });
    }
  });

  it('is not ended by an end that was meant for an earlier wait of the same step', () => {
    const earlier = { ...timedOut, waitOffset: 0 };
    expect(run(opened).when(earlier)).toEqual({ rejected: notActive });
  });
});

describe('the content of a notification', () => {
  const endOf = (view: RunView, command: EndWait) => {
    const state = given(runDecider, viewOf(), started, opened).state;
    const decision = runDecider.decide(command, state, view);
    if (!decision.ok) throw new Error(decision.message);
    const [event] = decision.events;
    return { ended: event as WaitEnded, body: decision.body };
  };

  it('is stored with the first wait that it ends, and is shared by the others', () => {
    const first = endOf(viewOf(null), came('ntf_1', 'data'));
    expect(first.ended).toMatchObject({ notificationId: 'ntf_1', notificationOffset: null });
    expect(first.body?.toString()).toBe('data');
    const second = endOf(viewOf(42), came('ntf_1', 'data'));
    expect(second.ended.notificationOffset).toBe(42);
    expect(second.body ?? null).toBeNull();
    expect(second.ended.bytes).toBe(first.ended.bytes);
  });

  it('is not stored if it is empty', () => {
    const { ended, body } = endOf(viewOf(42), came('ntf_1', ''));
    expect([ended.notificationOffset, body ?? null]).toEqual([null, null]);
  });
});

describe('an event for which the history of the run has no room', () => {
  const almostFull = runStarted({ payloadBytes: 50 * 1024 * 1024 - 1000 });
  const full = (...history: readonly RunEvent[]) =>
    given(runDecider, viewOf(), almostFull, ...history);

  it('ends no wait, which stays open until its timeout', () => {
    const large = came('ntf_1', 'x'.repeat(1000));
    expect(full(opened).when(large).rejected?.code).toBe('over_limit');
    expect(full(opened).when(came('ntf_1', 'data')).events).toHaveLength(1);
    expect(
      given(runDecider, viewOf(), runStarted({ payloadBytes: 2 ** 26 }), opened).when(timedOut)
        .events,
    ).toHaveLength(1);
  });

  it('cannot be taken by a new wait if it came before', () => {
    const kept: RunEvent = { type: 'NotificationStored', eventId: 'paid', bytes: 1000 };
    expect(full(kept).when(open).rejected?.code).toBe('over_limit');
    expect(full(stored('paid')).when(open).events).toHaveLength(2);
  });
});

describe('an event that comes before its wait', () => {
  it('is kept, unless the run waits for it already', () => {
    expect(run().when(store('paid'))).toMatchObject({ events: [stored('paid')] });
    const rejected = { code: 'conflict', message: 'the run waits for paid' };
    expect(run(opened).when(store('paid'))).toEqual({ rejected });
    expect(run(opened).when(store('shipped'))).toMatchObject({ events: [stored('shipped')] });
  });

  it('is refused if a thousand others are kept', () => {
    const kept = Array.from({ length: 1000 }, (_, index) => stored(`event ${index}`));
    expect(run(...kept.slice(1)).when(store('paid'))).toMatchObject({ events: [stored('paid')] });
    expect(run(...kept).when(store('paid'))).toMatchObject({ rejected: { code: 'over_limit' } });
  });
});

describe('a call of a webhook that comes before its wait', () => {
  const mebibyte = 1024 * 1024;
  const call = (eventId: string, bytes = 4): RunEvent => ({
    type: 'NotificationStored',
    eventId,
    bytes,
    isCall: true,
  });
  const callStep = stepInfo(2, { type: 'WaitForWebhook' });
  const openForCall: OpenWaitForEvent = { ...open, step: callStep };

  it('is kept, unless the run waits for a call of it already', () => {
    expect(run().when(store('paid', true))).toMatchObject({ events: [call('paid')] });
    expect(run(opened).when(store('paid', true))).toMatchObject({ events: [call('paid')] });
    const rejected = { code: 'conflict', message: 'the run waits for paid' };
    const waiting = run({ ...opened, step: callStep });
    expect(waiting.when(store('paid', true))).toEqual({ rejected });
  });

  it('is taken only by a wait for a call', () => {
    expect(run(call('paid')).when(open)).toMatchObject({ events: [opened] });
    const { events } = run(call('paid')).when(openForCall);
    expect(events).toMatchObject([{ type: 'WaitOpened' }, { notificationOffset: 1 }]);
  });

  it('is taken by any wait if an earlier version stored it', () => {
    const { events } = run(stored('paid')).when(openForCall);
    expect(events).toMatchObject([{ type: 'WaitOpened' }, { notificationOffset: 1 }]);
  });

  it('must be repeated later if a hundred others are kept, and displaces no event', () => {
    const kept = Array.from({ length: 100 }, () => call('paid'));
    expect(run(...kept.slice(1)).when(store('paid', true))).toMatchObject({
      events: [call('paid')],
    });
    const full = { rejected: { code: 'unavailable' } };
    expect(run(...kept).when(store('paid', true))).toMatchObject(full);
    expect(run(...kept).when(store('paid'))).toMatchObject({ events: [stored('paid')] });
  });

  it('must be repeated later if the others fill 16 MiB, but may be larger alone', () => {
    const room = [call('paid', 16 * mebibyte - 4)];
    const full = [call('paid', 16 * mebibyte - 3)];
    expect(run(...room).when(store('paid', true))).toMatchObject({ events: [call('paid')] });
    expect(run(...full).when(store('paid', true))).toMatchObject({
      rejected: { code: 'unavailable' },
    });
    const large = store('paid', true, 'x'.repeat(17 * mebibyte));
    expect(run().when(large)).toMatchObject({ events: [call('paid', 17 * mebibyte)] });
  });
});
