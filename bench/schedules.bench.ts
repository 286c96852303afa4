/** A hundred thousand schedules due in the same minute: what they hold, and who waits for them. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { MeasuredProcess } from './measured-process.js';
import type { Figure, Measurement, MeasurementTools } from './measurement.js';
import { publishInBatches } from './message-batches.js';
import { Sink, sinkTime } from './sink.js';
import { ascending, percentile } from './statistics.js';
import { publishSteadily } from './steady-publisher.js';
import { bearer, startStepwell } from './stepwell-server.js';

const schedules = 100_000;
const minuteMs = 60_000;
/** Time to create them all in, generously: a minute that begins too early would find only some. */
const preparationMs = 45_000;
const publishRate = 100;
const publishesBefore = 300;
/** A look stops the process for a collection: seldom, or nobody else would be seen. */
const lookEveryMs = 5000;
const mebibyte = 1024 ** 2;

export const scheduleMeasurements: readonly Measurement[] = [
  {
    scenario: 'schedules',
    name: `${schedules.toLocaleString('en')} due in the same minute`,
    isLong: true,
    measure,
  },
];

async function measure({ directory }: MeasurementTools): Promise<readonly Figure[]> {
  const sink = await Sink.start();
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  try {
    const due = Math.ceil((Date.now() + preparationMs) / minuteMs) * minuteMs;
    const cron = cronOf(new Date(due));
    await publishInBatches(stepwell, schedules, () => ({
      destination: `${sink.origin}/`,
      headers: { 'svc-cron': cron },
      body: 'x'.repeat(128),
    }));
    const before = await publishes(stepwell, publishesBefore);
    const { heapBytes } = await stepwell.memory();
    const left = due - Date.now();
    if (left < 0) throw new Error(`the schedules were ready ${-left} ms after their minute`);
    await new Promise((resolve) => setTimeout(resolve, left));
    const start = sinkTime();
    let isOver = false;
    const arrived = sink.arrivals(schedules).finally(() => {
      isOver = true;
    });
    const [{ lastAt }, peakBytes, meanwhile] = await Promise.all([
      arrived,
      largestHeap(stepwell, () => isOver),
      publishesUntil(stepwell, () => isOver),
    ]);
    return [
      {
        name: 'heap beyond what it was before, at most, MiB',
        value: (peakBytes - heapBytes) / mebibyte,
        goal: { atMost: 64 },
      },
      { name: 'all delivered after, s', value: (lastAt - start) / 1000, goal: null },
      ...latencyFigures('before', before),
      ...latencyFigures('meanwhile', meanwhile),
    ];
  } finally {
    for (const process of [stepwell, sink]) await process.stop();
  }
}

/** One time a year; the server's clock is UTC where no zone is named. */
function cronOf(due: Date): string {
  const day = `${due.getUTCDate()} ${due.getUTCMonth() + 1}`;
  return `CRON_TZ=UTC ${due.getUTCMinutes()} ${due.getUTCHours()} ${day} *`;
}

/** Milliseconds from the question to the answer of publishes at the steady rate. */
async function publishes({ address }: MeasuredProcess, count: number): Promise<readonly number[]> {
  const target = {
    url: `${address}/v2/publish/http://127.0.0.1:8080`,
    headers: { authorization: bearer, 'svc-delay': '1h' },
    body: randomBytes(1024),
  };
  const { askedAt, answeredAt } = await publishSteadily(target, count, publishRate);
  return answeredAt.flatMap((at, number) => at - (askedAt[number] ?? Number.NaN));
}

async function publishesUntil(stepwell: MeasuredProcess, isOver: () => boolean) {
  const latencies: number[] = [];
  while (!isOver()) latencies.push(...(await publishes(stepwell, publishRate)));
  return latencies;
}

/** What a collection leaves, at most. */
async function largestHeap(stepwell: MeasuredProcess, isOver: () => boolean): Promise<number> {
  let largest = 0;
  while (!isOver()) {
    const { heapBytes } = await stepwell.memory();
    largest = Math.max(largest, heapBytes);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  return largest;
}

function latencyFigures(when: string, latencies: readonly number[]): readonly Figure[] {
  const sorted = ascending(latencies);
  return [
    { name: `publish ${when}, p50, ms`, value: percentile(sorted, 0.5), goal: null },
    { name: `publish ${when}, p99, ms`, value: percentile(sorted, 0.99), goal: null },
  ];
}
