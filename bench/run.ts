/** The bench: every scenario beside a bare loop of the same work, one table, ratios first. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { appendCases } from './append.bench.js';
import { type Arguments, readArguments, usageOf } from './arguments.js';
import { batchCases } from './batch.bench.js';
import { type Case, type Result, race } from './contest.js';
import { deliveryCases } from './delivery.bench.js';
import { logCases } from './logs.bench.js';
import { describeDisk, describeMachine } from './machine.js';
import { produceCases } from './produce.bench.js';
import { publishCases } from './publish.bench.js';
import { replayCases } from './replay.bench.js';
import { summary, table } from './table.js';

const casesOf = (events: number): readonly Case[] => [
  ...publishCases,
  ...batchCases,
  ...produceCases,
  ...deliveryCases,
  ...appendCases,
  ...replayCases,
  ...logCases(events),
];

/** Progress goes beside the table, so that the table can be piped into a file. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function runAll({ only, directory, events, ...timing }: Arguments): Promise<void> {
  const folder = await mkdtemp(join(directory, 'stepwell-bench-'));
  try {
    const heading = `${describeMachine()}\n${describeDisk(folder)}`;
    tell(heading);
    const results: Result[] = [];
    for (const subject of casesOf(events)) {
      if (only.length > 0 && !only.includes(subject.scenario)) continue;
      const own = join(folder, String(results.length));
      await mkdir(own);
      const result = await race(subject, own, timing);
      await rm(own, { recursive: true });
      results.push(result);
      tell(summary(result));
    }
    const how = `medians of ${timing.rounds} rounds of ${timing.seconds} s, A B A B`;
    process.stdout.write(`\n${heading}\n${how}\n\n${table(results)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function argumentsOrUsage(): Arguments | null {
  const scenarios = [...new Set(casesOf(0).map(({ scenario }) => scenario))];
  try {
    return readArguments(process.argv.slice(2), scenarios);
  } catch (error) {
    tell(`${error instanceof Error ? error.message : error}\n${usage}`);
    return null;
  }
}

const given = argumentsOrUsage();
if (given === null) process.exitCode = 64;
else await runAll(given);
