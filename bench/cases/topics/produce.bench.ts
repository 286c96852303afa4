/** Produce over HTTP into a topic of three partitions: one record a request, or a hundred. */
import { join } from 'node:path';
import { underLoad } from '../../load/load.js';
import { startBareServer } from '../../measure/bare-server.js';
import type { Case, Contest } from '../../measure/contest.js';
import { basic, startStepwell } from '../../measure/stepwell-server.js';

const connections = 64;

interface Produce {
  readonly name: string;
  readonly records: number;
  readonly valueBytes: number;
  readonly rateGoal?: number;
}

const single: Produce = { name: 'one record of 1 KiB', records: 1, valueBytes: 1024 };
const batches: readonly Produce[] = [
  { name: '100 records of 100 B', records: 100, valueBytes: 100, rateGoal: 150_000 },
  { name: '100 records of 1 KiB', records: 100, valueBytes: 1024, rateGoal: 50_000 },
];

export const produceCases: readonly Case[] = [single, ...batches].map(
  ({ rateGoal, ...produce }): Case => ({
    scenario: 'produce',
    name: `${produce.name}, ${connections} in flight`,
    beside: 'bare loop',
    unit: 'records',
    goal: null,
    compares: 'rate',
    share: 1,
    bytesEach: produce.valueBytes,
    ...(rateGoal !== undefined && { rateGoal }),
    contest: (directory) => produceContest(directory, produce),
  }),
);

async function produceContest(
  directory: string,
  { records, valueBytes }: Produce,
): Promise<Contest> {
  const record = { value: 'x'.repeat(valueBytes) };
  const body = Buffer.from(JSON.stringify(records === 1 ? record : Array(records).fill(record)));
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  // The bare loop keeps the JSON as it came; topics' files are not prepared, so its own are not.
  const bare = await startBareServer({
    directory: join(directory, 'bare'),
    besideBytes: 0,
    prepares: false,
    delivery: null,
  });
  const stop = async () => {
    await stepwell.stop();
    await bare.stop();
  };
  const load = {
    path: '/produce/bench',
    connections,
    headers: { authorization: basic, 'content-type': 'application/json' },
    body,
    operationsEach: records,
  };
  return { stepwell: underLoad(stepwell, load), beside: underLoad(bare, load), stop };
}
