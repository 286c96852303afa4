/** Consumer instances that do not call: what they hold, and how long it takes to make them. */
import { join } from 'node:path';
import { createTopic, topicName } from '../../load/log-topic.js';
import { connectionsTo, logHeaders, read } from '../../load/topic-passes.js';
import type { Memory } from '../../measure/measured-process.js';
import type { Figure, Measurement } from '../../measure/measurement.js';
import { ascending, percentile } from '../../measure/statistics.js';
import { startStepwell } from '../../measure/stepwell-server.js';

interface Idle {
  readonly name: string;
  readonly instances: number;
  readonly partitions: number;
  /** Group and instance, by number. */
  placeOf(number: number): string;
}

const joinersAtOnce = 16;
const mebibyte = 1024 ** 2;
const headers = { ...logHeaders, 'stream-session-timeout-ms': '3600000' };
const body = Buffer.from(JSON.stringify({ topic: topicName, timeout: 0 }));

/** A group has no more instances than there are partitions. */
export function idleConsumerMeasurements(instances: number): readonly Measurement[] {
  const count = instances.toLocaleString('en');
  const idles: readonly Idle[] = [
    {
      name: `${count} groups of one instance, which owns 3 partitions`,
      ...{ instances, partitions: 3, placeOf: (number) => `group-${number}/instance` },
    },
    {
      name: `one group of ${count} instances, on as many partitions`,
      ...{ instances, partitions: instances, placeOf: (number) => `group/instance-${number}` },
    },
  ];
  return idles.map((idle) => ({
    scenario: 'idle',
    name: idle.name,
    isLong: false,
    measure: ({ directory }) => measure(directory, idle),
  }));
}

async function measure(
  directory: string,
  { instances, partitions, placeOf }: Idle,
): Promise<readonly Figure[]> {
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  const pool = connectionsTo(stepwell, joinersAtOnce);
  try {
    await createTopic(stepwell, partitions);
    // What the first one needs of code and tables is not what each one costs.
    await read(pool, '/consume/first/instance', body, headers);
    const before = await stepwell.memory();
    const latencies: number[] = [];
    let joined = 0;
    const join = async () => {
      while (joined < instances) {
        const place = placeOf(joined);
        joined += 1;
        const { milliseconds } = await read(pool, `/consume/${place}`, body, headers);
        latencies.push(milliseconds);
      }
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: joinersAtOnce }, join));
    const seconds = (performance.now() - start) / 1000;
    const after = await stepwell.memory();
    return [...memoryFigures(before, after, instances), ...joinFigures(seconds, latencies)];
  } finally {
    await pool.destroy();
    await stepwell.stop();
  }
}

function memoryFigures(before: Memory, after: Memory, instances: number): readonly Figure[] {
  const grown = after.residentBytes - before.residentBytes;
  const heap = after.heapBytes - before.heapBytes;
  const idleMiB = (before.residentBytes / mebibyte).toFixed(0);
  return [
    { name: 'heap of one instance, B', value: heap / instances, goal: null },
    { name: 'RSS of one instance, B', value: grown / instances, goal: null },
    { name: `RSS, beyond ${idleMiB} without them, MiB`, value: grown / mebibyte, goal: null },
  ];
}

function joinFigures(seconds: number, latencies: readonly number[]): readonly Figure[] {
  const sorted = ascending(latencies);
  return [
    { name: `all joined, ${joinersAtOnce} at a time, after, s`, value: seconds, goal: null },
    { name: 'one join, p50, ms', value: percentile(sorted, 0.5), goal: null },
    { name: 'one join, p99, ms', value: percentile(sorted, 0.99), goal: null },
  ];
}
