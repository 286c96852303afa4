import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { turnCommandsMax } from '../../../src/engine/turn.js';
import { valueIn } from '../../../src/http/outcome.js';
import { readFilters } from '../../../src/http/query-filters.js';
import { FailedRunMatching } from '../../../src/workflows/failed-runs/failed-run-matching.js';
import { FailedRunSearch } from '../../../src/workflows/failed-runs/failed-run-search.js';
import { revivalFilters } from '../../../src/workflows/failed-runs/failed-runs.request.js';
import { InvokedRuns } from '../../../src/workflows/failed-runs/invoked-runs.js';
import { RunRevivals } from '../../../src/workflows/failed-runs/run-revivals.js';
import type {
  CancelRun,
  EndRun,
  InvokeRun,
} from '../../../src/workflows/run-state/run.commands.js';
import { epochMs } from '../../support/given.js';
import { ManualClock } from '../../support/manual-clock.js';
import {
  type FailedRunEngine,
  openFailedRunEngine,
} from '../../support/workflows/failed-run-engine.js';
import { startRun, stepInfo, toRun } from '../../support/workflows/run-commands.js';

let opened: FailedRunEngine;
let revivals: RunRevivals;

beforeEach(async () => {
  opened = await openFailedRunEngine();
  const { engine, runs, failed, records } = opened;
  const clock = new ManualClock(epochMs);
  const search = new FailedRunSearch(engine, failed, new FailedRunMatching(records), clock);
  const invoked = new InvokedRuns(runs, records);
  revivals = new RunRevivals(engine, search, records, invoked, clock, systemIdentifiers);
});

afterEach(async () => {
  expect(opened.failures).toEqual([]);
  expect(opened.refused).toEqual([]);
  await opened.close();
});

const all = valueIn(readFilters('/v2/workflows/dlq/resume', revivalFilters));
const asTheyWere = {
  runId: null,
  failureCallback: null,
  flowControl: { key: null, value: null },
  delayMs: 0,
  notBefore: null,
  message: {},
};
const aResume = { kind: 'resume', overrides: asTheyWere } as const;

/** More than the commands of one turn. */
const count = turnCommandsMax + 44;
const childOf = (step: number) => `child ${step}`;
const steps = Array.from({ length: count }, (_, index) => index + 1);
/** Every second child ends before its parent continues. */
const early = steps.filter((step) => step % 2 === 0);
const late = steps.filter((step) => step % 2 === 1);

/** A run that failed while it waited for the ends of `count` others. */
async function failWaiting(): Promise<void> {
  await opened.ask(startRun());
  for (const step of steps) {
    const child = startRun({ id: childOf(step), messageId: `msg_child_${step}` });
    await opened.ask(toRun<InvokeRun>({ type: 'InvokeRun', step: stepInfo(step), child }));
  }
  await opened.attempted('msg_0', 500, { nonRetryable: true });
}

const end = (step: number, type: 'EndRun' | 'CancelRun' = 'EndRun') =>
  opened.ask(
    type === 'EndRun'
      ? toRun<EndRun>({ type, id: childOf(step), response: Buffer.from('grown') })
      : toRun<CancelRun>({ type, id: childOf(step) }),
  );

describe('a failed run that waited for more runs than there are commands in a turn', () => {
  it('continues with all others of a bulk resume, and follows all of their ends', async () => {
    await failWaiting();
    for (const step of early) await end(step);
    await opened.fail({ id: 'another' });
    const outcome = await revivals.reviveMatching(all, aResume, null);
    const revived = outcome.ok ? outcome.value : null;
    expect(revived?.workflowRuns).toHaveLength(2);
    expect(revived).not.toHaveProperty('cursor');
    const runId = revived?.workflowRuns[0]?.workflowRunId ?? '';
    const open = () => opened.run(runId)?.context.invocations.map(({ runId: child }) => child);
    expect(open()).toEqual(late.map(childOf));
    for (const step of late) await end(step, 'CancelRun');
    expect(open()).toEqual([]);
    expect(opened.run(runId)?.context.entries.length).toBe(1 + count);
  }, 60_000);
});

describe('a failed run whose id was reused by a run that waits for a run of the same id', () => {
  const yesterday = epochMs - 86_400_000;

  async function invoke(at: number, messageId: string): Promise<void> {
    await opened.ask(startRun({ at, messageId }));
    const child = startRun({ id: childOf(1), messageId: `${messageId}_child`, at });
    await opened.ask(toRun<InvokeRun>({ type: 'InvokeRun', step: stepInfo(1), child, at }));
  }

  it('continues with the end of the run that it had invoked itself', async () => {
    await invoke(yesterday, 'msg_old');
    await opened.attempted('msg_old', 500, { nonRetryable: true });
    await end(1, 'CancelRun');
    await invoke(epochMs, 'msg_new');
    const [letter] = opened.all();
    const outcome = await revivals.reviveOne(letter?.id ?? '', aResume, null);
    const resumed = opened.run(outcome.ok ? outcome.value.workflowRunId : '')?.context;
    expect(resumed?.invocations).toEqual([]);
    expect(resumed?.entries).toHaveLength(2);
    const current = () => opened.run()?.context;
    expect(current()?.invocations).toHaveLength(1);
    await end(1);
    expect(current()?.invocations).toEqual([]);
    expect(current()?.entries).toHaveLength(2);
  });
});
