/** The bench: contests with a loop of the same work, ratios first, and then single figures. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Arguments, readArguments, usageOf } from './arguments.js';
import { appendCases } from './cases/append.bench.js';
import { batchCases } from './cases/batch.bench.js';
import { bulkMeasurements } from './cases/bulk.bench.js';
import { awayMeasurements } from './cases/cluster/away.bench.js';
import { clusterCases, clusterMeasurements } from './cases/cluster/publish.bench.js';
import { delayedMeasurements } from './cases/delayed.bench.js';
import { deliveryCases } from './cases/delivery.bench.js';
import { flowCases } from './cases/flow.bench.js';
import { groupCases } from './cases/group.bench.js';
import { costCases } from './cases/history/costs.bench.js';
import { mixedReplayMeasurements } from './cases/history/mixed-replay.bench.js';
import { monthMeasurements } from './cases/history/month.bench.js';
import { liveCases } from './cases/live.bench.js';
import { logCases } from './cases/logs.bench.js';
import { neighbourCases } from './cases/neighbour.bench.js';
import { publishCases } from './cases/publish.bench.js';
import { queueCases } from './cases/queue.bench.js';
import { rateLimitMeasurements } from './cases/rate-limits.bench.js';
import { replayCases } from './cases/replay.bench.js';
import { scheduleMeasurements } from './cases/schedules.bench.js';
import { sleepingRunMeasurements } from './cases/sleeping-runs.bench.js';
import { startMeasurements } from './cases/starts.bench.js';
import { consumeCases } from './cases/topics/consume.bench.js';
import { fetchCases } from './cases/topics/fetch.bench.js';
import { idleConsumerMeasurements } from './cases/topics/idle-consumers.bench.js';
import { logLatencyCases } from './cases/topics/log-latency.bench.js';
import { produceCases } from './cases/topics/produce.bench.js';
import { workflowCases } from './cases/workflows.bench.js';
import { writeFigures } from './figures-file.js';
import { type Case, type Result, race } from './measure/contest.js';
import { describeDisk, describeMachine } from './measure/machine.js';
import type { Measurement } from './measure/measurement.js';
import { type Found, figureSummary, figureTable, summary, table } from './measure/table.js';
import { runPeers } from './peers/run.js';

const casesOf = (events: number): readonly Case[] => [
  ...publishCases,
  ...clusterCases,
  ...batchCases,
  ...produceCases,
  ...fetchCases(),
  ...consumeCases,
  ...logLatencyCases,
  ...deliveryCases,
  ...groupCases,
  ...queueCases,
  ...flowCases,
  ...neighbourCases,
  ...liveCases,
  ...workflowCases,
  ...appendCases,
  ...replayCases,
  ...costCases,
  ...logCases(events),
];

/** What was asked for of single figures. */
type Counts = Pick<Arguments, 'events' | 'sleeping' | 'consumers' | 'scale' | 'messages' | 'away'>;

const measurementsOf = (counts: Counts): readonly Measurement[] => [
  ...clusterMeasurements,
  ...rateLimitMeasurements,
  ...delayedMeasurements,
  ...bulkMeasurements,
  ...scheduleMeasurements,
  ...sleepingRunMeasurements(counts.sleeping),
  ...idleConsumerMeasurements(counts.consumers),
  ...startMeasurements(counts.scale),
  ...mixedReplayMeasurements(counts.events),
  ...monthMeasurements(counts.messages),
  ...awayMeasurements(counts.away),
];

/** Progress goes beside the tables, so that they can be piped into a file. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function runAll(given: Arguments): Promise<void> {
  const folder = await mkdtemp(join(given.directory, 'stepwell-bench-'));
  try {
    const heading = `${describeMachine()}\n${describeDisk(folder)}`;
    tell(heading);
    const how = `medians of ${given.rounds} rounds of ${given.seconds} s, A B A B`;
    const results = await raceAll(given, folder);
    const found = await measureAll(given, folder);
    const tables = [
      ...(results.length > 0 ? [table(results)] : []),
      ...(found.length > 0 ? [figureTable(found)] : []),
    ];
    process.stdout.write(`\n${[`${heading}\n${how}`, ...tables].join('\n\n')}\n`);
    const day = new Date().toISOString().slice(0, 10);
    if (given.write) await writeFigures(scenarios, `${heading}\n${day}, ${how}`, results, found);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function raceAll({ only, events, ...timing }: Arguments, folder: string): Promise<Result[]> {
  const results: Result[] = [];
  for (const subject of casesOf(events)) {
    if (only.length > 0 && !only.includes(subject.scenario)) continue;
    if (subject.impossible !== undefined) {
      tell(`${subject.scenario}: ${subject.name}: not run: ${subject.impossible}`);
      continue;
    }
    const result = await within(folder, (directory) => race(subject, directory, timing));
    results.push(result);
    tell(summary(result));
  }
  return results;
}

async function measureAll(given: Arguments, folder: string): Promise<Found[]> {
  const { only, named, rounds } = given;
  const found: Found[] = [];
  for (const measurement of measurementsOf(given)) {
    const { scenario, name, isLong } = measurement;
    if (only.length > 0 ? !only.includes(scenario) : isLong) continue;
    if (!name.includes(named)) continue;
    const figures = await within(folder, (directory) => measurement.measure({ directory, rounds }));
    found.push({ measurement, figures });
    tell(figureSummary({ measurement, figures }));
  }
  return found;
}

/** A folder of its own, which is there for as long as `work` needs it. */
async function within<Value>(
  folder: string,
  work: (directory: string) => Promise<Value>,
): Promise<Value> {
  const own = join(folder, 'case');
  await mkdir(own);
  try {
    return await work(own);
  } finally {
    await rm(own, { recursive: true });
  }
}

const noCounts: Counts = {
  events: 0,
  sleeping: 0,
  consumers: 0,
  scale: 1,
  messages: 0,
  away: 0,
};

const every = [...casesOf(0), ...measurementsOf(noCounts)].map(({ scenario }) => scenario);
const scenarios = [...new Set(every)];

function argumentsOrUsage(): Arguments | null {
  try {
    return readArguments(args, scenarios);
  } catch (error) {
    tell(`${error instanceof Error ? error.message : error}\n${usageOf(scenarios)}`);
    return null;
  }
}

const args = process.argv.slice(2);
if (args.includes('--peers')) await runPeers(args);
else {
  const given = argumentsOrUsage();
  if (given === null) process.exitCode = 64;
  else await runAll(given);
}
