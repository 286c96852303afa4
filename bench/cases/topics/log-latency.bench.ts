/** From a producer's request to the consumer's receipt, at a steady rate of single records. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { callLog } from '../../load/api-call.js';
import { createTopic, topicName } from '../../load/log-topic.js';
import { RecordArrivals, type Way } from '../../load/record-arrivals.js';
import { publishSteadily } from '../../load/steady-publisher.js';
import { connectionsTo, logHeaders } from '../../load/topic-passes.js';
import type { Case, Contest, Contestant, Round } from '../../measure/contest.js';
import { MeasuredProcess } from '../../measure/measured-process.js';
import { startStepwell } from '../../measure/stepwell-server.js';
import type { BareRelaySettings } from '../../programs/bare-relay.program.js';

const perSecond = 1000;
const partitions = 3;
const valueBytes = 100;

const ways: readonly Way[] = ['long polling', 'event stream'];

export const logLatencyCases: readonly Case[] = ways.map(
  (way): Case => ({
    scenario: 'latency',
    name: `produced to consumed by ${way}, ${perSecond.toLocaleString('en')} records/s of 100 B`,
    beside: 'bare loop',
    unit: 'records',
    goal: null,
    compares: 'latency',
    // A server that is not warm yet builds a backlog at this rate, which takes it a second to end.
    share: 3,
    contest: (directory) => latencyContest(directory, way),
  }),
);

async function latencyContest(directory: string, way: Way): Promise<Contest> {
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  await createTopic(stepwell, partitions);
  const settings: BareRelaySettings = { directory: join(directory, 'bare') };
  await mkdir(settings.directory);
  const bare = await MeasuredProcess.start('bench/programs/bare-relay.program.js', [
    JSON.stringify(settings),
  ]);
  const stop = async () => {
    for (const process of [stepwell, bare]) await process.stop();
  };
  const forget = (consumer: string) => callLog(stepwell, 'POST', `/delete-consumer/${consumer}`);
  return {
    stepwell: { process: stepwell, run: follow(stepwell, way, forget) },
    beside: { process: bare, run: follow(bare, way, async () => undefined) },
    stop,
  };
}

/** A new group each round; `forget` deletes its only instance. */
function follow(
  process: MeasuredProcess,
  way: Way,
  forget: (consumer: string) => Promise<unknown>,
): Contestant['run'] {
  const pool = connectionsTo(process, 1);
  let roundCount = 0;
  return async (seconds): Promise<Round> => {
    roundCount += 1;
    const consumer = `group-${roundCount}/instance`;
    const count = Math.ceil(perSecond * seconds);
    const arrivals = new RecordArrivals(pool, consumer, count);
    await arrivals.join();
    const target = { origin: process.address, headers: logHeaders, requestOf: produceOf };
    const [{ sentAt }] = await Promise.all([
      publishSteadily(target, count, perSecond),
      arrivals.follow(way),
    ]);
    await forget(consumer);
    const latencies = arrivals.at.map((at, number) => at - (sentAt[number] ?? Number.NaN));
    return { operations: count, seconds, latencies: latencies.slice(1) };
  };
}

function produceOf(number: number) {
  const value = `${number} `.padEnd(valueBytes, 'x');
  return { path: `/produce/${topicName}`, body: Buffer.from(JSON.stringify({ value })) };
}
