import type {
  CancelRun,
  EndInvocation,
  EndRun,
  FailRun,
  InvokeRun,
  RequestCall,
  SettleRun,
} from '../../../src/workflows/run-state/run.commands.js';
import type { RunEvent, StepStored } from '../../../src/workflows/run-state/run.events.js';
import type { KnownRun } from '../../../src/workflows/runs/known-runs.projection.js';
import { runDecider } from '../../../src/workflows/runs/run.decider.js';
import { noStepOptions } from '../../../src/workflows/runs/run-messages.policy.js';
import type { PendingRunMessage, RunView } from '../../../src/workflows/runs/run-view.js';
import { epochMs, given } from '../../support/given.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';
import {
  planOf,
  runConfiguration,
  runStarted,
  runTermsOf,
  startRun,
  stepInfo,
  submitStep,
  toRun,
} from '../../support/workflows/run-commands.js';

interface Around {
  readonly known?: KnownRun;
  /** The bytes that fit the history of any other run. */
  readonly room?: number;
  readonly pending?: readonly PendingRunMessage[];
}

const viewOf = ({ known, room = 2 ** 30, pending = [] }: Around = {}): RunView => ({
  known: () => known,
  pending: () => pending,
  hasPending: () => pending.length > 0,
  hasRoom: (_id, bytes) => bytes <= room,
  notificationOffset: () => null,
});
const alone = viewOf();

const started = runStarted({ payloadBytes: 7 });
const knownStart: KnownRun = { messageId: 'msg_0', createdAt: epochMs };
const stored = (id: number, bytes = 10): StepStored => ({
  type: 'StepStored',
  step: stepInfo(id),
  messageId: `msg_${id}`,
  bytes,
});
const ended: RunEvent = { type: 'RunSucceeded', completed: [], canceled: [] };

const call = toRun<RequestCall>({
  type: 'RequestCall',
  step: stepInfo(1, { type: 'Call' }),
  messageId: 'msg_call',
  message: messageOptions(),
  body: Buffer.from('ask'),
  callback: noStepOptions,
});
const invoke = toRun<InvokeRun>({
  type: 'InvokeRun',
  step: stepInfo(1, { type: 'Invoke' }),
  child: startRun({ id: 'wfr_child', messageId: 'msg_child' }),
});

describe('a run that is not known', () => {
  it('is started, with its payload stored with the event', () => {
    const payload = Buffer.from('payload');
    const { events, result, isFinal } = given(runDecider, alone).when(startRun({ payload }));
    expect(events).toEqual([started]);
    expect(result).toEqual({ messageId: 'msg_0', createdAt: epochMs, deduplicated: false });
    expect(isFinal).toBe(false);
  });

  it.each([
    ['a step', submitStep(stepInfo(1)), 'invalid', 'workflow run wfr_1 is not active'],
    ['a call', call, 'invalid', 'workflow run wfr_1 is not active'],
    ['an invocation', invoke, 'invalid', 'workflow run wfr_1 is not active'],
    [
      'a cancel',
      toRun<CancelRun>({ type: 'CancelRun' }),
      'not_found',
      'workflow run wfr_1 not found',
    ],
  ])('refuses %s', (_name, command, code, message) => {
    const refused = { rejected: { code, message } };
    expect(given(runDecider, alone).when(command)).toEqual(refused);
    expect(given(runDecider, alone, started, ended).when(command)).toEqual(refused);
  });

  it('accepts its end, and changes nothing', () => {
    const end = toRun<EndRun>({ type: 'EndRun', response: Buffer.from('1') });
    expect(given(runDecider, alone).when(end)).toMatchObject({ events: [] });
    expect(given(runDecider, alone, started, ended).when(end)).toMatchObject({ events: [] });
  });
});

