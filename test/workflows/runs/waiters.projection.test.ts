import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { nothingBegun } from '../../../src/workflows/run-state/run.context.js';
import {
  type OpenWait,
  type RunEvent,
  runKind,
} from '../../../src/workflows/run-state/run.events.js';
import { RunWaiters } from '../../../src/workflows/runs/waiters.projection.js';
import { envelope } from '../../support/envelope.js';
import { runStarted, stepInfo } from '../../support/workflows/run-commands.js';

const opened = (stepId: number, eventId = 'paid'): RunEvent => ({
  type: 'WaitOpened',
  step: stepInfo(stepId),
  eventId,
  timeout: '1h',
  deadline: 9,
});
const ended = (stepId: number, eventId = 'paid'): RunEvent => ({
  type: 'WaitEnded',
  step: stepInfo(stepId),
  eventId,
  messageId: 'msg_1',
  isTimeout: false,
  notificationId: null,
  notificationOffset: null,
  bytes: 1,
});
const openWait = (stepId: number, eventId = 'paid'): OpenWait => ({
  step: stepInfo(stepId),
  eventId,
  deadline: 9,
  offset: 3,
});

let waiters: RunWaiters;
/** The open waits of the runs, as in their states. */
let waits: Record<string, OpenWait[]>;

beforeEach(() => {
  waits = {};
  waiters = new RunWaiters();
});

const happen = (id: string, event: RunEvent, changes = new TurnChanges(), offset = 7) =>
  waiters.evolve(envelope(event, { kind: runKind, id, offset }), changes, {
    context: { ...nothingBegun, waits: waits[id] ?? [] },
  });
const waiting = (eventId = 'paid') =>
  waiters.of(eventId).map(({ runId, stepId }) => `${runId} ${stepId}`);

describe('the waiters of an event', () => {
  it('are known in the order in which they began, one for each step', () => {
    happen('wfr_2', opened(1));
    happen('wfr_1', opened(2));
    happen('wfr_2', opened(3));
    happen('wfr_1', opened(1, 'shipped'));
    expect(waiting()).toEqual(['wfr_2 1', 'wfr_1 2', 'wfr_2 3']);
    expect(waiting('shipped')).toEqual(['wfr_1 1']);
    const [first] = waiters.of('paid');
    expect(first).toEqual({ runId: 'wfr_2', stepId: 1, deadline: 9, offset: 7 });
  });

  it('are removed when their waits end, each separately', () => {
    happen('wfr_1', opened(1));
    happen('wfr_1', opened(2));
    happen('wfr_1', ended(1));
    expect(waiting()).toEqual(['wfr_1 2']);
    happen('wfr_1', ended(2));
    happen('wfr_1', ended(2));
    expect(waiting()).toEqual([]);
  });

  it.each<RunEvent>([
    { type: 'RunSucceeded', completed: [], canceled: [] },
    { type: 'RunCanceled', canceled: [] },
  ])('are removed with their run: $type', (end) => {
    for (const id of ['wfr_1', 'wfr_2']) {
      happen(id, opened(1));
      happen(id, opened(2, 'shipped'));
      waits[id] = [openWait(1), openWait(2, 'shipped')];
    }
    happen('wfr_1', end);
    expect([waiting(), waiting('shipped')]).toEqual([['wfr_2 1'], ['wfr_2 2']]);
  });

  it('include those of a resumed run', () => {
    const nothing = { entries: [], calls: [], notifications: [], invocations: [] };
    happen(
      'wfr_new',
      runStarted({
        payloadOffset: 0,
        inherited: { ...nothing, runId: 'wfr_old', waits: [openWait(4)] },
      }),
    );
    const [waiter] = waiters.of('paid');
    expect(waiter).toEqual({ runId: 'wfr_new', stepId: 4, deadline: 9, offset: 3 });
  });

  it('are as before when the turn is rolled back', () => {
    happen('wfr_1', opened(1));
    const changes = new TurnChanges();
    happen('wfr_1', ended(1), changes);
    happen('wfr_2', opened(1), changes);
    happen('wfr_2', opened(1, 'shipped'), changes);
    expect(waiting()).toEqual(['wfr_2 1']);
    changes.revert();
    expect([waiting(), waiting('shipped')]).toEqual([['wfr_1 1'], []]);
  });
});
