import type {
  CancelRun,
  EndRun,
  EndWait,
  InvokeRun,
  OpenWaitForEvent,
  RequestCall,
  StartReceipt,
} from '../../../src/workflows/run-state/run.commands.js';
import { noStepOptions } from '../../../src/workflows/runs/run-messages.policy.js';
import { epochMs } from '../../support/given.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';
import {
  runConfiguration,
  runTermsOf,
  startRun,
  stepInfo,
  submitStep,
  toRun,
} from '../../support/workflows/run-commands.js';
import { openRunEngine, type RunEngine } from '../../support/workflows/run-engine.js';

let runs: RunEngine;

beforeEach(async () => {
  runs = await openRunEngine();
});

afterEach(async () => {
  expect(runs.failures).toEqual([]);
  expect(runs.refused).toEqual([]);
  await runs.close();
});

const flowControl = { key: 'k', parallelism: 2, rate: null, periodSeconds: 1 };
const { headers: _, ...failureCallback } = callbackOptions({ url: 'https://app.example/failed' });
const configuration = runConfiguration({
  headers: ['X-Tenant', 'acme'],
  terms: runTermsOf({ maxRetries: 0, labels: ['blue'], flowControl, failureCallback }),
});
const start = (changes = {}) => runs.ask(startRun({ configuration, ...changes }));
/** The types of the events of a stream that have an index term. */
async function typesFound(term: string, id: string): Promise<string[]> {
  const types: string[] = [];
  const range = { from: 0, until: runs.journal.endOffset, order: 'oldest' as const };
  for await (const envelope of runs.journal.query({ terms: [[term], [id]], ...range })) {
    if (envelope.id === id) types.push(envelope.event.type);
  }
  return types;
}
const pendingMessages = () => [...runs.engine.actors('message').ids()];

const wait = (id: number) =>
  toRun<OpenWaitForEvent>({
    type: 'OpenWait',
    step: stepInfo(id, { type: 'Wait' }),
    eventId: 'paid',
    timeout: '1h',
    deadline: epochMs + 3_600_000,
    messageId: `msg_wait_${id}`,
  });
const endWait = (stepId: number, changes: Partial<EndWait> = {}) =>
  toRun<EndWait>({
    type: 'EndWait',
    stepId,
    waitOffset: runs.run()?.context.waits.find(({ step }) => step.id === stepId)?.offset ?? -1,
    messageId: `msg_ended_${stepId}`,
    notification: null,
    ...changes,
  });
const call = toRun<RequestCall>({
  type: 'RequestCall',
  step: stepInfo(1, { type: 'Call' }),
  messageId: 'msg_call',
  message: messageOptions({ url: 'https://third.example/x', maxRetries: 1 }),
  body: Buffer.from('ask'),
  callback: { ...noStepOptions, headers: ['Svc-Workflow-Callback', 'true'] },
});
const invoke = toRun<InvokeRun>({
  type: 'InvokeRun',
  step: stepInfo(1, { type: 'Invoke' }),
  child: startRun({ id: 'wfr_child', messageId: 'msg_child', configuration }),
});

