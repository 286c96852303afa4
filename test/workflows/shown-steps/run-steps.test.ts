import { redacted } from '../../../src/messaging/messages/redaction.js';
import type { ChildRun } from '../../../src/workflows/history/run-history.js';
import { configuration, ReportedRun, stepOf } from '../../support/workflows/reported-run.js';
import { runPlace } from '../../support/workflows/run-place.js';

describe('a sleep', () => {
  const asleep = () => {
    const nap = stepOf(1, { name: 'nap', type: 'SleepFor' });
    return new ReportedRun().delivered('msg_0').store('msg_1', nap, { sleepFor: '10s' }, 30_000);
  };

  it('is in progress until it is over', () => {
    const nap = (now: number) => asleep().steps({ now })[1];
    expect(nap(29_999)).toMatchObject({ state: 'STEP_PROGRESS', sleepFor: 10 });
    expect(nap(30_000)).toMatchObject({ state: 'STEP_SUCCESS' });
  });

  it('is canceled with its run', () => {
    const run = asleep()
      .happen({ type: 'RunCanceled', canceled: ['msg_1'] })
      .canceled('msg_1');
    expect(run.steps()[1]).toMatchObject({ state: 'STEP_CANCELED' });
    expect(run.object().steps.at(-1)).toMatchObject({ type: 'next' });
  });
});

describe('a call', () => {
  const step = stepOf(1, { name: 'third', type: 'Call' });
  const url = 'https://third.example/';
  const called = () =>
    new ReportedRun()
      .delivered('msg_0')
      .happen({ type: 'CallRequested', step, messageId: 'msg_c' })
      .publish('msg_c', { url, maxRetries: 1, run: runPlace({ role: 'call', entry: -1 }) }, 'B');
  const answered = () =>
    called()
      .delivered('msg_c')
      .publish('msg_r', {
        callbackOf: {
          kind: 'callback',
          messageId: 'msg_c',
          publishedOffset: 0,
          attemptOffset: 0,
          dlqId: null,
        },
        run: runPlace({ role: 'callResult', entry: -1 }),
      });
  const third = (run: ReportedRun) => run.steps()[1];

  it('goes to the third party, and comes back to the endpoint', () => {
    expect(third(called())).toMatchObject({
      callType: 'toCallback',
      messageId: 'msg_c',
      state: 'STEP_PROGRESS',
      callUrl: url,
      callMethod: 'POST',
      callBody: 'B',
      retries: 1,
    });
    expect(third(called().stumbles('msg_c'))).toMatchObject({ state: 'STEP_RETRY', errors: [{}] });
    expect(third(called().fails('msg_c'))).toMatchObject({ state: 'STEP_PROGRESS' });
    expect(third(answered())).toMatchObject({ callType: 'fromCallback', state: 'STEP_PROGRESS' });
    expect(third(answered().fails('msg_r').failWith('msg_r'))).toMatchObject({
      state: 'STEP_FAILED',
    });
  });

  it('shows what the third party answered', () => {
    const out = JSON.stringify({ status: 201, body: 'made', header: { 'X-A': ['1'] } });
    expect(third(answered().delivered('msg_r').store('msg_1', step, { out }))).toMatchObject({
      callType: 'step',
      messageId: 'msg_1',
      state: 'STEP_SUCCESS',
      callUrl: url,
      callResponseStatus: 201,
      callResponseBody: 'made',
      callResponseHeaders: { 'X-A': ['1'] },
    });
  });

  it('redacts what its own message redacts', () => {
    const run = new ReportedRun().happen({ type: 'CallRequested', step, messageId: 'msg_c' });
    const place = runPlace({ role: 'call', entry: -1 });
    run.publish(
      'msg_c',
      { url, redaction: { body: true, headers: ['x-tenant'] }, run: place },
      'secret',
    );
    expect(third(run)?.callBody).toBe(redacted('secret'));
  });
});

describe('a wait', () => {
  const step = stepOf(1, { name: 'w', type: 'Wait' });
  const waiting = () =>
    new ReportedRun()
      .happen({ type: 'WaitOpened', step, eventId: 'paid', timeout: '1h', deadline: 3_600_000 })
      .delivered('msg_0');

  it('is in progress until its event comes, or it times out', () => {
    const opened = {
      waitEventId: 'paid',
      waitTimeoutDuration: '1h',
      waitTimeoutDeadline: 3_600_000,
    };
    const [, wait] = waiting().steps();
    expect(wait).toMatchObject({ ...opened, state: 'STEP_PROGRESS', waitTimeout: false });
    expect(wait).not.toHaveProperty('messageId');
    const ended = waiting().happen(
      {
        type: 'WaitEnded',
        step,
        eventId: 'paid',
        messageId: 'msg_1',
        isTimeout: true,
        notificationId: null,
        notificationOffset: null,
        bytes: 1,
      },
      { stepId: 1, waitEventId: 'paid', waitTimeout: true },
    );
    expect(ended.steps()[1]).toMatchObject({
      ...opened,
      state: 'STEP_SUCCESS',
      messageId: 'msg_1',
      waitTimeout: true,
    });
  });

  it('is canceled by the end of its run', () => {
    const run = waiting().happen({ type: 'RunCanceled', canceled: [] });
    expect(run.steps()[1]).toMatchObject({ state: 'STEP_CANCELED' });
  });
});

