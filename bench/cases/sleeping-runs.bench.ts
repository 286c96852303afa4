/** Runs that sleep: what they hold, and how long a restart with them takes. */
import { publishInBatches } from '../load/message-batches.js';
import { measureWaiting } from '../load/waiting.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import type { Figure, Measurement, MeasurementTools } from '../measure/measurement.js';
import { Sink } from '../measure/sink.js';
import { freePort } from '../measure/sleeping-run.js';
import type { SleepersSettings } from '../programs/sleepers.program.js';
import { startItem } from '../programs/workflow-protocol.js';

/** After so long the server has written down what the last endpoint answered. */
const settleMs = 200;

/** Takes minutes: every run has two calls, one in and one out, before it sleeps. */
export function sleepingRunMeasurements(runs: number): readonly Measurement[] {
  return [
    {
      scenario: 'workflows',
      name: `${runs.toLocaleString('en')} runs asleep for an hour in their first step`,
      isLong: true,
      measure: (tools) => measure(runs, tools),
    },
  ];
}

async function measure(
  runs: number,
  { directory, rounds }: MeasurementTools,
): Promise<readonly Figure[]> {
  const port = await freePort();
  const settings: SleepersSettings = { server: `http://127.0.0.1:${port}` };
  const sleepers = await Sink.start('bench/programs/sleepers.program.js', settings);
  let started = 0;
  const fill = async (server: MeasuredProcess, count: number, delay: string) => {
    const first = started;
    started += count;
    await Promise.all([
      sleepers.arrivals(count),
      publishInBatches(server, count, (number) => {
        const name = String(first + number).padStart(21, '0');
        return startItem(`${sleepers.origin}/`, `wfr_${name}`, delay);
      }),
    ]);
    await new Promise((resolve) => setTimeout(resolve, settleMs));
  };
  const goals = { resident: null, firstCall: null };
  try {
    return await measureWaiting({
      directory,
      rounds,
      port,
      count: runs,
      noun: 'run',
      sink: sleepers,
      fill,
      goals,
    });
  } finally {
    await sleepers.stop();
  }
}