describe('a run that is started again', () => {
  const known = viewOf({ known: knownStart });

  it('does not start twice, and the answer names the first start', () => {
    const again = startRun({ messageId: 'msg_again' });
    const { events, result } = given(runDecider, known, started).when(again);
    expect(events).toEqual([]);
    expect(result).toEqual({ ...knownStart, deduplicated: true });
  });

  it('does not start again once it has ended', () => {
    const { events } = given(runDecider, known).when(startRun());
    expect(events).toEqual([]);
  });

  it('is taken over by its endpoint, and delivered with the options of the endpoint', () => {
    const configuration = runConfiguration({ headers: ['X-Own', '1'] });
    const takeover = startRun({ isTakeover: true, messageId: 'msg_again', configuration });
    const { events, result, state } = given(runDecider, known, started).when(takeover);
    expect(events).toEqual([
      { type: 'RunReconfigured', configuration, messageId: 'msg_again', completed: [] },
    ]);
    expect(result).toEqual({ messageId: 'msg_again', createdAt: epochMs, deduplicated: false });
    expect(state?.context.entries.at(0)?.messageId).toBe('msg_again');
  });

  it('completes by the takeover all messages that deliver its payload, due or not', () => {
    const at = { publishedOffset: 0, notBefore: epochMs, wasTried: false };
    const pending: PendingRunMessage[] = [
      { messageId: 'msg_0', role: 'step', ...at },
      { messageId: 'msg_retried', role: 'step', ...at, notBefore: epochMs + 9 },
      { messageId: 'msg_call', role: 'call', ...at },
    ];
    const around = viewOf({ known: knownStart, pending });
    const takeover = startRun({ isTakeover: true, messageId: 'msg_again' });
    const { events } = given(runDecider, around, started).when(takeover);
    expect(events).toMatchObject([{ completed: ['msg_0', 'msg_retried'] }]);
  });

  it('is taken over only once', () => {
    const reconfigured: RunEvent = {
      type: 'RunReconfigured',
      configuration: runConfiguration(),
      messageId: 'msg_again',
      completed: [],
    };
    const takeover = startRun({ isTakeover: true, messageId: 'msg_third' });
    const { events, result } = given(runDecider, known, started, reconfigured).when(takeover);
    expect(events).toEqual([]);
    expect(result).toMatchObject({ deduplicated: true });
  });

  it.each([
    ['has a step', [started, stored(1)]],
    ['has ended', []],
  ])('is not taken over when it %s', (_name, history: RunEvent[]) => {
    const takeover = startRun({ isTakeover: true });
    const { events } = given(runDecider, known, ...history).when(takeover);
    expect(events).toEqual([]);
  });

  it('does not start again when it is taken over after it has been forgotten', () => {
    const { rejected } = given(runDecider, alone).when(startRun({ isTakeover: true }));
    expect(rejected?.code).toBe('invalid');
  });
});

describe('a step', () => {
  it('is stored with its body, and answered with the message that delivers it', () => {
    const step = submitStep(stepInfo(1));
    const { events, result } = given(runDecider, alone, started).when(step);
    const { length } = step.body;
    expect(events).toEqual([
      { type: 'StepStored', step: stepInfo(1), messageId: 'msg_1', bytes: length },
    ]);
    expect(result).toEqual({ messageId: 'msg_1' });
  });

  it('that came before changes nothing, and is answered like the first time', () => {
    const again = submitStep(stepInfo(1), { messageId: 'msg_other', body: Buffer.from('other') });
    const { events, result } = given(runDecider, alone, started, stored(1)).when(again);
    expect(events).toEqual([]);
    expect(result).toEqual({ messageId: 'msg_1' });
  });

  it('is not mistaken for its plan, nor a plan for another one', () => {
    const plan: StepStored = { ...stored(0), step: planOf(1), messageId: 'msg_plan' };
    const history = given(runDecider, alone, started, plan);
    expect(history.when(submitStep(stepInfo(1))).events).toHaveLength(1);
    expect(history.when(submitStep(planOf(2))).events).toHaveLength(1);
    expect(history.when(submitStep(planOf(1)))).toMatchObject({
      result: { messageId: 'msg_plan' },
    });
  });

  it.each([
    ['name', stepInfo(1, { name: 'other' })],
    ['type', stepInfo(1, { type: 'SleepFor' })],
  ])('that came with another %s before is refused: the plan has changed', (_name, step) => {
    const { rejected } = given(runDecider, alone, started, stored(1)).when(submitStep(step));
    expect(rejected?.code).toBe('conflict');
    expect(rejected?.message).toMatch(/^step 1 came as Run "step 1" before, and now as .* changed/);
  });

  it('cannot replace the payload', () => {
    const { rejected } = given(runDecider, alone, started).when(submitStep(stepInfo(0)));
    expect(rejected?.code).toBe('conflict');
  });

  it('of an older client names the failure callback, if none was named before', () => {
    const failureCallback = callbackOptions();
    const step = submitStep(stepInfo(1), { failureCallback });
    const { events } = given(runDecider, alone, started).when(step);
    expect(events?.[1]).toEqual({ type: 'FailureCallbackNamed', callback: failureCallback });
    const { headers: _, ...known } = callbackOptions({ url: 'https://app.example/known' });
    const configuration = runConfiguration({ terms: runTermsOf({ failureCallback: known }) });
    const decided = given(runDecider, alone, { ...started, configuration }).when(step);
    expect(decided.events).toHaveLength(1);
  });

  it('is refused when the history would grow beyond what is kept', () => {
    const large = { ...started, payloadBytes: 50 * 1024 * 1024 - 10 };
    const fits = submitStep(stepInfo(1), { body: Buffer.alloc(10) });
    const tooMuch = submitStep(stepInfo(1), { body: Buffer.alloc(11) });
    expect(given(runDecider, alone, large).when(fits).events).toHaveLength(1);
    const { rejected } = given(runDecider, alone, large).when(tooMuch);
    expect(rejected).toEqual({
      code: 'over_limit',
      message:
        "the run's history has 1 entries and 52428790 bytes; " +
        'at most 50000 entries and 52428800 bytes are kept',
    });
  });
});

