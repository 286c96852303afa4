import type { Client } from '@upstash/workflow';
import { createWorkflow } from '@upstash/workflow/cloudflare';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

interface Wait {
  readonly eventId: string;
  readonly timeout?: `${bigint}s`;
  /** Seconds before the wait begins. */
  readonly sleep?: number;
}

type NotifyResponse = Awaited<ReturnType<Client['notify']>>[number];

/** The run that an item of an answer to a notify has released. */
const runOf = ({ waiter }: NotifyResponse) => waiter.headers['Upstash-Workflow-Runid']?.[0];

const waiting = createWorkflow<Wait, unknown>(async (context) => {
  const { eventId, timeout = '60s', sleep = 0 } = context.requestPayload;
  if (sleep > 0) await context.sleep('nap', sleep);
  return await context.waitForEvent('wait', eventId, { timeout });
});

const waitingTwice = createWorkflow<Wait, unknown>(async (context) => {
  const { eventId } = context.requestPayload;
  await context.sleep('nap', 1);
  const first = await context.waitForEvent('first', eventId, { timeout: '60s' });
  const second = await context.waitForEvent('second', eventId, { timeout: '60s' });
  return [first.eventData, second.eventData];
});

const waitingBeside = createWorkflow<Wait, unknown>(async (context) => {
  const { eventId } = context.requestPayload;
  const [one, ran, two, never] = await Promise.all([
    context.waitForEvent('one', eventId, { timeout: '60s' }),
    context.run('run', () => 'ran'),
    context.waitForEvent('two', eventId, { timeout: '60s' }),
    context.waitForEvent('never', `${eventId}-never`, { timeout: '1s' }),
  ]);
  return [one.eventData, ran, two.eventData, never];
});

const notifying = createWorkflow<{ eventId: string; runId?: string }, unknown>(async (context) => {
  const { eventId, runId } = context.requestPayload;
  const { notifyResponse, eventData } = await context.notify(
    'notify',
    eventId,
    { from: 'a workflow' },
    runId,
  );
  return { released: notifyResponse.map(runOf), eventData };
});

let stage: WorkflowStage;

beforeAll(async () => {
  stage = await startWorkflowStage({ waiting, waitingTwice, waitingBeside, notifying });
});

afterEach(() => expect(stage.app.contradictions()).toEqual([]));

afterAll(() => stage.end());

/** The waiters of an event, once there are that many. */
async function waiters(eventId: string, count = 1) {
  for (;;) {
    const found = await stage.app.client.getWaiters({ eventId });
    if (found.length >= count) return found;
    await stage.quiet();
  }
}

describe('waiting for an event', () => {
  it('ends with what the event brings', async () => {
    const runId = await stage.app.trigger('waiting', { body: { eventId: 'order/1 paid' } });
    const [waiter] = await waiters('order/1 paid');
    expect(waiter).toMatchObject({
      url: stage.app.urlOf('waiting'),
      headers: {
        'Upstash-Workflow-Runid': [runId],
        'Upstash-Workflow-Url': [stage.app.urlOf('waiting')],
      },
    });
    // In seconds.
    expect(Math.abs((waiter?.deadline ?? 0) - Date.now() / 1000)).toBeLessThan(120);
    const released = await stage.app.client.notify({
      eventId: 'order/1 paid',
      eventData: { ok: true },
    });
    expect(released).toMatchObject([{ workflowRunId: runId, waiter: { url: waiter?.url } }]);
    expect(await stage.app.outcome(runId)).toEqual({
      state: 'RUN_SUCCESS',
      response: { eventData: { ok: true }, timeout: false },
    });
    const calls = stage.app.callsOf(runId);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.messageId).toBe(released[0]?.messageId);
    expect(await stage.app.client.getWaiters({ eventId: 'order/1 paid' })).toEqual([]);
  });

  it('ends when it times out', async () => {
    const runId = await stage.app.trigger('waiting', {
      body: { eventId: 'in-vain', timeout: '1s' },
    });
    expect((await stage.app.outcome(runId)).response).toEqual({ timeout: true });
    expect(stage.app.callsOf(runId)).toHaveLength(2);
    expect(await stage.app.client.notify({ eventId: 'in-vain' })).toEqual([]);
  });

  it('ends in every run that waits for the event, with nothing if it brings nothing', async () => {
    const body = { eventId: 'shared' };
    const runIds = [
      await stage.app.trigger('waiting', { body }),
      await stage.app.trigger('waiting', { body }),
    ];
    await waiters('shared', 2);
    const released = await stage.app.client.notify({ eventId: 'shared' });
    const releasedIds = released.map(runOf).sort();
    expect(releasedIds).toEqual([...runIds].sort());
    for (const runId of runIds) {
      expect((await stage.app.outcome(runId)).response).toEqual({ timeout: false });
    }
  });

  it('may be done by many branches, each for itself', async () => {
    const runId = await stage.app.trigger('waitingBeside', { body: { eventId: 'beside' } });
    await waiters('beside', 2);
    expect(await stage.app.client.notify({ eventId: 'beside', eventData: 'news' })).toHaveLength(2);
    expect((await stage.app.outcome(runId)).response).toEqual([
      'news',
      'ran',
      'news',
      { timeout: true },
    ]);
    expect(stage.app.callsOf(runId)).toHaveLength(1 + 2 * 4);
  });
});

