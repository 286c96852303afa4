import { Registry } from 'prom-client';
import { RunMetrics } from '../../../src/workflows/active-runs/run.metrics.js';
import { type RunEvent, runKind } from '../../../src/workflows/run-state/run.events.js';
import { envelope } from '../../support/envelope.js';

it('runs are counted by how they end', async () => {
  const registry = new Registry();
  const canceled: RunEvent = { type: 'RunCanceled', canceled: [] };
  new RunMetrics(registry).listener([envelope(canceled, { kind: runKind, id: 'wfr_1' })]);
  const text = await registry.metrics();
  expect(text).toContain('stepwell_runs_ended_total{outcome="canceled"} 1');
  expect(text).toContain('stepwell_runs_started_total 0');
});
