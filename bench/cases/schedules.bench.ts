/** A hundred thousand schedules due in the same minute: what they hold, and who waits for them. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { publishInBatches } from '../load/message-batches.js';
import { publishSteadily } from '../load/steady-publisher.js';
import { machineTime } from '../measure/machine-time.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import type { Figure, Measurement, MeasurementTools } from '../measure/measurement.js';
import { Sink } from '../measure/sink.js';
import { ascending, percentile } from '../measure/statistics.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';

const schedules = 100_000;
const minuteMs = 60_000;
/** Time to create them all in, generously: a minute that begins too early would find only some. */
const preparationMs = 45_000;
const publishRate = 100;
/** Publishes between two looks: four seconds of them. */
const publishesBetween = 400;
/** Publishes that a look at the memory held up have ended after so long: no latency has them. */
const settleMs = 500;
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
    const before = await publishes(stepwell, publishesBetween);
    const idleBytes = await liveBytes(stepwell);
    const left = due - Date.now();
    if (left < 0) throw new Error(`the schedules were ready ${-left} ms after their minute`);
    await new Promise((resolve) => setTimeout(resolve, left));
    const start = machineTime();
    let isOver = false;
    const arrived = sink.arrivals(schedules).finally(() => {
      isOver = true;
    });
    const [{ lastAt }, { latencies, peakBytes }] = await Promise.all([
      arrived,
      watch(stepwell, () => isOver),
    ]);
    return [
      {
        name: 'heap and buffers beyond what they were before, at most, MiB',
        value: (peakBytes - idleBytes) / mebibyte,
        goal: { atMost: 64 },
      },
      { name: 'all delivered after, s', value: (lastAt - start) / 1000, goal: null },
      ...latencyFigures('before', before),
      ...latencyFigures('meanwhile', latencies),
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
  const body = randomBytes(1024);
  const target = {
    origin: address,
    headers: { authorization: bearer, 'svc-delay': '1h' },
    requestOf: (number: number) => ({
      path: `/v2/publish/http://127.0.0.1:8080/${number}`,
      body,
    }),
  };
  const { sentAt, answeredAt } = await publishSteadily(target, count, publishRate);
  return answeredAt.flatMap((at, number) => at - (sentAt[number] ?? Number.NaN));
}

/**
 * Publishes and looks at the memory, in turns: a look collects the garbage, which stops the
 * process, and no publish waits for an answer meanwhile.
 */
async function watch(stepwell: MeasuredProcess, isOver: () => boolean) {
  const latencies: number[] = [];
  let peakBytes = 0;
  while (!isOver()) {
    latencies.push(...(await publishes(stepwell, publishesBetween)));
    peakBytes = Math.max(peakBytes, await liveBytes(stepwell));
    await new Promise((resolve) => setTimeout(resolve, settleMs));
  }
  return { latencies, peakBytes };
}

/** What a collection leaves: objects, and the buffers beside the heap. */
async function liveBytes(stepwell: MeasuredProcess): Promise<number> {
  const { heapBytes, externalBytes } = await stepwell.memory();
  return heapBytes + externalBytes;
}

function latencyFigures(when: string, latencies: readonly number[]): readonly Figure[] {
  const sorted = ascending(latencies);
  return [
    { name: `publish ${when}, p50, ms`, value: percentile(sorted, 0.5), goal: null },
    { name: `publish ${when}, p99, ms`, value: percentile(sorted, 0.99), goal: null },
  ];
}
