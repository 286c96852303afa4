/** A hundred thousand delayed messages: what they hold, and how long a restart with them takes. */

import { publishInBatches } from '../load/message-batches.js';
import { measureWaiting } from '../load/waiting.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import type { Figure, Measurement, MeasurementTools } from '../measure/measurement.js';
import { Sink } from '../measure/sink.js';

const messages = 100_000;
const body = 'x'.repeat(1024);

export const delayedMeasurements: readonly Measurement[] = [
  {
    scenario: 'delayed',
    name: `${messages.toLocaleString('en')} messages of 1 KiB, due in an hour`,
    isLong: false,
    measure,
  },
];

async function measure({ directory, rounds }: MeasurementTools): Promise<readonly Figure[]> {
  const sink = await Sink.start();
  const destination = `${sink.origin}/`;
  const fill = (server: MeasuredProcess, count: number, delay: string) =>
    publishInBatches(server, count, () => ({
      destination,
      headers: { 'svc-delay': delay },
      body,
    }));
  // The budget: an idle process of 110 MiB, and 40 MiB for the messages; and the restart of a
  // server of others, with fewer processes to start: 0.7 to 0.8 s.
  const goals = { resident: { atMost: 40 }, firstCall: { atMost: 800 } };
  try {
    return await measureWaiting({
      directory,
      rounds,
      port: 0,
      count: messages,
      noun: 'message',
      sink,
      fill,
      goals,
    });
  } finally {
    await sink.stop();
  }
}
