/** Consumer groups that read a whole topic: each group every record, its instances among them. */
import type { Pool } from 'undici';
import type { MeasuredProcess } from '../measure/measured-process.js';
import { Progress } from './answered-records.js';
import { callLog } from './api-call.js';
import { eventStream } from './event-stream.js';
import { topicName } from './log-topic.js';
import type { Way } from './record-arrivals.js';
import { logHeaders, type Pass, read } from './topic-passes.js';

/** From the beginning; everything else as it is without headers. */
const headers = { ...logHeaders, 'stream-auto-offset-reset': 'earliest' };
const body = Buffer.from(JSON.stringify({ topic: topicName, timeout: 1000 }));

export interface Groups {
  readonly groups: number;
  /** Of each group; each with one request in flight. */
  readonly instances: number;
  readonly way: Way;
}

/** What the members of one group see together. */
interface Reading {
  readonly progress: Progress;
  readonly latencies: number[];
  /** When the last record was there. */
  lastAt: number;
}

/**
 * New groups in each pass. The clock runs from the first request, which makes an instance, to the
 * last record; afterwards the instances are deleted, which commits what they were given.
 */
export function consumingPass(
  server: MeasuredProcess,
  pool: Pool,
  ends: readonly number[],
  { groups, instances, way }: Groups,
): Pass {
  let passCount = 0;
  return async () => {
    passCount += 1;
    const start = performance.now();
    const readings = await Promise.all(
      Array.from({ length: groups }, async (_, group) => {
        const names = Array.from({ length: instances }, (_, instance) => {
          return `group-${passCount}-${group}/instance-${instance}`;
        });
        return readAsGroup(server, pool, ends, names, instanceReaders[way]);
      }),
    );
    const lastAt = Math.max(...readings.map((reading) => reading.lastAt));
    return {
      operations: groups * ends.reduce((sum, end) => sum + end, 0),
      seconds: (lastAt - start) / 1000,
      latencies: readings.flatMap(({ latencies }) => latencies),
    };
  };
}

async function readAsGroup(
  server: MeasuredProcess,
  pool: Pool,
  ends: readonly number[],
  names: readonly string[],
  readAsInstance: InstanceReader,
): Promise<Reading> {
  const reading: Reading = { progress: new Progress(ends), latencies: [], lastAt: 0 };
  await Promise.all(
    names.map(async (name) => {
      if (!(await readAsInstance(pool, name, reading))) return;
      // The others may wait for records that do not come: with their instance their wait ends.
      await Promise.all(names.map((each) => callLog(server, 'POST', `/delete-consumer/${each}`)));
    }),
  );
  return reading;
}

/** Settles when the group has everything: whether this one had the last record. */
type InstanceReader = (pool: Pool, name: string, reading: Reading) => Promise<boolean>;

const instanceReaders: Readonly<Record<Way, InstanceReader>> = {
  'long polling': poll,
  'event stream': stream,
};

async function poll(pool: Pool, name: string, reading: Reading): Promise<boolean> {
  const { progress, latencies } = reading;
  while (!progress.isComplete) {
    const { answer, milliseconds } = await read(pool, `/consume/${name}`, body, headers);
    if (progress.take(answer) === 0) continue;
    reading.lastAt = performance.now();
    latencies.push(milliseconds);
    if (progress.isComplete) return true;
  }
  return false;
}

async function stream(pool: Pool, name: string, reading: Reading): Promise<boolean> {
  const { progress } = reading;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of eventStream(pool, `/consume/${name}`, body, headers)) {
    const bytes = Buffer.concat([rest, piece]);
    const end = bytes.lastIndexOf('\n') + 1;
    rest = bytes.subarray(end);
    if (progress.take(bytes.subarray(0, end)) === 0) continue;
    reading.lastAt = performance.now();
    if (progress.isComplete) return true;
  }
  return false;
}
