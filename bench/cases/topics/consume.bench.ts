/** Consume over HTTP: one group with automatic commits, and a hundred of them on one topic. */
import { join } from 'node:path';
import { consumingPass, type Groups } from '../../load/consuming-pass.js';
import { endsOf, fillTopic, type TopicContents } from '../../load/log-topic.js';
import { connectionsTo, fetchingPass, passes, shared } from '../../load/topic-passes.js';
import { startBarePages } from '../../measure/bare-pages.js';
import type { Case, Contest } from '../../measure/contest.js';
import { startStepwell } from '../../measure/stepwell-server.js';

const batchRecords = 100;
const small = 'x'.repeat(100);
const large = 'x'.repeat(1024);

interface Consume extends Omit<TopicContents, 'batchRecords'>, Groups {
  readonly name: string;
  readonly rateGoal?: number;
}

const oneGroup = { groups: 1, way: 'long polling', rateGoal: 250_000, value: small } as const;
const consumes: readonly Consume[] = [
  {
    ...{ ...oneGroup, partitions: 3, recordsEach: 100_000 },
    ...{ name: '100 B, one instance, 3 partitions', instances: 1 },
  },
  {
    ...{ ...oneGroup, partitions: 3, recordsEach: 100_000, way: 'event stream' },
    ...{ name: '100 B, one instance, 3 partitions, event stream', instances: 1 },
  },
  {
    ...{ ...oneGroup, partitions: 3, recordsEach: 100_000 },
    ...{ name: '100 B, 3 instances, 3 partitions', instances: 3 },
  },
  {
    ...{ ...oneGroup, partitions: 12, recordsEach: 25_000 },
    ...{ name: '100 B, 12 instances, 12 partitions', instances: 12 },
  },
  {
    ...{ ...oneGroup, partitions: 12, recordsEach: 5000, value: large, rateGoal: 100_000 },
    ...{ name: '1 KiB, 3 instances, 12 partitions', instances: 3 },
  },
];
const manyGroups: Consume = {
  ...{ name: '100 B, 100 groups of one instance, 3 partitions', groups: 100, instances: 1 },
  ...{ way: 'long polling', partitions: 3, recordsEach: 3000, value: small },
};

export const consumeCases: readonly Case[] = [
  ...consumes.map((consume) => caseOf('consume', consume)),
  caseOf('groups', manyGroups),
];

function caseOf(scenario: string, consume: Consume): Case {
  const { name, rateGoal, value } = consume;
  return {
    ...{ scenario, name, beside: 'bare loop', unit: 'records', goal: null, compares: 'rate' },
    ...{ share: 1, bytesEach: value.length, ...(rateGoal !== undefined && { rateGoal }) },
    contest: (directory) => consumeContest(directory, consume),
  };
}

async function consumeContest(directory: string, consume: Consume): Promise<Contest> {
  const contents: TopicContents = { ...consume, batchRecords };
  const { partitions, groups, instances } = consume;
  const readers = groups * instances;
  const ends = endsOf(consume);
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  await fillTopic(stepwell, contents);
  const bare = await startBarePages(join(directory, 'bare'), stepwell, contents);
  const consuming = consumingPass(stepwell, connectionsTo(stepwell, readers), ends, consume);
  // The bare loop knows no groups: its readers share the partitions as the instances do.
  const members = Array.from({ length: groups }, () => shared(partitions, instances)).flat();
  const fetching = fetchingPass(connectionsTo(bare, readers), ends, members);
  const stop = async () => {
    for (const process of [stepwell, bare]) await process.stop();
  };
  return {
    stepwell: { process: stepwell, run: (seconds) => passes(seconds, consuming) },
    beside: { process: bare, run: (seconds) => passes(seconds, fetching) },
    stop,
  };
}
