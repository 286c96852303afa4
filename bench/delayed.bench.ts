/** A hundred thousand delayed messages: what they hold, and how long a restart with them takes. */
import { join } from 'node:path';
import type { Memory } from './measured-process.js';
import type { Figure, Measurement, MeasurementTools } from './measurement.js';
import { publishInBatches } from './message-batches.js';
import { Sink, sinkTime } from './sink.js';
import { median } from './statistics.js';
import { startStepwell } from './stepwell-server.js';

const messages = 100_000;
const body = 'x'.repeat(1024);
const mebibyte = 1024 ** 2;

export const delayedMeasurements: readonly Measurement[] = [
  {
    scenario: 'delayed',
    name: `${messages.toLocaleString('en')} messages of 1 KiB, due in an hour`,
    isLong: false,
    measure,
  },
];

/** How long one restart took, milliseconds from the start of its process. */
interface Restart {
  readonly ready: number;
  readonly firstCall: number;
}

async function measure({ directory, rounds }: MeasurementTools): Promise<readonly Figure[]> {
  const sink = await Sink.start();
  const data = join(directory, 'stepwell');
  const start = sinkTime();
  let stepwell = await startStepwell(data);
  const emptyMs = sinkTime() - start;
  const restarts: Restart[] = [];
  try {
    const idle = await stepwell.memory();
    await publishInBatches(stepwell, messages, () => delayed(sink.origin, '1h'));
    const published = await stepwell.memory();
    for (let round = 0; round < rounds; round += 1) {
      // One that falls due while nobody runs: its call is the first thing the next process does.
      await publishInBatches(stepwell, 1, () => delayed(sink.origin, '1s'));
      await stepwell.stop();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const start = sinkTime();
      stepwell = await startStepwell(data);
      const ready = sinkTime() - start;
      const { lastAt } = await sink.arrivals(1);
      restarts.push({ ready, firstCall: lastAt - start });
    }
    return [
      ...figuresOf('published', idle, published),
      ...figuresOf('restarted', idle, await stepwell.memory()),
      { name: 'started on an empty folder: ready after, ms', value: emptyMs, goal: null },
      ...restartFigures(restarts),
    ];
  } finally {
    for (const process of [stepwell, sink]) await process.stop();
  }
}

function delayed(origin: string, delay: string) {
  return { destination: `${origin}/`, headers: { 'svc-delay': delay }, body };
}

/** The budget: an idle process of 110 MiB, and 40 MiB for the messages. */
function figuresOf(when: string, idle: Memory, full: Memory): readonly Figure[] {
  const grown = full.residentBytes - idle.residentBytes;
  return [
    {
      name: `${when}: heap of one message, B`,
      value: (full.heapBytes - idle.heapBytes) / messages,
      goal: null,
    },
    { name: `${when}: RSS of one message, B`, value: grown / messages, goal: null },
    {
      name: `${when}: RSS, beyond ${(idle.residentBytes / mebibyte).toFixed(0)} when idle, MiB`,
      value: grown / mebibyte,
      goal: { atMost: 40 },
    },
  ];
}

/** The goal is what a server of others needs, with fewer processes to start: 0.7 to 0.8 s. */
function restartFigures(restarts: readonly Restart[]): readonly Figure[] {
  return [
    {
      name: 'killed and restarted: ready after, ms',
      value: median(restarts.map(({ ready }) => ready)),
      goal: null,
    },
    {
      name: 'killed and restarted: first call after, ms',
      value: median(restarts.map(({ firstCall }) => firstCall)),
      goal: { atMost: 800 },
    },
  ];
}