describe('an event that comes before the wait', () => {
  it('is lost where no run is named', async () => {
    const runId = await stage.app.trigger('waiting', {
      body: { eventId: 'early', timeout: '1s', sleep: 1 },
    });
    expect(await stage.app.client.notify({ eventId: 'early', eventData: 1 })).toEqual([]);
    expect((await stage.app.outcome(runId)).response).toEqual({ timeout: true });
  });

  it('is kept for the run that is named, one event for one wait', async () => {
    const runId = await stage.app.trigger('waitingTwice', { body: { eventId: 'kept' } });
    const notify = (eventData: string) =>
      stage.app.client.notify({ eventId: 'kept', eventData, workflowRunId: runId });
    expect(await notify('one')).toEqual([]);
    expect(await notify('two')).toEqual([]);
    expect((await stage.app.outcome(runId)).response).toEqual(['one', 'two']);
    // The start, the sleep, both waits.
    expect(stage.app.callsOf(runId)).toHaveLength(4);
  });

  it('releases the one run that is named, if it waits already', async () => {
    const body = { eventId: 'named', timeout: '2s' as const };
    const other = await stage.app.trigger('waiting', { body });
    const runId = await stage.app.trigger('waiting', { body });
    await waiters('named', 2);
    const released = await stage.app.client.notify({
      eventId: 'named',
      eventData: 'yours',
      workflowRunId: runId,
    });
    expect(released.map(runOf)).toEqual([runId]);
    expect((await stage.app.outcome(runId)).response).toEqual({
      eventData: 'yours',
      timeout: false,
    });
    expect((await stage.app.outcome(other)).response).toEqual({ timeout: true });
  });
});

describe('a workflow that notifies', () => {
  it('releases another one that waits', async () => {
    const waiter = await stage.app.trigger('waiting', { body: { eventId: 'between' } });
    await waiters('between');
    const runId = await stage.app.trigger('notifying', { body: { eventId: 'between' } });
    expect((await stage.app.outcome(runId)).response).toEqual({
      released: [waiter],
      eventData: { from: 'a workflow' },
    });
    expect((await stage.app.outcome(waiter)).response).toEqual({
      eventData: { from: 'a workflow' },
      timeout: false,
    });
    expect(stage.app.callsOf(runId)).toHaveLength(2);
  });

  it('may come first, if it names the run', async () => {
    const body = { eventId: 'ahead', sleep: 1 };
    const waiter = await stage.app.trigger('waiting', { body });
    const runId = await stage.app.trigger('notifying', {
      body: { eventId: 'ahead', runId: waiter },
    });
    expect((await stage.app.outcome(runId)).response).toMatchObject({ released: [] });
    expect((await stage.app.outcome(waiter)).response).toEqual({
      eventData: { from: 'a workflow' },
      timeout: false,
    });
  });
});
