import { Registry } from 'prom-client';
import { RunMetrics } from '../../../src/workflows/active-runs/run.metrics.js';
import { type RunEvent, runKind } from '../../../src/workflows/run-state/run.events.js';
import { envelope } from '../../support/envelope.js';
import { runConfiguration } from '../../support/workflows/run-commands.js';

const started: RunEvent = {
  type: 'RunStarted',
  configuration: runConfiguration(),
  messageId: 'msg_1',
  payloadBytes: 0,
  payloadOffset: null,
  invoker: null,
  inherited: null,
};
const failed: RunEvent = {
  type: 'RunFailed',
  cause: 'stalled',
  messageId: 'msg_1',
  publishedOffset: 0,
  attemptOffset: 1,
  canceled: [],
  canceledOffsets: [],
};
const ends: readonly RunEvent[] = [
  { type: 'RunSucceeded', completed: [], canceled: [] },
  failed,
  failed,
  { type: 'RunCanceled', canceled: [] },
];

it('runs are counted when they start, and when they end by their outcome', async () => {
  const registry = new Registry();
  const { listener } = new RunMetrics(registry);
  for (const event of [started, started, ...ends]) {
    listener([envelope(event, { kind: runKind, id: 'wfr_1' })]);
  }
  const text = await registry.metrics();
  const counts = text.split('\n').filter((line) => /^stepwell_runs_\w+_total/.test(line));
  expect(counts.sort()).toEqual([
    'stepwell_runs_ended_total{outcome="canceled"} 1',
    'stepwell_runs_ended_total{outcome="failed"} 2',
    'stepwell_runs_ended_total{outcome="succeeded"} 1',
    'stepwell_runs_started_total 2',
  ]);
});
