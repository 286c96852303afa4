import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { WaitDeadlines } from '../../../src/workflows/active-runs/run.effects.js';
import type {
  CancelRun,
  EndWait,
  OpenWaitForEvent,
} from '../../../src/workflows/run-state/run.commands.js';
import { runKind } from '../../../src/workflows/run-state/run.events.js';
import { initialRun } from '../../../src/workflows/run-state/run.machine.js';
import { type EndWaitEffect, runDecider } from '../../../src/workflows/runs/run.decider.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startRun, stepInfo, toRun } from '../../support/workflows/run-commands.js';
import { openRunEngine, type RunEngine } from '../../support/workflows/run-engine.js';

const clock = new ManualClock();
const source = { kind: runKind, id: 'wfr_1', firstOffset: 0, lastOffset: 0 };

let runs: RunEngine;
let deadline: EndWaitEffect;

beforeEach(async () => {
  runs = await openRunEngine();
  await runs.ask(startRun());
  await runs.ask(
    toRun<OpenWaitForEvent>({
      type: 'OpenWait',
      step: stepInfo(1, { type: 'Wait' }),
      eventId: 'paid',
      timeout: '1h',
      deadline: clock.now(),
      messageId: 'msg_now',
    }),
  );
  const [wanted] = runDecider.wants(runs.run() ?? initialRun(), 'wfr_1');
  if (wanted === undefined) throw new Error('the run waits for nothing');
  deadline = wanted as EndWaitEffect;
});

afterEach(() => runs.close());

const pass = async () => {
  new WaitDeadlines(runs.engine, clock, systemIdentifiers).start(source, deadline);
  await runs.engine.durable();
};
const lastStep = async () => {
  const texts = (await runs.entries.texts('wfr_1')) ?? [];
  let whole = '';
  for await (const text of texts) whole += text;
  const entries = JSON.parse(whole) as { body: string }[];
  return JSON.parse(Buffer.from(entries.at(-1)?.body ?? '', 'base64').toString()) as unknown;
};

describe('a wait that has timed out', () => {
  it('ends as a step that reports it, delivered at once with a new message id', async () => {
    await pass();
    expect(runs.run()?.context.waits).toEqual([]);
    expect(await lastStep()).toMatchObject({ stepId: 1, waitEventId: 'paid', waitTimeout: true });
    const { messageId = '' } = runs.run()?.context.entries.at(1) ?? {};
    expect(messageId).toMatch(/^msg_./);
    expect((await runs.published(messageId)).event.notBefore).toBe(clock.now());
  });

  it('keeps the end that came first', async () => {
    const { stepId, waitOffset } = deadline;
    const notification = { id: 'ntf_1', body: Buffer.from('paid') };
    const wait = { type: 'EndWait', stepId, waitOffset, messageId: 'msg_notified' } as const;
    await runs.ask(toRun<EndWait>({ ...wait, notification }));
    await pass();
    expect(await lastStep()).not.toHaveProperty('waitTimeout');
    expect(runs.run()?.context.entries.length).toBe(2);
  });

  it('changes nothing in a run that has ended', async () => {
    await runs.ask(toRun<CancelRun>({ type: 'CancelRun' }));
    await pass();
    expect((await runs.history('wfr_1')).at(-1)).toBe('RunCanceled');
    expect(runs.failures).toEqual([]);
  });
});
