import type {
  CancelRun,
  EndRun,
  EndWait,
  InvokeRun,
  OpenWaitForEvent,
  StoreNotification,
} from '../../../src/workflows/run-state/run.commands.js';
import { epochMs } from '../../support/given.js';
import { callbackOptions } from '../../support/message-options.js';
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

afterEach(() => runs.close());

const start = (changes = {}) => runs.ask(startRun({ payload: Buffer.from('payload'), ...changes }));
const step = (id: number, text: string) =>
  runs.ask(submitStep(stepInfo(id), { body: Buffer.from(text) }));

/** The answer to a request for a run's entries. */
async function all(id: string): Promise<string | undefined> {
  const texts = await runs.entries.texts(id);
  if (texts === undefined) return undefined;
  let whole = '';
  for await (const text of texts) whole += text;
  return whole;
}

/** Listeners get events after the answers to the commands that caused them. */
const shown = () => new Promise((resolve) => setImmediate(resolve));

/** Message ids and bodies as text. */
const read = (array: Buffer | string | undefined) =>
  (JSON.parse(String(array)) as { messageId: string; body: string }[]).map(
    ({ messageId, body }) => [messageId, Buffer.from(body, 'base64').toString()],
  );
const delivered = async (id: string) => runs.entries.entries(await runs.published(id));

describe('what a step delivers', () => {
  it('is the list up to its own entry, whatever has come since', async () => {
    await start();
    await step(1, 'one');
    await step(2, 'two');
    expect(read(await delivered('msg_0'))).toEqual([['msg_0', 'payload']]);
    expect(read(await delivered('msg_1'))).toEqual([
      ['msg_0', 'payload'],
      ['msg_1', 'one'],
    ]);
    expect(read(await all('wfr_1'))).toHaveLength(3);
    expect(read(await delivered('msg_1'))).toHaveLength(2);
  });

  it('is the same after a restart', async () => {
    await start();
    await step(1, 'one');
    const before = await delivered('msg_1');
    await runs.close();
    runs = await openRunEngine(runs.directory);
    expect(await delivered('msg_1')).toEqual(before);
  });

  it('is cached only as the list, and not at all once the run has ended', async () => {
    const { archive, entries, payloads } = runs;
    const isKept = async (id: string, place: 'startedOffset' | 'eventOffset') =>
      payloads.peek((await runs.published(id)).event.run?.[place] ?? -1) !== undefined;
    runs.engine.observe(['run'], archive.listener, archive.interest);
    runs.engine.observe(['run'], entries.listener, entries.interest);
    await start();
    await step(1, 'one');
    await shown();
    await delivered('msg_1');
    expect(await isKept('msg_1', 'startedOffset')).toBe(true);
    expect(await isKept('msg_1', 'eventOffset')).toBe(false);
    expect(read(await delivered('msg_1'))).toHaveLength(2);
    await runs.ask(toRun<EndRun>({ type: 'EndRun', response: Buffer.from('"done"') }));
    await shown();
    expect(await isKept('msg_1', 'startedOffset')).toBe(false);
  });

  it('begins with the new message once the run was taken over', async () => {
    await start();
    expect(read(await delivered('msg_0'))).toEqual([['msg_0', 'payload']]);
    await start({ isTakeover: true, messageId: 'msg_own' });
    expect(read(await delivered('msg_own'))).toEqual([['msg_own', 'payload']]);
  });

  it('is left for the endpoint to fetch if it is large and the endpoint can fetch it', async () => {
    const payload = Buffer.alloc(1024 * 1024, 'x');
    await start({ payload });
    const configuration = runConfiguration({ fetchesLazily: false });
    await start({ id: 'wfr_2', messageId: 'msg_eager', payload, configuration });
    expect((await delivered('msg_0')).length).toBe(0);
    expect((await runs.published('msg_0')).event.bodyBytes).toBe(0);
    expect(read(await delivered('msg_eager'))[0]?.[1]).toBe(payload.toString());
    expect(read(await all('wfr_1'))[0]?.[1]).toBe(payload.toString());
  });

  it('is not left to be fetched if the list no longer has its message id', async () => {
    const payload = Buffer.alloc(1024 * 1024, 'x');
    await start({ payload });
    await start({ isTakeover: true, messageId: 'msg_own' });
    expect((await delivered('msg_own')).length).toBe(0);
    // The first delivery is in progress, or is retried after a takeover of an earlier version.
    expect(read(await delivered('msg_0'))).toEqual([['msg_own', payload.toString()]]);
  });

  it('is empty once the run has ended', async () => {
    await start();
    const published = await runs.published('msg_0');
    await runs.ask(toRun<CancelRun>({ type: 'CancelRun' }));
    expect((await runs.entries.entries(published)).length).toBe(0);
    expect(await all('wfr_1')).toBeUndefined();
  });

  it('is never that of another run that reuses the id', async () => {
    await start();
    await step(1, 'one');
    await all('wfr_1');
    const published = await runs.published('msg_0');
    await runs.ask(toRun<CancelRun>({ type: 'CancelRun' }));
    await start({ at: epochMs + 600_000, messageId: 'msg_0', payload: Buffer.from('other') });
    expect(read(await all('wfr_1'))).toEqual([['msg_0', 'other']]);
    expect((await runs.entries.entries(published)).length).toBe(0);
  });

  it('is complete even if two large runs evict each other from the cache', async () => {
    const large = Buffer.alloc(9 * 1024 * 1024, 'x');
    for (const id of ['wfr_1', 'wfr_2']) {
      await start({ id, messageId: `msg_${id}`, payload: large });
      for (const number of [1, 2, 3, 4]) {
        const messageId = `msg_${id}_${number}`;
        await runs.ask(submitStep(stepInfo(number), { id, messageId, body: large }));
      }
    }
    const [one, two] = await Promise.all(['wfr_1', 'wfr_2'].map((id) => all(id)));
    expect(read(one)).toHaveLength(5);
    expect(read(two)).toHaveLength(5);
  }, 60_000);
});