describe('a call', () => {
  const requested: RunEvent = { type: 'CallRequested', step: call.step, messageId: 'msg_call' };

  it('is remembered until its result comes', () => {
    const { events, state } = given(runDecider, alone, started).when(call);
    expect(events).toEqual([requested]);
    expect(state?.context.calls).toEqual([{ step: call.step, messageId: 'msg_call' }]);
    const result = submitStep(call.step, { messageId: 'msg_result' });
    const after = given(runDecider, alone, started, requested).when(result);
    expect(after.events).toHaveLength(1);
    expect(after.state?.context.calls).toEqual([]);
  });

  it('is made only once, whether it is in progress or has its result', () => {
    const again: RequestCall = { ...call, messageId: 'msg_second' };
    const running = given(runDecider, alone, started, requested).when(again);
    expect(running).toMatchObject({ events: [], result: { messageId: 'msg_call' } });
    const result: StepStored = { ...stored(1), step: call.step, messageId: 'msg_result' };
    const done = given(runDecider, alone, started, requested, result).when(again);
    expect(done).toMatchObject({ events: [], result: { messageId: 'msg_result' } });
  });
});

describe('an invocation', () => {
  const invoked: RunEvent = {
    type: 'StepInvoked',
    step: invoke.step,
    runId: 'wfr_child',
    url: 'https://app.example/wf',
    messageId: 'msg_child',
  };

  it('is remembered until the child ends', () => {
    const { events, state } = given(runDecider, alone, started).when(invoke);
    expect(events).toEqual([invoked]);
    expect(state?.context.invocations).toEqual([
      { step: invoke.step, runId: 'wfr_child', messageId: 'msg_child' },
    ]);
    const end = toRun<EndInvocation>({
      type: 'EndInvocation',
      step: invoke.step,
      runId: 'wfr_child',
      messageId: 'msg_end',
      outcome: 'succeeded',
      endOffset: 9,
      bytes: 20,
    });
    const history = given(runDecider, alone, started, invoked);
    const after = history.when(end);
    expect(after.events).toHaveLength(1);
    expect(after.state?.context.invocations).toEqual([]);
    expect(after.state?.context.entries.at(1)).toMatchObject({ messageId: 'msg_end', bytes: 20 });
    // The child of another run has no effect here.
    expect(history.when({ ...end, runId: 'wfr_other' }).events).toEqual([]);
  });

  it('that is submitted again starts no second child', () => {
    const again = { ...invoke, child: startRun({ id: 'wfr_second', messageId: 'msg_second' }) };
    const { events, result } = given(runDecider, alone, started, invoked).when(again);
    expect(events).toEqual([]);
    expect(result).toEqual({ messageId: 'msg_child' });
  });

  it('of a run that is known already is refused, itself included', () => {
    const known = viewOf({ known: knownStart });
    expect(given(runDecider, known, started).when(invoke).rejected?.code).toBe('conflict');
    const itself = { ...invoke, child: startRun({ id: 'wfr_1' }) };
    expect(given(runDecider, alone, started).when(itself).rejected?.code).toBe('conflict');
  });

  it('that is also a takeover is refused', () => {
    const takeover = { ...invoke, child: startRun({ id: 'wfr_child', isTakeover: true }) };
    const { rejected } = given(runDecider, alone, started).when(takeover);
    expect(rejected?.code).toBe('unprocessable');
  });
});

