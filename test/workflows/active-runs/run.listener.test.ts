import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Payloads } from '../../../src/engine/payloads.js';
import { LongHistories } from '../../../src/workflows/active-runs/long-histories.js';
import { RunListener } from '../../../src/workflows/active-runs/run.listener.js';
import { RunMetrics } from '../../../src/workflows/active-runs/run.metrics.js';
import { type RunEvent, runKind } from '../../../src/workflows/run-state/run.events.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { envelope } from '../../support/envelope.js';

let opened: EngineOnDisk;
beforeAll(async () => {
  opened = await openEngine(() => undefined);
});
afterAll(() => opened.close());

const of = (event: RunEvent, offset: number) =>
  envelope(event, { kind: runKind, id: 'wfr_1', offset });

it('the listener keeps bodies that are delivered soon, and counts how runs end', async () => {
  const registry = new Registry();
  const payloads = new Payloads(opened.journal, 1024 * 1024);
  const histories = new LongHistories(pino({ enabled: false }));
  const runs = { active: () => undefined };
  const listener = new RunListener(payloads, runs, histories, new RunMetrics(registry));
  const step = { id: 1, name: 'one', type: 'Run', concurrent: 1, target: null };
  const stored = of({ type: 'StepStored', step, messageId: 'msg_2', bytes: 2 }, 900);
  const canceled = of({ type: 'RunCanceled', canceled: [] }, 901);
  listener.listen([stored, canceled]);
  expect(payloads.read(900)).toBe(stored);
  // The end of a run is never delivered: it is not at hand, and this journal never had it.
  await expect(Promise.resolve(payloads.read(901))).rejects.toThrow('offset 901');
  const text = await registry.metrics();
  expect(text).toContain('stepwell_runs_ended_total{outcome="canceled"} 1');
  expect(text).toContain('stepwell_runs_started_total 0');
});
