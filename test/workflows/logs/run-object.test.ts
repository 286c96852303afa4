import { redacted } from '../../../src/messaging/messages/redaction.js';
import type { RunEvent } from '../../../src/workflows/run-state/run.events.js';
import { callbackOptions } from '../../support/message-options.js';
import {
  configuration,
  ReportedRun,
  stepOf,
  workflow,
} from '../../support/workflows/reported-run.js';
import { runPlace } from '../../support/workflows/run-place.js';

const hidden = { body: true, headers: ['x-tenant'] };

describe('a run that has begun', () => {
  it('shows its payload, and the delivery of the payload', () => {
    expect(new ReportedRun().object()).toEqual({
      workflowRunId: 'wfr_1',
      workflowUrl: workflow,
      workflowState: 'RUN_STARTED',
      state: 'running',
      workflowRunCreatedAt: 1000,
      workflowRunCallerIp: '10.0.0.1',
      steps: [
        {
          type: 'sequential',
          steps: [
            {
              stepId: 0,
              stepName: 'init',
              stepType: 'Initial',
              callType: 'step',
              messageId: 'msg_0',
              state: 'STEP_SUCCESS',
              createdAt: 1000,
              concurrent: 1,
              headers: {
                'Content-Type': ['application/json'],
                'X-Tenant': ['acme'],
                'Svc-Workflow-Sdk-Version': ['1'],
              },
              retries: 3,
              out: '{"n":1}',
            },
          ],
        },
        {
          type: 'next',
          steps: [{ messageId: 'msg_0', state: 'STEP_PROGRESS', retries: 3, nextDeliveryTime: 0 }],
        },
      ],
    });
  });

  it('shows that it waits for a retry, or that a retry is in progress', () => {
    const run = new ReportedRun().stumbles('msg_0', { headers: ['Svc-Error-Step-Name', 'one'] });
    const next = (running: ReadonlySet<string>) => run.object({ running }).steps.at(-1)?.steps;
    const errors = [
      {
        status: 500,
        error: 'the destination answered 500',
        body: 'oops',
        headers: { 'Svc-Error-Step-Name': ['one'] },
        time: 3000,
      },
    ];
    const shown = { messageId: 'msg_0', stepName: 'one', retries: 3, errors };
    expect(next(new Set())).toEqual([{ ...shown, state: 'STEP_RETRY', nextDeliveryTime: 99_000 }]);
    expect(next(new Set(['msg_0']))).toEqual([{ ...shown, state: 'STEP_PROGRESS' }]);
  });

  it('shows for a step the failures before it came', () => {
    const run = new ReportedRun().stumbles('msg_0').delivered('msg_0').store('msg_1', stepOf(1));
    const [initial, first] = run.steps();
    expect(initial).not.toHaveProperty('errors');
    expect(first).toMatchObject({ state: 'STEP_SUCCESS', errors: [{ status: 500 }] });
  });

  it('shows the configuration that its endpoint set', () => {
    const labels = ['a', 'b'];
    const flowControl = { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 };
    const terms = { ...configuration().terms, labels, flowControl };
    const run = new ReportedRun().delivered('msg_0').happen({
      type: 'RunReconfigured',
      configuration: configuration({ terms, headers: [] }),
      messageId: 'msg_again',
      completed: [],
    });
    run.deliver('msg_again', 0);
    expect(run.object()).toMatchObject({
      label: 'a',
      labels: ['a', 'b'],
      flowControlKey: 'k',
      steps: [
        { steps: [{ messageId: 'msg_again', headers: { 'Content-Type': ['application/json'] } }] },
        { type: 'next', steps: [{ messageId: 'msg_again', state: 'STEP_PROGRESS' }] },
      ],
    });
  });

  it('has nothing of a later run with the same id', () => {
    const run = new ReportedRun().delivered('msg_0').happen({ type: 'RunCanceled', canceled: [] });
    const { started } = run.history;
    run.happen(started.event).happen({
      type: 'StepStored',
      step: stepOf(1),
      messageId: 'msg_other',
      bytes: 1,
    });
    run.publish('msg_other', { run: runPlace({ entry: 1, startedOffset: 4 }) });
    const { steps, workflowState } = run.object();
    expect([workflowState, steps.length]).toEqual(['RUN_CANCELED', 1]);
  });

  it('continues with the entries of the run that it resumes', () => {
    const step = stepOf(1);
    const entries = [
      {
        messageId: 'old_0',
        offset: -9,
        step: stepOf(0, { name: 'init', type: 'Initial' }),
        bytes: 1,
      },
      { messageId: 'old_1', offset: -8, step, bytes: 1 },
    ];
    const calls = [{ step: stepOf(2, { type: 'Call' }), messageId: 'msg_call' }];
    const inherited = {
      runId: 'wfr_0',
      entries,
      calls,
      waits: [],
      notifications: [],
      invocations: [],
    };
    const run = new ReportedRun({ inherited });
    run.publish('msg_call', {
      url: 'https://third.example/',
      run: runPlace({ role: 'call', entry: -1 }),
    });
    expect(run.steps()).toMatchObject([
      { stepName: 'init', messageId: 'old_0', createdAt: 500 },
      { stepName: 'step 1', messageId: 'old_1', state: 'STEP_SUCCESS', out: 'inherited' },
      { stepType: 'Call', messageId: 'msg_call', callType: 'toCallback', state: 'STEP_PROGRESS' },
    ]);
  });
});