describe('a run', () => {
  it('publishes its initial delivery with its configuration', async () => {
    await start({ notBefore: epochMs + 5 });
    const { event, body } = await runs.published('msg_0');
    expect(event).toMatchObject({
      url: configuration.url,
      method: 'POST',
      contentType: 'application/json',
      notBefore: epochMs + 5,
      maxRetries: 0,
      labels: ['blue'],
      flowControl,
      // The run's headers are added when it is delivered.
      headers: [],
      run: {
        runId: 'wfr_1',
        role: 'step',
        entry: 0,
        startedOffset: runs.run()?.context.startedOffset,
      },
    });
    expect(body).toBeNull();
  });

  it('publishes a delivery for each step, with the options of the step', async () => {
    await start();
    const options = { ...noStepOptions, maxRetries: 7, headers: ['X-Own', '1'] };
    await runs.ask(submitStep(stepInfo(1), { notBefore: epochMs + 9, options }));
    const { event } = await runs.published('msg_1');
    expect(event).toMatchObject({
      maxRetries: 7,
      headers: ['X-Own', '1'],
      labels: ['blue'],
      notBefore: epochMs + 9,
      run: { role: 'step', entry: 1 },
    });
  });

  it('publishes nothing for a step that came before', async () => {
    await start();
    await runs.ask(submitStep(stepInfo(1)));
    await runs.ask(submitStep(stepInfo(1), { messageId: 'msg_again' }));
    expect(pendingMessages()).toEqual(['msg_0', 'msg_1']);
  });

  it('that its endpoint took over is delivered again', async () => {
    await start();
    const own = runConfiguration({ url: 'https://own.example/wf' });
    const takeover = startRun({ isTakeover: true, messageId: 'msg_own', configuration: own });
    expect(await runs.ask(takeover)).toMatchObject({ value: { messageId: 'msg_own' } });
    const { event } = await runs.published('msg_own');
    expect(event).toMatchObject({ url: 'https://own.example/wf', run: { entry: 0 } });
  });

  it('that its endpoint took over completes its first delivery, and continues', async () => {
    await start();
    const own = runConfiguration({ terms: runTermsOf({ labels: ['own'] }) });
    await runs.ask(startRun({ isTakeover: true, messageId: 'msg_own', configuration: own }));
    expect(await runs.history('msg_0')).toEqual(['MessagePublished', 'MessageCompleted']);
    expect(pendingMessages()).toEqual(['msg_own']);
    expect(await runs.history('wfr_1')).toEqual(['RunStarted', 'RunReconfigured']);
    // Its later outcome has no effect on the run.
    await runs.attempted('msg_0', 500, { nonRetryable: true });
    expect(runs.run()?.matches('active')).toBe(true);
    expect(await typesFound('label:blue', 'msg_0')).toEqual([
      'MessagePublished',
      'MessageCompleted',
    ]);
    expect(await typesFound('label:own', 'wfr_1')).toEqual(['RunReconfigured']);
  });
});

describe('a call of a run', () => {
  it('gets no headers of the run, and its answer is delivered to the endpoint', async () => {
    await start();
    await runs.ask(call);
    await runs.attempted('msg_0', 200);
    const { event, body } = await runs.published('msg_call');
    expect(event).toMatchObject({ url: 'https://third.example/x', headers: [], maxRetries: 1 });
    expect(body?.toString()).toBe('ask');
    await runs.attempted('msg_call', 500);
    // Intermediate answers are not delivered.
    expect(pendingMessages()).toEqual(['msg_call']);
    const record = {
      attempt: 1,
      startedAt: 0,
      durationMs: 1,
      status: 500,
      headers: [],
      error: null,
    };
    await runs.attempted('msg_call', 500, { record });
    const [answer = ''] = pendingMessages();
    expect((await runs.published(answer)).event).toMatchObject({
      url: configuration.url,
      headers: ['Svc-Workflow-Callback', 'true'],
      callbackOf: { kind: 'callback', messageId: 'msg_call' },
      run: { role: 'callResult', runId: 'wfr_1' },
    });
    expect(runs.run()?.matches('active')).toBe(true);
    // The endpoint does not submit a step for it, so no step will ever come.
    await runs.attempted(answer, 200);
    expect((await runs.history('wfr_1')).at(-1)).toBe('RunFailed');
  });

  it('whose answer the endpoint does not accept fails the run, which is reported', async () => {
    await start();
    await runs.ask(call);
    await runs.attempted('msg_0', 200);
    await runs.attempted('msg_call', 200);
    const [answer = ''] = pendingMessages();
    await runs.attempted(answer, 500);
    expect((await runs.history('wfr_1')).at(-1)).toBe('RunFailed');
    const [called = ''] = pendingMessages();
    expect((await runs.published(called)).event).toMatchObject({
      url: failureCallback.url,
      callbackOf: { kind: 'failureCallback', messageId: answer },
    });
  });

  it('is canceled with the run', async () => {
    await start();
    await runs.ask(call);
    await runs.ask(toRun<CancelRun>({ type: 'CancelRun' }));
    expect(pendingMessages()).toEqual([]);
    expect(await runs.history('msg_call')).toEqual(['MessagePublished', 'MessageCanceled']);
  });
});

