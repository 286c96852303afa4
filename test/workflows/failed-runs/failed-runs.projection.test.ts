import type { CancelRun, EndRun } from '../../../src/workflows/run-state/run.commands.js';
import { epochMs } from '../../support/given.js';
import { callbackOptions } from '../../support/message-options.js';
import {
  type FailedRunEngine,
  openFailedRunEngine,
  retentionMs,
} from '../../support/workflows/failed-run-engine.js';
import {
  noPayload,
  runConfiguration,
  runTermsOf,
  startRun,
  stepInfo,
  submitStep,
  toRun,
} from '../../support/workflows/run-commands.js';

const telling = () => {
  const { headers, ...failureCallback } = callbackOptions({ maxRetries: 0 });
  return runConfiguration({ terms: runTermsOf({ failureCallback }) });
};

describe('failed runs', () => {
  let opened: FailedRunEngine;

  beforeEach(async () => {
    opened = await openFailedRunEngine();
  });

  afterEach(() => opened.close());

  const names = (at = epochMs) => opened.all(at).map(({ runId }) => runId);
  const callback = () => {
    const callback = opened.all()[0]?.callback;
    if (callback == null) throw new Error('the failure has no callback');
    return callback;
  };

  it('are the runs that failed, in the order of their failures, and no others', async () => {
    await opened.ask(startRun({ id: 'goes on', messageId: 'msg_on' }));
    await opened.ask(startRun({ id: 'canceled', messageId: 'msg_canceled' }));
    await opened.ask(startRun({ id: 'done', messageId: 'msg_done' }));
    await opened.fail({ id: 'b' });
    await opened.ask(toRun<CancelRun>({ type: 'CancelRun', id: 'canceled' }));
    await opened.ask(toRun<EndRun>({ type: 'EndRun', id: 'done', response: noPayload }));
    await opened.fail({ id: 'a' }, 0);
    expect(names()).toEqual(['b', 'a']);
  });

  it('know where the journal holds their starts and failures', async () => {
    const run = await opened.fail({ id: 'a' });
    const { offset, startedOffset } = run;
    expect(run).toEqual({
      id: `${epochMs}-${offset}s00`,
      at: epochMs,
      offset,
      runId: 'a',
      createdAt: epochMs,
      startedOffset,
      configurationOffset: startedOffset,
      failureCallbackOffset: startedOffset,
      callback: null,
    });
    const { journal } = opened;
    expect(await journal.read(startedOffset)).toMatchObject({ event: { type: 'RunStarted' } });
    expect(await journal.read(offset)).toMatchObject({ id: 'a', event: { type: 'RunFailed' } });
  });

  it('know the configuration in force, and the callback that a step named', async () => {
    await opened.ask(startRun({ id: 'a', messageId: 'msg_0' }));
    await opened.ask(startRun({ id: 'a', messageId: 'msg_1', isTakeover: true }));
    const failureCallback = callbackOptions({ headers: ['X-Tenant', 'acme'] });
    await opened.ask(submitStep(stepInfo(1), { id: 'a', messageId: 'msg_2', failureCallback }));
    await opened.attempted('msg_2', 500, { nonRetryable: true });
    const [run] = opened.all();
    const [started, configured, named] = [
      run?.startedOffset ?? -1,
      run?.configurationOffset ?? -1,
      run?.failureCallbackOffset ?? -1,
    ];
    expect(started).toBeLessThan(configured);
    expect(configured).toBeLessThan(named);
    if (run === undefined) throw new Error('a run that did not fail');
    const configuration = await opened.records.configurationOf(run);
    expect(configuration.failureHeaders).toEqual(['X-Tenant', 'acme']);
    expect(configuration.terms.failureCallback).toMatchObject({ url: failureCallback.url });
    expect(configuration.terms.failureCallback).not.toHaveProperty('headers');
  });

  it.each(['DeleteFailedRun', 'ResumeFailedRun', 'RestartFailedRun'] as const)(
    'are removed by %s, once',
    async (type) => {
      const { id } = await opened.fail({ id: 'a' });
      const command = { type, id, runId: 'wfr_again' };
      expect(await opened.toLetter(command)).toMatchObject({ ok: true });
      expect(names()).toEqual([]);
      expect(await opened.toLetter(command)).toMatchObject({
        ok: false,
        code: 'not_found',
      });
    },
  );

  it('are gone when they are older than the retention, for decisions and for readers', async () => {
    const { id } = await opened.fail({ id: 'a' });
    expect(names(epochMs + retentionMs - 1)).toEqual(['a']);
    expect(names(epochMs + retentionMs)).toEqual([]);
    const late = { type: 'DeleteFailedRun' as const, id, at: epochMs + retentionMs };
    expect(await opened.toLetter(late)).toMatchObject({ ok: false });
  });

  it('have no callback if none is named, and one in progress while it is called', async () => {
    expect((await opened.fail({ id: 'a' })).callback).toBeNull();
    const callback = await opened.fail({ id: 'b', configuration: telling() });
    expect(callback.callback).toEqual({
      state: 'CALLBACK_INPROGRESS',
      messageId: expect.stringMatching(/^msg_/),
      publishedOffset: expect.any(Number),
      attemptOffset: null,
    });
    expect(await opened.journal.read(callback.callback?.publishedOffset ?? -1)).toMatchObject({
      id: callback.callback?.messageId,
      event: { type: 'MessagePublished', callbackOf: { dlqId: callback.id } },
    });
  });

  it.each([
    [200, 'CALLBACK_SUCCESS', 'MessageDelivered'],
    [500, 'CALLBACK_FAIL', 'MessageFailed'],
  ] as const)('know the outcome of their callback: %d is %s', async (status, state, type) => {
    await opened.fail({ id: 'a', configuration: telling() });
    await opened.attempted(callback().messageId, status);
    const { state: became, attemptOffset } = callback();
    expect(became).toBe(state);
    expect(await opened.journal.read(attemptOffset ?? -1)).toMatchObject({ event: { type } });
  });

  it('know that their callback was canceled', async () => {
    await opened.fail({ id: 'a', configuration: telling() });
    await opened.canceled(callback().messageId);
    expect(callback()).toMatchObject({ state: 'CALLBACK_CANCELED', attemptOffset: null });
  });

  it('that were removed meanwhile do not come back when their callback ends', async () => {
    const run = await opened.fail({ id: 'a', configuration: telling() });
    const { messageId } = callback();
    await opened.toLetter({ type: 'DeleteFailedRun', id: run.id });
    await opened.attempted(messageId, 200);
    expect(names()).toEqual([]);
  });

  it('are the same after a restart, and follow callbacks that end later', async () => {
    await opened.fail({ id: 'a', configuration: telling() });
    const taken = await opened.fail({ id: 'b' });
    await opened.toLetter({ type: 'DeleteFailedRun', id: taken.id });
    await opened.fail({ id: 'c', configuration: telling() });
    const before = opened.all();
    await opened.close();
    opened = await openFailedRunEngine(opened.directory);
    expect(before.map(({ runId }) => runId)).toEqual(['a', 'c']);
    expect(opened.all()).toEqual(before);
    await opened.attempted(callback().messageId, 200);
    expect(opened.all().map((run) => run.callback?.state)).toEqual([
      'CALLBACK_SUCCESS',
      'CALLBACK_INPROGRESS',
    ]);
  });
});