describe('a run that has ended', () => {
  const succeeded: RunEvent = { type: 'RunSucceeded', completed: ['msg_0'], canceled: [] };

  it('shows what it returned, and which run waited for it', () => {
    const step = stepOf(4);
    const invoker = { runId: 'wfr_p', url: 'https://example.com/p', createdAt: 7, step };
    const run = new ReportedRun({ invoker }).delivered('msg_0');
    run.happen(succeeded, Buffer.from('{"sum":2}'));
    const shown = run.object();
    expect(shown).toMatchObject({
      workflowState: 'RUN_SUCCESS',
      workflowRunCompletedAt: 4000,
      workflowRunResponse: '{"sum":2}',
      invoker: {
        workflowRunId: 'wfr_p',
        workflowUrl: 'https://example.com/p',
        workflowRunCreatedAt: 7,
      },
    });
    expect(shown.steps).toHaveLength(1);
  });

  it('shows the step in which it was canceled', () => {
    const run = new ReportedRun().delivered('msg_0').store('msg_1', stepOf(1));
    run.happen({ type: 'RunCanceled', canceled: ['msg_1'] }).canceled('msg_1');
    const { workflowState, steps } = run.object();
    expect(workflowState).toBe('RUN_CANCELED');
    expect(steps.at(-1)).toMatchObject({
      type: 'next',
      steps: [{ messageId: 'msg_1', state: 'STEP_CANCELED' }],
    });
  });

  it('shows why it failed, and its dead letter', () => {
    const run = new ReportedRun().stumbles('msg_0').fails('msg_0', { attempt: 1 }, 'why');
    expect(run.failWith('msg_0').object()).toMatchObject({
      workflowState: 'RUN_FAILED',
      dlqId: '5000-4s00',
      steps: [
        { type: 'sequential', steps: [{ stepName: 'init', state: 'STEP_SUCCESS' }] },
        {
          type: 'next',
          steps: [
            { messageId: 'msg_0', state: 'STEP_FAILED', errors: [{ time: 3000 }, { body: 'why' }] },
          ],
        },
      ],
    });
  });

  it('shows once the answer of an endpoint that is not a workflow', () => {
    const error = 'detected a non-workflow destination';
    const run = new ReportedRun()
      .fails('msg_0', { status: 200, error }, '<html>')
      .failWith('msg_0');
    expect(run.object().steps.at(-1)).toMatchObject({
      type: 'next',
      steps: [{ state: 'STEP_FAILED', errors: [{ status: 200, error, body: '<html>' }] }],
    });
  });

  it('shows that it stalled', () => {
    const run = new ReportedRun().delivered('msg_0', {}, 'hello').failWith('msg_0', 'stalled');
    expect(run.object().steps.at(-1)).toMatchObject({
      type: 'next',
      steps: [
        {
          messageId: 'msg_0',
          state: 'STEP_FAILED',
          errors: [{ status: 200, body: 'hello', error: expect.stringContaining('none of them') }],
        },
      ],
    });
  });

  it('shows the failures before it stalled', () => {
    const run = new ReportedRun()
      .stumbles('msg_0', { status: 503 }, 'busy')
      .delivered('msg_0', {}, 'hello')
      .failWith('msg_0', 'stalled');
    expect(run.object().steps.at(-1)).toMatchObject({
      steps: [
        {
          errors: [
            { status: 503, body: 'busy' },
            { status: 200, body: 'hello' },
          ],
        },
      ],
    });
  });

  it('shows the latest report of its failure', () => {
    const run = new ReportedRun()
      .fails('msg_0', { headers: ['x-why', 'so'] }, 'why')
      .failWith('msg_0');
    const place = { url: workflow, maxRetries: 2, run: runPlace({ role: 'failureCallback' }) };
    run.publish('msg_f', place).fails('msg_f', {}, 'no');
    expect(run.object().failureFunction).toEqual({
      messageId: 'msg_f',
      url: workflow,
      state: 'CALLBACK_FAIL',
      failStatus: 500,
      failHeaders: { 'X-Why': ['so'] },
      failResponse: 'why',
      dlqId: '4000-3s00',
      maxRetries: 2,
      errors: [expect.objectContaining({ status: 500, body: 'no' })],
      responseStatus: 500,
      responseHeaders: {},
      responseBody: 'no',
    });
    run.publish('msg_g', place);
    const again = run.object().failureFunction;
    expect(again).toMatchObject({ messageId: 'msg_g', state: 'CALLBACK_INPROGRESS' });
    expect(again).toHaveProperty('nextDeliveryTime');
    run.delivered('msg_g', {}, '{"result":1}');
    expect(run.object().failureFunction).toMatchObject({
      state: 'CALLBACK_SUCCESS',
      responseBody: '{"result":1}',
    });
  });

  it('shows that its failure callback was canceled', () => {
    const run = new ReportedRun().fails('msg_0').failWith('msg_0');
    run.publish('msg_f', { url: workflow, run: runPlace({ role: 'failureCallback' }) });
    const { failureFunction } = run.stumbles('msg_f', {}, 'no').canceled('msg_f').object();
    expect(failureFunction).toMatchObject({ state: 'CALLBACK_CANCELED', errors: [{ body: 'no' }] });
    expect(failureFunction).not.toHaveProperty('nextDeliveryTime');
  });

  it('shows no report if its endpoint has no failure function', () => {
    const run = new ReportedRun().fails('msg_0').failWith('msg_0');
    run.publish('msg_f', { url: workflow, run: runPlace({ role: 'failureCallback' }) });
    expect(run.object()).toHaveProperty('failureFunction');
    run.delivered('msg_f', { headers: ['Svc-Workflow-Failure-Callback-Notfound', 'true'] });
    expect(run.object()).not.toHaveProperty('failureFunction');
  });

  it('redacts what its starter wants redacted', () => {
    const terms = { ...configuration().terms, redaction: hidden };
    const run = new ReportedRun({ configuration: configuration({ terms }) });
    run.delivered('msg_0').store('msg_1', stepOf(1), { out: '"secret"' });
    run.happen({ type: 'RunSucceeded', completed: [], canceled: [] }, Buffer.from('secret'));
    const shown = run.object();
    expect(shown.workflowRunResponse).toBe(redacted('secret'));
    const [initial, first] = run.steps();
    expect(initial?.out).toBe(redacted('{"n":1}'));
    expect(first?.out).toBe(redacted('"secret"'));
    expect(first?.headers).toMatchObject({ 'X-Tenant': [redacted('acme')] });
    expect(JSON.stringify(shown)).not.toContain('secret');
  });

  it('shows the requested length of its texts', () => {
    const run = new ReportedRun().stumbles('msg_0', {}, 'größer').delivered('msg_0');
    run.happen(succeeded, Buffer.from('"returned"'));
    expect(run.object({ bytesMax: 3 })).toMatchObject({ workflowRunResponse: '"re' });
    expect(run.steps({ bytesMax: 3 })[0]?.out).toBe('{"n');
    const none = run.object({ bytesMax: -1 });
    expect(none).not.toHaveProperty('workflowRunResponse');
    expect(none.steps[0]?.steps[0]).not.toHaveProperty('out');
  });
});

/** Whether a failure function is shown depends on the history, not on the run's configuration. */
it('a run shows no failure function if only its callback was configured', () => {
  const failureCallback = callbackOptions();
  const terms = { ...configuration().terms, failureCallback };
  const run = new ReportedRun({ configuration: configuration({ terms }) });
  expect(run.fails('msg_0').failWith('msg_0').object()).not.toHaveProperty('failureFunction');
});
