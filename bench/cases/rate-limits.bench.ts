/** A thousand flow-control keys whose rate limits: whether the limit is kept, and used. */
import { join } from 'node:path';
import { publishInBatches } from '../load/message-batches.js';
import type { Figure, Measurement, MeasurementTools } from '../measure/measurement.js';
import { Sink } from '../measure/sink.js';
import { ascending, percentile } from '../measure/statistics.js';
import { startStepwell } from '../measure/stepwell-server.js';

const keys = 1000;
/** Starts of a key in a window: all keys together are allowed far less than the server can do. */
const rate = 2;
const periodMs = 2000;
const windows = 4;
const messagesEach = rate * windows;

export const rateLimitMeasurements: readonly Measurement[] = [
  {
    scenario: 'flow',
    name: `${keys} keys of ${rate} in ${periodMs / 1000} s, ${messagesEach} messages each`,
    isLong: false,
    measure,
  },
];

async function measure({ directory }: MeasurementTools): Promise<readonly Figure[]> {
  const sink = await Sink.start();
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  try {
    const headersOf = (key: number) => ({
      'svc-flow-control-key': `customer-${key}`,
      'svc-flow-control-value': `rate=${rate}, period=${periodMs / 1000}s`,
    });
    await publishInBatches(stepwell, keys * messagesEach, (number) => ({
      destination: `${sink.origin}/${number + 1}`,
      headers: headersOf(number % keys),
      body: 'x'.repeat(1024),
    }));
    const { numbered } = await sink.arrivals(keys * messagesEach);
    return figuresOf(arrivalsByKey(numbered));
  } finally {
    for (const process of [stepwell, sink]) await process.stop();
  }
}

/** Arrival times of each key, in order. */
function arrivalsByKey(numbered: readonly (readonly [number, number])[]): readonly number[][] {
  const times = Array.from({ length: keys }, (): number[] => []);
  for (const [number, at] of numbered) times[(number - 1) % keys]?.push(at);
  return times.map(ascending);
}

/**
 * A window begins with its first start, which is seen as an arrival a little later: a window is as
 * late as its first arrival comes more than a period after the first one of the window before.
 */
function figuresOf(arrivals: readonly (readonly number[])[]): readonly Figure[] {
  const lateness: number[] = [];
  const shares: number[] = [];
  for (const times of arrivals) {
    const begins = times.filter((_, index) => index % rate === 0);
    for (let window = 1; window < windows; window += 1) {
      lateness.push(spanOf(begins, window - 1, window) - periodMs);
    }
    shares.push(((windows - 1) * periodMs) / spanOf(begins, 0, windows - 1));
  }
  const [late, share] = [ascending(lateness), ascending(shares)];
  return [
    {
      name: "seen rate over what is allowed, a key's median",
      value: percentile(share, 0.5),
      goal: { atLeast: 0.9 },
    },
    {
      name: 'the same, the fastest key',
      value: share.at(-1) ?? Number.NaN,
      goal: null,
    },
    { name: 'how late a window begins, p50, ms', value: percentile(late, 0.5), goal: null },
    { name: 'the same, p99, ms', value: percentile(late, 0.99), goal: null },
  ];
}

function spanOf(times: readonly number[], from: number, until: number): number {
  return (times[until] ?? Number.NaN) - (times[from] ?? Number.NaN);
}
