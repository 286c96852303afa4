import { machineEvolve } from '../../../src/engine/machines/machine-evolve.js';
import type { RunEvent } from '../../../src/workflows/run-state/run.events.js';
import { type RunState, runMachine } from '../../../src/workflows/run-state/run.machine.js';
import { callbackOptions } from '../../support/message-options.js';
import {
  runConfiguration,
  runStarted,
  runTermsOf,
  stepInfo,
} from '../../support/workflows/run-commands.js';

const { initialState, evolve, can, isFinal } = machineEvolve(runMachine);

const configuration = runConfiguration({
  terms: runTermsOf({ labels: ['blue'], maxRetries: 2 }),
  answerCheck: 'sdk',
});
const invoker = { runId: 'wfr_p', url: 'https://p.example', createdAt: 9, step: stepInfo(1) };
const started: RunEvent = runStarted({ configuration });
const ends = [
  { type: 'RunSucceeded', completed: [], canceled: [] },
  { type: 'RunCanceled', canceled: [] },
  {
    type: 'RunFailed',
    cause: 'exhausted',
    messageId: 'msg_0',
    publishedOffset: 1,
    attemptOffset: 2,
    canceled: [],
    canceledOffsets: [],
  },
] satisfies readonly RunEvent[];

/** The state after these events, at offsets from 5 and times from 1005. */
const lifeAfter = (...events: readonly RunEvent[]): RunState =>
  events.reduce<RunState>(
    (life, event, index) => evolve(life, { ...event, at: 1005 + index, offset: 5 + index }),
    initialState(),
  );

describe('the life of a run', () => {
  it('begins with its start, from which its context is made', () => {
    const life = lifeAfter(started);
    expect(life.matches('active')).toBe(true);
    expect(life.context).toMatchObject({
      dialect: 'svc',
      url: configuration.url,
      createdAt: 1005,
      callerIp: configuration.callerIp,
      startedOffset: 5,
      configurationOffset: 5,
      failureCallbackOffset: 5,
      terms: configuration.terms,
      answerCheck: 'sdk',
      fetchesLazily: true,
      invoker: null,
    });
  });

  it('continues with another configuration after a takeover', () => {
    const own = runConfiguration({ url: 'https://own.example', fetchesLazily: false });
    const { context } = lifeAfter(started, {
      type: 'RunReconfigured',
      configuration: own,
      messageId: 'msg_1',
      completed: [],
    });
    expect(context).toMatchObject({
      url: 'https://own.example',
      fetchesLazily: false,
      createdAt: 1005,
      startedOffset: 5,
      configurationOffset: 6,
      failureCallbackOffset: 6,
    });
  });

  it('may get its failure callback from a later event, which holds its headers', () => {
    const callback = callbackOptions({ headers: ['X-A', '1'] });
    const { context } = lifeAfter(started, { type: 'FailureCallbackNamed', callback });
    const { headers: _, ...kept } = callback;
    expect(context.terms).toEqual({ ...configuration.terms, failureCallback: kept });
    expect(context).toMatchObject({ configurationOffset: 5, failureCallbackOffset: 6 });
  });

  it('may get another invoker', () => {
    expect(lifeAfter(started, { type: 'InvokerChanged', invoker }).context.invoker).toEqual(
      invoker,
    );
  });

  it.each(ends)('ends with $type, whatever else comes', (end) => {
    const over = lifeAfter(started, end);
    expect(isFinal(over)).toBe(true);
    for (const event of [started, ...ends]) {
      expect(evolve(over, { ...event, at: 2000, offset: 9 })).toEqual(over);
    }
  });

  it('does not begin with any other event', () => {
    for (const event of ends) expect(lifeAfter(event).value).toBe('absent');
  });

  it('replaces the result of an entry in place, and nothing else', () => {
    const stored: RunEvent = {
      type: 'StepStored',
      step: stepInfo(1),
      messageId: 'msg_1',
      bytes: 9,
    };
    const edit = (place: number, id: number): RunEvent => {
      return { type: 'StepEdited', step: stepInfo(id), place, bytes: 5 };
    };
    const before = lifeAfter(started, stored);
    const edited = lifeAfter(started, stored, edit(1, 1)).context.entries.toArray();
    expect(edited.map(({ messageId, bytes }) => [messageId, bytes])).toEqual([
      [before.context.entries.at(0)?.messageId, before.context.entries.at(0)?.bytes],
      ['msg_1', 5],
    ]);
    expect(edited[1]?.offset).toBeGreaterThan(before.context.entries.at(1)?.offset ?? 0);
    expect(before.can({ ...edit(1, 2), at: 0, offset: 9 })).toBe(false);
    expect(before.can({ ...edit(2, 1), at: 0, offset: 9 })).toBe(false);
  });

  it('is in the first state of calling, invoking and waiting that has something open', () => {
    const wait: RunEvent = {
      type: 'WaitOpened',
      step: stepInfo(1),
      eventId: 'paid',
      timeout: '1d',
      deadline: 9000,
    };
    const call: RunEvent = { type: 'CallRequested', step: stepInfo(2), messageId: 'msg_2' };
    const both = lifeAfter(started, wait, call);
    expect(both.value).toEqual({ active: 'calling' });
    expect([...both.tags]).toEqual(['active']);
    expect(both.context).toMatchObject({ calls: [{}], waits: [{}] });
    const result: RunEvent = {
      type: 'StepStored',
      step: stepInfo(2),
      messageId: 'msg_3',
      bytes: 2,
    };
    const invoked: RunEvent = {
      type: 'StepInvoked',
      step: stepInfo(3),
      runId: 'wfr_c',
      url: 'https://c.example',
      messageId: 'msg_4',
    };
    const ended: RunEvent = {
      type: 'InvocationEnded',
      step: stepInfo(3),
      runId: 'wfr_c',
      messageId: 'msg_5',
      outcome: 'succeeded',
      endOffset: 3,
      bytes: 4,
    };
    const came: RunEvent = {
      type: 'WaitEnded',
      step: stepInfo(1),
      eventId: 'paid',
      messageId: 'msg_6',
      isTimeout: false,
      notificationId: null,
      notificationOffset: null,
      bytes: 1,
    };
    const history = [started, wait, invoked, call, result, ended, came];
    const values = history.map((_, index) => lifeAfter(...history.slice(0, index + 1)).value);
    const states = ['running', 'waiting', 'invoking', 'calling', 'invoking', 'waiting', 'running'];
    expect(values).toEqual(states.map((active) => ({ active })));
  });

  it('handles the end of a wait and of an invocation only while they are open', () => {
    const step = stepInfo(1);
    const noEnd: RunEvent = {
      type: 'InvocationEnded',
      step,
      runId: 'wfr_c',
      messageId: 'msg_2',
      outcome: 'succeeded',
      endOffset: 3,
      bytes: 4,
    };
    const invoked: RunEvent = {
      type: 'StepInvoked',
      step,
      runId: 'wfr_c',
      url: 'https://c.example',
      messageId: 'msg_1',
    };
    expect(can(lifeAfter(started), noEnd)).toBe(false);
    expect(can(lifeAfter(started, invoked), noEnd)).toBe(true);
    expect(can(lifeAfter(started, invoked, noEnd), noEnd)).toBe(false);
  });
});
