/** A bulk cancel by label: how long it takes, and what others wait for meanwhile. */
import { join } from 'node:path';
import { call } from '../load/api-call.js';
import { publishInBatches } from '../load/message-batches.js';
import { Probe, type ProbeTarget } from '../load/probe.js';
import { machineTime } from '../measure/machine-time.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import type { Figure, Measurement, MeasurementTools } from '../measure/measurement.js';
import { ascending, median, percentile } from '../measure/statistics.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';

const messages = 25_000;
/** One publish, and one GET. */
const everyMs = 5;
const aloneMs = 2000;
/** After what was published for a round. */
const settleMs = 500;
const destination = 'http://127.0.0.1:8080/later';
const later = { 'svc-delay': '1h' };

/** A round that counts for nothing warms the compiler of the server. */
const warmRounds = 1;

export const bulkMeasurements: readonly Measurement[] = [
  {
    scenario: 'bulk',
    name: `${messages.toLocaleString('en')} canceled by label beside others, each ${everyMs} ms`,
    isLong: false,
    measure,
  },
];

/** Latencies in milliseconds, by who had them. */
interface Latencies {
  readonly publish: readonly number[];
  readonly get: readonly number[];
}

interface BulkRound {
  readonly seconds: number;
  readonly alone: Latencies;
  readonly beside: Latencies;
}

async function measure({ directory, rounds }: MeasurementTools): Promise<readonly Figure[]> {
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  try {
    const measured: BulkRound[] = [];
    for (let round = -warmRounds; round < rounds; round += 1) {
      const found = await bulkRound(stepwell, `round${round}`);
      if (round >= 0) measured.push(found);
    }
    return [
      {
        name: 'the cancel, s',
        value: median(measured.map(({ seconds }) => seconds)),
        goal: { atMost: 2 },
      },
      ...latencyFigures('publish', measured),
      ...latencyFigures('get', measured),
    ];
  } finally {
    await stepwell.stop();
  }
}

async function bulkRound(stepwell: MeasuredProcess, label: string): Promise<BulkRound> {
  await publishInBatches(stepwell, messages, () => ({
    destination,
    headers: { ...later, 'svc-label': label },
    body: 'x'.repeat(128),
  }));
  await pause(settleMs);
  const alone = await probed(stepwell, () => pause(aloneMs));
  let seconds = Number.NaN;
  const beside = await probed(stepwell, async () => {
    const start = machineTime();
    const answer = await call(stepwell, 'DELETE', `/v2/messages?label=${label}`);
    seconds = (machineTime() - start) / 1000;
    const { cancelled } = answer as { cancelled: number };
    if (cancelled !== messages) throw new Error(`${cancelled} messages were canceled`);
  });
  return { seconds, alone, beside };
}

/** What others wait for while `work` goes on. */
async function probed(
  { address: origin }: MeasuredProcess,
  work: () => Promise<void>,
): Promise<Latencies> {
  const headers = { authorization: bearer, ...later };
  const body = Buffer.from('x'.repeat(1024));
  const publish: ProbeTarget = {
    origin,
    headers,
    requestOf: () => ({ method: 'POST', path: `/v2/publish/${destination}`, body }),
  };
  const get: ProbeTarget = {
    origin,
    headers: { authorization: bearer },
    requestOf: () => ({ method: 'GET', path: '/v2/queues' }),
  };
  const publishing = new Probe(publish, everyMs);
  // A GET in step with the publishes would wait for each one's commit.
  await pause(everyMs / 2);
  const getting = new Probe(get, everyMs);
  await work();
  return { publish: await publishing.end(), get: await getting.end() };
}

function latencyFigures(who: keyof Latencies, rounds: readonly BulkRound[]): readonly Figure[] {
  const at = (latencies: Latencies, share: number) => percentile(ascending(latencies[who]), share);
  const over = (value: (round: BulkRound) => number) => median(rounds.map(value));
  return [0.5, 0.99].flatMap((share) => [
    {
      name: `${who} alone, p${share * 100}, ms`,
      value: over(({ alone }) => at(alone, share)),
      goal: null,
    },
    {
      name: `${who} beside the cancel, p${share * 100}, ms`,
      value: over(({ beside }) => at(beside, share)),
      goal: null,
    },
    {
      name: `${who}, beside over alone, p${share * 100}`,
      value: over(({ alone, beside }) => at(beside, share) / at(alone, share)),
      goal: share === 0.5 ? { atMost: 1.5 } : null,
    },
  ]);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