describe('the entry of a wait', () => {
  const wait = (id: number) =>
    runs.ask(
      toRun<OpenWaitForEvent>({
        type: 'OpenWait',
        step: stepInfo(id, { type: 'Wait' }),
        eventId: 'paid',
        timeout: '1h',
        deadline: epochMs,
        messageId: `msg_now_${id}`,
      }),
    );
  const end = (stepId: number, notification: EndWait['notification']): EndWait =>
    toRun({
      type: 'EndWait',
      stepId,
      waitOffset: runs.run()?.context.waits.find((open) => open.step.id === stepId)?.offset ?? -1,
      messageId: `msg_ended_${stepId}`,
      notification,
    });
  const lastEntry = async () =>
    JSON.parse(read(await all('wfr_1')).at(-1)?.[1] ?? '') as { out?: string };

  it('contains the bytes of the notification, which many entries share', async () => {
    await start();
    await wait(1);
    await wait(2);
    const notification = { id: 'ntf_1', body: Buffer.from('paid') };
    await runs.engine.dispatch([end(1, notification), end(2, notification)]);
    const out = Buffer.from('paid').toString('base64');
    const bodies = read(await all('wfr_1')).slice(1);
    expect(bodies.map(([, body = '']) => (JSON.parse(body) as { out: string }).out)).toEqual([
      out,
      out,
    ]);
    const stored: (Buffer | null)[] = [];
    for await (const { event, body } of runs.journal.find('wfr_1', 0, runs.journal.endOffset)) {
      if (event.type === 'WaitEnded') stored.push(body);
    }
    expect(stored).toEqual([notification.body, null]);
  });

  it('contains an event that came before the wait', async () => {
    await start();
    const store: StoreNotification = toRun({
      type: 'StoreNotification',
      eventId: 'paid',
      body: Buffer.from('early'),
      isCall: false,
    });
    await runs.ask(store);
    expect(await wait(1)).toMatchObject({ value: { messageId: 'msg_now_1' } });
    expect(await lastEntry()).toMatchObject({
      waitEventId: 'paid',
      out: Buffer.from('early').toString('base64'),
    });
    // A stored event ends only one wait.
    expect(await wait(2)).toMatchObject({ value: { messageId: null } });
  });

  it('reports a timeout', async () => {
    await start();
    await wait(1);
    await runs.ask(end(1, null));
    expect(await lastEntry()).toMatchObject({ waitTimeout: true });
  });
});