describe('the end of a run', () => {
  const message = (changes: Partial<PendingRunMessage>): PendingRunMessage => ({
    messageId: 'msg_1',
    role: 'step',
    publishedOffset: 4,
    notBefore: epochMs,
    wasTried: false,
    ...changes,
  });
  const pending = [
    message({}),
    message({ messageId: 'msg_later', publishedOffset: 5, notBefore: epochMs + 1 }),
    message({ messageId: 'msg_cut', publishedOffset: 5, notBefore: epochMs + 1, wasTried: true }),
    message({ messageId: 'msg_call', publishedOffset: 6, role: 'call' }),
    message({ messageId: 'msg_answer', publishedOffset: 7, role: 'callResult' }),
  ];
  const busy = viewOf({ pending });
  const attempt = { messageId: 'msg_1', publishedOffset: 4, attemptOffset: 9 };

  it('completes deliveries that are due or were tried, and cancels the rest', () => {
    const end = toRun<EndRun>({ type: 'EndRun', response: Buffer.from('{}') });
    const { events, isFinal } = given(runDecider, busy, started).when(end);
    expect(events).toEqual([
      {
        type: 'RunSucceeded',
        completed: ['msg_1', 'msg_cut', 'msg_answer'],
        canceled: ['msg_later', 'msg_call'],
      },
    ]);
    expect(isFinal).toBe(true);
  });

  it('is refused if the waiting run has no room for the returned value', () => {
    const invoker = { runId: 'wfr_0', url: 'https://a.example', createdAt: 1, step: stepInfo(1) };
    const end = toRun<EndRun>({ type: 'EndRun', response: Buffer.alloc(1000) });
    const invoked = (room: number) => given(runDecider, viewOf({ room }), runStarted({ invoker }));
    expect(invoked(1255).when(end).rejected).toMatchObject({
      code: 'over_limit',
      message: expect.stringContaining('wfr_0'),
    });
    expect(invoked(1256).when(end).events).toMatchObject([{ type: 'RunSucceeded' }]);
    expect(given(runDecider, viewOf({ room: 0 }), started).when(end).events).toHaveLength(1);
  });

  it('by a cancel cancels all messages', () => {
    const { events } = given(runDecider, busy, started).when(
      toRun<CancelRun>({ type: 'CancelRun' }),
    );
    const canceled = ['msg_1', 'msg_later', 'msg_cut', 'msg_call', 'msg_answer'];
    expect(events).toEqual([{ type: 'RunCanceled', canceled }]);
  });

  it('by a failure records what a resume must repeat', () => {
    const fail = toRun<FailRun>({ type: 'FailRun', cause: 'exhausted', ...attempt });
    const { events } = given(runDecider, busy, started).when(fail);
    expect(events).toEqual([
      {
        type: 'RunFailed',
        cause: 'exhausted',
        ...attempt,
        canceled: ['msg_1', 'msg_later', 'msg_cut', 'msg_call', 'msg_answer'],
        canceledOffsets: [4, 5, 5, 6, 7],
      },
    ]);
  });

  describe('when a message is done', () => {
    const settle = toRun<SettleRun>({ type: 'SettleRun', ...attempt });
    const waiting: RunEvent = {
      type: 'WaitOpened',
      step: stepInfo(1),
      eventId: 'paid',
      timeout: '1d',
      deadline: epochMs + 86_400_000,
    };
    const invoked: RunEvent = {
      type: 'StepInvoked',
      step: invoke.step,
      runId: 'wfr_child',
      url: 'https://app.example/wf',
      messageId: 'msg_child',
    };

    it('does not come while anything can still happen', () => {
      expect(given(runDecider, busy, started).when(settle).events).toEqual([]);
      expect(given(runDecider, alone, started, waiting).when(settle).events).toEqual([]);
      expect(given(runDecider, alone, started, invoked).when(settle).events).toEqual([]);
    });

    it('comes as a failure once nothing can happen', () => {
      const { events } = given(runDecider, alone, started).when(settle);
      expect(events).toEqual([
        { type: 'RunFailed', cause: 'stalled', ...attempt, canceled: [], canceledOffsets: [] },
      ]);
    });

    it('comes as a cancel if it was the last message and was canceled', () => {
      const takenBack = { ...settle, attemptOffset: null };
      expect(given(runDecider, busy, started).when(takenBack).events).toEqual([]);
      expect(given(runDecider, alone, started).when(takenBack).events).toEqual([
        { type: 'RunCanceled', canceled: [] },
      ]);
    });
  });
});

describe('the index terms of the events of a run', () => {
  const flowControl = { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 };
  const configuration = runConfiguration({ terms: runTermsOf({ labels: ['blue'], flowControl }) });
  const found = ['run:wfr_1', 'any-run', 'url:https://app.example/wf', 'label:blue', 'flow:k'];
  const terms = (event: RunEvent, command: Parameters<typeof runDecider.decide>[0]) =>
    runDecider.terms?.(
      event,
      command,
      given(runDecider, alone, { ...started, configuration }).state,
    );

  it('are those of the configuration with which the run started', () => {
    expect(terms(stored(1), submitStep(stepInfo(1)))).toEqual(found);
    const start = startRun({ configuration });
    expect(terms({ ...started, configuration }, start)).toEqual([...found, 'run-started']);
  });
});

describe('an active run', () => {
  it('wants each of its waits ended at its deadline', () => {
    const waits: RunEvent[] = [1, 2].map((id) => ({
      type: 'WaitOpened',
      step: stepInfo(id),
      eventId: 'paid',
      timeout: '1s',
      deadline: epochMs + id,
    }));
    expect(given(runDecider, alone, started, ...waits).wants()).toEqual([
      { kind: 'endWait', id: 'wait 1', notBefore: epochMs + 1, stepId: 1, waitOffset: 1 },
      { kind: 'endWait', id: 'wait 2', notBefore: epochMs + 2, stepId: 2, waitOffset: 2 },
    ]);
  });
});
