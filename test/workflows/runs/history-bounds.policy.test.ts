import type { InvokeRun, OpenWaitForEvent } from '../../../src/workflows/run-state/run.commands.js';
import type {
  RunEntry,
  RunEvent,
  RunStarted,
} from '../../../src/workflows/run-state/run.events.js';
import { runDecider } from '../../../src/workflows/runs/run.decider.js';
import type { RunView } from '../../../src/workflows/runs/run-view.js';
import { epochMs, given } from '../../support/given.js';
import {
  planOf,
  runStarted,
  startRun,
  stepInfo,
  submitStep,
  toRun,
} from '../../support/workflows/run-commands.js';

const alone: RunView = {
  known: () => undefined,
  pending: () => [],
  hasPending: () => false,
  hasRoom: () => true,
  notificationOffset: () => null,
};
const started = runStarted();
const wait = toRun<OpenWaitForEvent>({
  type: 'OpenWait',
  step: stepInfo(1, { type: 'Wait' }),
  eventId: 'paid',
  timeout: '1h',
  deadline: epochMs,
  messageId: 'msg_now',
});
const { step, eventId, timeout, deadline } = wait;
const waiting: RunEvent = { type: 'WaitOpened', step, eventId, timeout, deadline };

describe('a wait that is submitted again', () => {
  it('is answered as the open wait, of which nothing is delivered yet', () => {
    const again = given(runDecider, alone, started, waiting).when(wait);
    expect(again).toMatchObject({ events: [], result: { messageId: null } });
  });

  it('is answered with the delivered message if it has ended', () => {
    const ended: RunEvent = {
      type: 'WaitEnded',
      step,
      eventId,
      messageId: 'msg_ended',
      isTimeout: true,
      notificationId: null,
      notificationOffset: null,
      bytes: 1,
    };
    const again = given(runDecider, alone, started, waiting, ended).when(wait);
    expect(again).toMatchObject({ events: [], result: { messageId: 'msg_ended' } });
  });

  it('is refused if the function now does something else in this step', () => {
    const history = given(runDecider, alone, started, waiting);
    const changed = [
      submitStep(stepInfo(1)),
      { ...wait, step: { ...step, name: 'other' } },
      toRun<InvokeRun>({
        type: 'InvokeRun',
        step: stepInfo(1, { type: 'Invoke' }),
        child: startRun({ id: 'wfr_child' }),
      }),
    ];
    for (const command of changed) {
      expect(history.when(command).rejected?.code).toBe('conflict');
    }
  });

  it('is not confused with its own plan', () => {
    const plan = planOf(1, { type: 'Wait' });
    const { events } = given(runDecider, alone, started, waiting).when(submitStep(plan));
    expect(events).toHaveLength(1);
  });
});

describe('the history of a run', () => {
  const entry = (id: number): RunEntry => ({
    messageId: `msg_${id}`,
    offset: id,
    step: stepInfo(id),
    bytes: 1,
  });
  const ofEntries = (length: number): RunStarted => ({
    ...started,
    inherited: {
      runId: 'wfr_0',
      entries: Array.from({ length }, (_, id) => entry(id)),
      calls: [],
      waits: [],
      notifications: [],
      invocations: [],
    },
  });
  const next = submitStep(stepInfo(50_000));

  it('has at most 50,000 entries, whatever their sizes', () => {
    expect(given(runDecider, alone, ofEntries(49_999)).when(next).events).toHaveLength(1);
    const full = given(runDecider, alone, ofEntries(50_000));
    expect(full.when(next).rejected).toEqual({
      code: 'over_limit',
      message:
        "the run's history has 50000 entries and 50000 bytes; " +
        'at most 50000 entries and 52428800 bytes are kept',
    });
    // A repeated step is still answered.
    expect(full.when(submitStep(stepInfo(1)))).toMatchObject({ result: { messageId: 'msg_1' } });
  });

  it('counts each open step as an entry when another step begins', () => {
    const open = given(runDecider, alone, ofEntries(49_998), {
      ...waiting,
      step: stepInfo(50_001),
    });
    const second = { ...wait, step: stepInfo(50_002, { type: 'Wait' }) };
    const opened = open.when(second);
    expect(opened.events).toHaveLength(1);
    const full = given(runDecider, alone, ofEntries(49_999), {
      ...waiting,
      step: stepInfo(50_001),
    });
    expect(full.when(second).rejected?.code).toBe('over_limit');
    // A submitted result may be the end of an open step, so open steps do not count here.
    expect(full.when(submitStep(stepInfo(50_002))).events).toHaveLength(1);
  });
});