describe('the entry of an invocation', () => {
  it('contains what the child returned', async () => {
    await start();
    const invoke: InvokeRun = toRun({
      type: 'InvokeRun',
      step: stepInfo(1, { type: 'Invoke' }),
      child: startRun({ id: 'wfr_child', messageId: 'msg_child' }),
    });
    await runs.ask(invoke);
    await runs.ask(
      toRun<EndRun>({ type: 'EndRun', id: 'wfr_child', response: Buffer.from('{"a":1}') }),
    );
    const [, body = ''] = read(await all('wfr_1')).at(-1) ?? [];
    const { out } = JSON.parse(body) as { out: string };
    expect(JSON.parse(out)).toMatchObject({ workflowRunId: 'wfr_child', body: '{"a":1}' });
  });
});

describe('the headers of a message of a run', () => {
  const { headers: _, ...failureCallback } = callbackOptions();
  const configuration = runConfiguration({
    headers: ['X-Tenant', 'acme', 'X-Own', 'run'],
    failureHeaders: ['X-Failure', '1'],
    terms: runTermsOf({ maxRetries: 0, failureCallback }),
  });
  const headersOf = async (id: string) => runs.entries.headers(await runs.published(id));

  it('are its own headers, which override those of the run', async () => {
    await start({ configuration });
    expect(await headersOf('msg_0')).toEqual(configuration.headers);
  });

  it('are those of the failure callback if the run has failed', async () => {
    await start({ configuration });
    await runs.attempted('msg_0', 500);
    const [called = ''] = runs.engine.actors('message').ids();
    expect(await headersOf(called)).toEqual(['X-Failure', '1']);
    expect((await runs.entries.failedBody(await runs.published(called)))?.toString()).toBe(
      'payload',
    );
  });

  it('are those of the endpoint that took the run over, with the body it expects', async () => {
    const terms = configuration.terms;
    await start({ configuration });
    const own = runConfiguration({
      failureHeaders: ['X-Own', '1'],
      reportsInitialBody: false,
      terms,
    });
    await start({ isTakeover: true, messageId: 'msg_own', configuration: own });
    await runs.attempted('msg_own', 500);
    const [called = ''] = runs.engine.actors('message').ids();
    expect(await headersOf(called)).toEqual(['X-Own', '1']);
    const body = await runs.entries.failedBody(await runs.published(called));
    expect(read(body ?? undefined)).toEqual([['msg_own', 'payload']]);
  });

  it('are those that a step of an older client named, and the body is the whole list', async () => {
    const older = runConfiguration({
      reportsInitialBody: false,
      terms: runTermsOf({ maxRetries: 0 }),
    });
    await start({ configuration: older });
    const callback = callbackOptions({ headers: ['X-Step', '1'] });
    await runs.ask(
      submitStep(stepInfo(1), { failureCallback: callback, body: Buffer.from('one') }),
    );
    await runs.attempted('msg_0', 500);
    const [called = ''] = runs.engine.actors('message').ids();
    expect(await headersOf(called)).toEqual(['X-Step', '1']);
    const body = await runs.entries.failedBody(await runs.published(called));
    expect(read(body ?? undefined)).toEqual([
      ['msg_0', 'payload'],
      ['msg_1', 'one'],
    ]);
  });
});

describe('a long list that is fetched', () => {
  const large = Buffer.alloc(1_500_000, 'y');

  it('comes in several pieces, both before it was ever delivered and afterwards', async () => {
    await start({ payload: large });
    await step(1, 'one');
    await runs.ask(submitStep(stepInfo(2), { messageId: 'msg_2', body: large }));
    const first = await countedTexts();
    await delivered('msg_1');
    const partly = await countedTexts();
    await delivered('msg_2');
    const kept = await countedTexts();
    for (const { entries } of [first, partly, kept]) {
      expect(entries).toEqual([
        ['msg_0', large.toString()],
        ['msg_1', 'one'],
        ['msg_2', large.toString()],
      ]);
    }
    expect(Math.min(first.count, partly.count, kept.count)).toBeGreaterThan(2);
  });

  async function countedTexts() {
    let whole = '';
    let count = 0;
    for await (const text of (await runs.entries.texts('wfr_1')) ?? []) {
      whole += text;
      count += 1;
    }
    return { count, entries: read(whole) };
  }
});
