/** Good destinations beside hostile ones: how long their messages take then, and without them. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { publishInBatches } from '../load/message-batches.js';
import { publishSteadily } from '../load/steady-publisher.js';
import type { Case, Contest, Contestant, Round } from '../measure/contest.js';
import { MeasuredProcess } from '../measure/measured-process.js';
import { Sink } from '../measure/sink.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';
import type { HostileOrigins } from '../programs/hostile.program.js';

/** Messages per second to the good destination. */
const goodRate = 100;

/** The same to each of the hostile ones: a few bad customers, and more of them than good ones. */
const hostileRates = [5, 25];

/** Their attempts are three; after so long the last one of a round is over, but where they hang. */
const retries = { 'svc-retries': '2', 'svc-retry-delay': '100' };
const settleMs = 1000;

const headers = { authorization: bearer, 'content-type': 'application/octet-stream' };
const body = randomBytes(1024);
const publishTo = (destination: string) => (number: number) => {
  return { path: `/v2/publish/${destination}/${number}`, body };
};

/** Messages that wait for each of those that hang before anything is measured. */
const backlog = 100;

const besides = (others: string, prepare: Preparation): Case => ({
  scenario: 'neighbour',
  name: `published to arrived, ${goodRate}/s, and ${others}`,
  beside: 'no neighbours',
  unit: 'messages',
  // At most twice the median latency.
  goal: 0.5,
  compares: 'latency',
  share: 1,
  contest: (directory) => neighbourContest(directory, prepare),
});

/** Gives the server bad neighbours; answers those that are sent more while it is measured. */
type Preparation = (
  origins: HostileOrigins,
  server: MeasuredProcess,
) => Promise<readonly Neighbour[]>;

export const neighbourCases: readonly Case[] = [
  ...hostileRates.map((rate) =>
    besides(`${rate}/s to each of five hostile ones`, async ({ ofEveryKind }) =>
      ofEveryKind.map((origin) => ({ origin, rate })),
    ),
  ),
  besides(`${backlog} waiting for each of twenty that hang`, async ({ hanging }, server) => {
    for (const destination of hanging) {
      await publishInBatches(server, backlog, () => ({ destination, body: 'x' }));
    }
    return [];
  }),
];

async function neighbourContest(directory: string, prepare: Preparation): Promise<Contest> {
  const sink = await Sink.start();
  const hostile = await MeasuredProcess.start('bench/programs/hostile.program.js', []);
  const pestered = await startStepwell(join(directory, 'pestered'));
  const alone = await startStepwell(join(directory, 'alone'));
  const neighbours = await prepare(await hostile.ask<HostileOrigins>({}), pestered);
  const stop = async () => {
    for (const process of [pestered, alone, hostile, sink]) await process.stop();
  };
  return {
    stepwell: { process: pestered, run: deliveryBeside(neighbours, pestered, sink) },
    beside: { process: alone, run: deliveryBeside([], alone, sink) },
    stop,
  };
}

/** A hostile destination, and how many messages a second it is sent. */
interface Neighbour {
  readonly origin: string;
  readonly rate: number;
}

/** From the moment a publisher asks to the moment the good destination has the message. */
function deliveryBeside(
  neighbours: readonly Neighbour[],
  { address }: MeasuredProcess,
  sink: Sink,
): Contestant['run'] {
  return async (seconds): Promise<Round> => {
    const count = Math.ceil(goodRate * seconds);
    const [{ sentAt }] = await Promise.all([
      publishSteadily(
        { origin: address, headers, requestOf: publishTo(sink.origin) },
        count,
        goodRate,
      ),
      ...neighbours.map(({ origin, rate }) => {
        const requestOf = publishTo(origin);
        const target = { origin: address, headers: { ...headers, ...retries }, requestOf };
        return publishSteadily(target, Math.ceil(rate * seconds), rate);
      }),
    ]);
    const { numbered } = await sink.arrivals(count);
    // What this side still tries must not run while the other one is measured.
    if (neighbours.length > 0) await new Promise((resolve) => setTimeout(resolve, settleMs));
    const latencies = numbered.map(([number, at]) => at - (sentAt[number] ?? Number.NaN));
    return { operations: count, seconds, latencies };
  };
}
