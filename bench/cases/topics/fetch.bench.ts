/** Fetch over HTTP: a whole topic by offset, a reader for each partition, cached or not. */
import { join } from 'node:path';
import { endsOf, fillTopic, type TopicContents } from '../../load/log-topic.js';
import { connectionsTo, fetchingPass, passes, shared } from '../../load/topic-passes.js';
import { startBarePages } from '../../measure/bare-pages.js';
import type { Case, Contest, Contestant } from '../../measure/contest.js';
import type { MeasuredProcess } from '../../measure/measured-process.js';
import { letGoOfFolder, whyAlwaysCached } from '../../measure/page-cache.js';
import { startStepwell } from '../../measure/stepwell-server.js';

const partitions = 12;

interface Fetch extends TopicContents {
  readonly name: string;
  readonly rateGoal: number;
}

const small: Fetch = {
  ...{ name: 'records of 100 B', value: 'x'.repeat(100), rateGoal: 250_000 },
  ...{ partitions, recordsEach: 25_000, batchRecords: 100 },
};
/** Of the value more than a quarter is escaped, and its batches are those of small producers. */
const json: Fetch = {
  ...{ name: 'records of 100 B of JSON, produced in tens', rateGoal: 250_000 },
  ...{ value: '{"id":12345,"n":"ab"}'.repeat(5).slice(0, 100) },
  ...{ partitions, recordsEach: 5000, batchRecords: 10 },
};
const large: Fetch = {
  ...{ name: 'records of 1 KiB', value: 'x'.repeat(1024), rateGoal: 100_000 },
  ...{ partitions, recordsEach: 5000, batchRecords: 100 },
};

const common = {
  scenario: 'fetch',
  beside: 'bare loop',
  unit: 'records',
  goal: null,
  compares: 'rate',
  share: 1,
} as const;

/** Whether a topic can be read from the disk at all is found out once, when the cases are made. */
export function fetchCases(): readonly Case[] {
  const impossible = whyAlwaysCached();
  return [
    ...[small, json, large].map((fetch) => ({
      ...common,
      name: `${fetch.name}, from the page cache, ${partitions} in flight`,
      bytesEach: fetch.value.length,
      rateGoal: fetch.rateGoal,
      contest: (directory: string) => fetchContest(directory, fetch, false),
    })),
    ...[small, large].map((fetch) => ({
      ...common,
      name: `${fetch.name}, from the disk, ${partitions} in flight`,
      bytesEach: fetch.value.length,
      ...(impossible !== null && { impossible }),
      contest: (directory: string) => fetchContest(directory, fetch, true),
    })),
  ];
}

async function fetchContest(
  directory: string,
  contents: TopicContents,
  isCold: boolean,
): Promise<Contest> {
  const [data, pages] = [join(directory, 'stepwell'), join(directory, 'bare')];
  const stepwell = await startStepwell(data);
  await fillTopic(stepwell, contents);
  const bare = await startBarePages(pages, stepwell, contents);
  const sideOf = (process: MeasuredProcess, folder: string): Contestant => {
    const pool = connectionsTo(process, partitions);
    const pass = fetchingPass(pool, endsOf(contents), shared(partitions, partitions));
    const cold = async () => {
      await letGoOfFolder(folder);
      return pass();
    };
    return { process, run: (seconds) => passes(seconds, isCold ? cold : pass) };
  };
  const stop = async () => {
    for (const process of [stepwell, bare]) await process.stop();
  };
  return { stepwell: sideOf(stepwell, data), beside: sideOf(bare, pages), stop };
}