describe('a run that waits', () => {
  it('does not end when its messages are done, and continues when the wait ends', async () => {
    await start();
    await runs.ask(wait(1));
    await runs.attempted('msg_0', 200);
    expect(runs.run()?.matches('active')).toBe(true);
    const notification = { id: 'ntf_1', body: Buffer.from('{"ok":true}') };
    expect(await runs.ask(endWait(1, { notification }))).toMatchObject({
      value: { messageId: 'msg_ended_1' },
    });
    expect((await runs.published('msg_ended_1')).event.run).toMatchObject({ entry: 1 });
  });

  it('has only one end of a wait, whichever comes first', async () => {
    await start();
    await runs.ask(wait(1));
    const late = endWait(1, { messageId: 'msg_late' });
    await runs.ask(endWait(1));
    expect(await runs.ask(late)).toMatchObject({
      ok: false,
      code: 'conflict',
    });
    expect(runs.run()?.context.entries.length).toBe(2);
  });

  it('does not mistake the end of an earlier wait for that of a later one', async () => {
    await start();
    await runs.ask(wait(1));
    const stale = endWait(1);
    await runs.ask(endWait(1));
    await runs.ask(wait(2));
    expect(await runs.ask<EndWait>({ ...stale, stepId: 2 })).toMatchObject({ ok: false });
  });

  it('fails once everything is done without a next step', async () => {
    await start();
    await runs.ask(wait(1));
    await runs.ask(endWait(1));
    await runs.attempted('msg_0', 200);
    expect(runs.run()?.matches('active')).toBe(true);
    await runs.attempted('msg_ended_1', 200);
    expect(runs.run()).toBeUndefined();
  });
});

describe('a run that invoked another one', () => {
  const child = () => runs.run('wfr_child');
  const end = (id: string) =>
    toRun<EndRun>({ type: 'EndRun', id, response: Buffer.from('{"a":1}') });

  beforeEach(async () => {
    await start();
    await runs.ask(invoke);
    await runs.attempted('msg_0', 200);
  });

  it('starts it in the same turn, and waits for its end', async () => {
    expect(child()?.context.invoker).toMatchObject({ runId: 'wfr_1', step: { id: 1 } });
    expect((await runs.published('msg_child')).event.run).toMatchObject({ runId: 'wfr_child' });
    expect(runs.run()?.matches('active')).toBe(true);
  });

  it('continues when the invoked run has returned', async () => {
    await runs.ask(end('wfr_child'));
    const ended = runs.run()?.context.entries.at(1)?.messageId ?? '';
    expect((await runs.published(ended)).event.run).toMatchObject({ runId: 'wfr_1', entry: 1 });
    expect(await runs.history('msg_child')).toEqual(['MessagePublished', 'MessageCompleted']);
  });

  it.each([
    ['has failed', () => runs.attempted('msg_child', 500)],
    ['was canceled', () => runs.ask(toRun<CancelRun>({ type: 'CancelRun', id: 'wfr_child' }))],
  ])('continues when the invoked run %s', async (_name, ended) => {
    await ended();
    expect(await runs.history('wfr_1')).toContain('InvocationEnded');
    expect(runs.run()?.context.invocations).toEqual([]);
  });

  it('does not affect the invoked run when it ends itself', async () => {
    await runs.ask(end('wfr_1'));
    expect(child()?.matches('active')).toBe(true);
    await runs.ask(end('wfr_child'));
    expect(child()).toBeUndefined();
  });

  it('does not invoke it again, however long it has been running', async () => {
    const later = epochMs + 3_600_000;
    const other = startRun({ id: 'wfr_2', messageId: 'msg_2', at: later });
    await runs.ask(other);
    const again: InvokeRun = { ...invoke, id: 'wfr_2', at: later };
    expect(await runs.ask(again)).toMatchObject({
      ok: false,
      code: 'conflict',
      message: 'workflow run wfr_child has been started before',
    });
  });
});