describe('an invocation', () => {
  const step = stepOf(1, { name: 'inv', type: 'Invoke' });
  const url = 'https://example.com/child';
  const childConfiguration = configuration({ url });
  const { started } = new ReportedRun({ configuration: childConfiguration }, 'q', 'wfr_c').history;
  const child = (changes: Partial<ChildRun> = {}): ReadonlyMap<string, ChildRun> =>
    new Map([
      ['msg_c', { started, payload: Buffer.from('q'), end: null, returned: null, ...changes }],
    ]);
  const invoked = () =>
    new ReportedRun()
      .happen({ type: 'StepInvoked', step, runId: 'wfr_c', url, messageId: 'msg_c' })
      .delivered('msg_0');

  it('is in progress as long as the invoked run', () => {
    expect(invoked().steps({ children: child() })[1]).toMatchObject({
      state: 'STEP_PROGRESS',
      invokedWorkflowRunId: 'wfr_c',
      invokedWorkflowUrl: url,
      invokedWorkflowCreatedAt: 1000,
      invokedWorkflowRunBody: 'q',
      invokedWorkflowRunHeaders: { 'X-Tenant': ['acme'] },
    });
  });

  it('is over when the invoked run ends, even if the invoking run has failed before', () => {
    const run = invoked().failWith('msg_0');
    const end = { outcome: 'succeeded', at: 9000 } as const;
    expect(run.steps({ children: child() })[1]).toMatchObject({ state: 'STEP_PROGRESS' });
    const [, inv] = run.steps({ children: child({ end, returned: Buffer.from('{"a":1}') }) });
    expect(inv).toMatchObject({ state: 'STEP_SUCCESS' });
    expect(JSON.parse(inv?.out ?? '')).toEqual({
      workflowRunId: 'wfr_c',
      body: '{"a":1}',
      isCanceled: false,
      isFailed: false,
    });
  });
});

describe('parallel steps', () => {
  const planned = (target: number) =>
    stepOf(0, { name: `branch ${target}`, concurrent: 2, target });
  const result = (id: number) => stepOf(id, { name: `branch ${id}`, concurrent: 2 });
  const both = () =>
    new ReportedRun()
      .delivered('msg_0')
      .store('msg_p1', planned(1), { targetStep: 1 })
      .store('msg_p2', planned(2), { targetStep: 2 });

  it('are in one group, however far each of them has progressed', () => {
    const run = both().delivered('msg_p1').store('msg_1', result(1), { out: '"A"' });
    const { steps } = run.stumbles('msg_p2', { status: 503 }).object();
    expect(steps).toHaveLength(2);
    expect(steps[1]).toMatchObject({
      type: 'parallel',
      steps: [
        { stepId: 1, messageId: 'msg_1', state: 'STEP_SUCCESS', out: '"A"', concurrent: 2 },
        { stepId: 2, messageId: 'msg_p2', state: 'STEP_RETRY', errors: [{ status: 503 }] },
      ],
    });
  });

  it('show the branch that failed, and the others as canceled', () => {
    const run = both().fails('msg_p1', { status: 489 }).failWith('msg_p1').canceled('msg_p2');
    expect(run.object().steps[1]).toMatchObject({
      type: 'parallel',
      steps: [
        { state: 'STEP_FAILED', errors: [{ status: 489 }] },
        { state: 'STEP_CANCELED', stepName: 'branch 2' },
      ],
    });
  });

  it('are followed by the delivery of the last result', () => {
    const run = both().delivered('msg_p1').delivered('msg_p2');
    run.store('msg_2', result(2)).store('msg_1', result(1)).delivered('msg_2');
    expect(run.stumbles('msg_1').object().steps).toMatchObject([
      { type: 'sequential' },
      { type: 'parallel', steps: [{ messageId: 'msg_1' }, { messageId: 'msg_2' }] },
      { type: 'next', steps: [{ messageId: 'msg_1', state: 'STEP_RETRY' }] },
    ]);
  });
});