describe('a run that ends', () => {
  it('completes the messages that are due and cancels the rest', async () => {
    await start();
    await runs.ask(submitStep(stepInfo(1), { notBefore: epochMs + 60_000 }));
    await runs.ask(toRun<EndRun>({ type: 'EndRun', response: Buffer.alloc(0) }));
    expect(await runs.history('msg_0')).toEqual(['MessagePublished', 'MessageCompleted']);
    expect(await runs.history('msg_1')).toEqual(['MessagePublished', 'MessageCanceled']);
    expect(pendingMessages()).toEqual([]);
    expect(runs.runs.pending.has('wfr_1')).toBe(false);
  });

  it('by a failure cancels its messages and calls its failure callback', async () => {
    await start();
    await runs.ask(submitStep(stepInfo(1), { notBefore: epochMs + 60_000 }));
    await runs.attempted('msg_0', 500);
    expect(await runs.history('msg_1')).toEqual(['MessagePublished', 'MessageCanceled']);
    const [called = ''] = pendingMessages();
    expect((await runs.published(called)).event).toMatchObject({
      url: 'https://app.example/failed',
      callbackOf: { kind: 'failureCallback', messageId: 'msg_0' },
      run: { role: 'failureCallback', runId: 'wfr_1' },
    });
    expect(runs.runs.pending.has('wfr_1')).toBe(false);
    // The run has ended: the outcome of that call has no effect.
    await runs.attempted(called, 500);
    expect(await runs.history('wfr_1')).toEqual(['RunStarted', 'StepStored', 'RunFailed']);
  });

  it('by two failures in one turn fails once', async () => {
    await start();
    await runs.ask(submitStep(stepInfo(1)));
    const failing = ['msg_0', 'msg_1'].map((id) => ({
      type: 'RecordAttempt',
      kind: 'message',
      id,
      at: epochMs,
      record: { attempt: 0, startedAt: 0, durationMs: 1, status: 500, headers: [], error: null },
      nonRetryable: false,
      responseBody: Buffer.alloc(0),
      terms: [],
    }));
    await runs.engine.dispatch(failing);
    const ends = (await runs.history('wfr_1')).filter((type) => type === 'RunFailed');
    expect(ends).toHaveLength(1);
    expect(await runs.history('msg_1')).toEqual(['MessagePublished', 'MessageFailed']);
  });

  it('by the cancel of its last message is canceled, and calls no failure callback', async () => {
    await start();
    await runs.canceled('msg_0');
    expect(await runs.history('wfr_1')).toEqual(['RunStarted', 'RunCanceled']);
    expect(pendingMessages()).toEqual([]);
  });

  it('leaves nothing in memory', async () => {
    await start();
    await runs.ask(wait(1));
    await runs.ask(toRun<CancelRun>({ type: 'CancelRun' }));
    expect(runs.engine.actors('run').size).toBe(0);
    expect(runs.runs.waiters.of('paid')).toEqual([]);
    expect(runs.runs.pending.of('wfr_1')).toEqual([]);
  });
});

describe('a turn that is rolled back', () => {
  it('leaves runs, their lists and their indexes as they were', async () => {
    await start();
    await runs.ask(wait(1));
    const before = runs.run();
    const refused = await runs.engine.dispatchTogether([
      submitStep(stepInfo(2)),
      endWait(1),
      startRun({ id: 'wfr_2', messageId: 'msg_2' }),
      submitStep(stepInfo(1), { id: 'wfr_none' }),
    ]);
    expect(refused.map(({ ok: accepted }) => accepted)).toEqual([false, false, false, false]);
    expect(runs.run()).toBe(before);
    expect(runs.runs.waiters.of('paid')).toHaveLength(1);
    expect(runs.runs.pending.of('wfr_1')).toEqual(['msg_0']);
    expect(runs.run('wfr_2')).toBeUndefined();
    const started = await start({ id: 'wfr_2', messageId: 'msg_3' });
    expect(started).toMatchObject({
      value: { deduplicated: false } satisfies Partial<StartReceipt>,
    });
    await runs.ask(submitStep(stepInfo(2), { messageId: 'msg_two' }));
    const entries = runs
      .run()
      ?.context.entries.toArray()
      .map(({ messageId }) => messageId);
    expect(entries).toEqual(['msg_0', 'msg_two']);
  });
});
