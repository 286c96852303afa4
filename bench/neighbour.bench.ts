/** Good destinations beside hostile ones: how long their messages take then, and without them. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Case, Contest, Contestant, Round } from './contest.js';
import type { HostileOrigins } from './hostile.program.js';
import { MeasuredProcess } from './measured-process.js';
import { Sink } from './sink.js';
import { publishSteadily } from './steady-publisher.js';
import { bearer, startStepwell } from './stepwell-server.js';

/** Messages per second: to the good destination, and to each of the hostile ones. */
const goodRate = 100;
const hostileRate = 25;

/** Their attempts are three; after so long the last one of a round is over, but where they hang. */
const retries = { 'svc-retries': '2', 'svc-retry-delay': '100' };
const settleMs = 1000;

const target = {
  headers: { authorization: bearer, 'content-type': 'application/octet-stream' },
  body: randomBytes(1024),
};

export const neighbourCases: readonly Case[] = [
  {
    scenario: 'neighbour',
    name: `published to arrived, ${goodRate} messages/s, five hostile destinations`,
    beside: 'no neighbours',
    unit: 'messages',
    // At most twice the median latency.
    goal: 0.5,
    compares: 'latency',
    share: 1,
    contest: neighbourContest,
  },
];

async function neighbourContest(directory: string): Promise<Contest> {
  const sink = await Sink.start();
  const hostile = await MeasuredProcess.start('bench/hostile.program.js', []);
  const origins = Object.values(await hostile.ask<HostileOrigins>({}));
  const pestered = await startStepwell(join(directory, 'pestered'));
  const alone = await startStepwell(join(directory, 'alone'));
  const stop = async () => {
    for (const process of [pestered, alone, hostile, sink]) await process.stop();
  };
  return {
    stepwell: { process: pestered, run: deliveryBeside(origins, pestered, sink) },
    beside: { process: alone, run: deliveryBeside([], alone, sink) },
    stop,
  };
}

/** From the moment a publisher asks to the moment the good destination has the message. */
function deliveryBeside(
  hostile: readonly string[],
  { address }: MeasuredProcess,
  sink: Sink,
): Contestant['run'] {
  return async (seconds): Promise<Round> => {
    const count = Math.ceil(goodRate * seconds);
    const [{ askedAt }] = await Promise.all([
      publishSteadily({ ...target, url: `${address}/v2/publish/${sink.origin}` }, count, goodRate),
      ...hostile.map((origin) => {
        const url = `${address}/v2/publish/${origin}`;
        const headers = { ...target.headers, ...retries };
        const pestering = { ...target, url, headers };
        return publishSteadily(pestering, Math.ceil(hostileRate * seconds), hostileRate);
      }),
    ]);
    const { numbered } = await sink.arrivals(count);
    // What this side still tries must not run while the other one is measured.
    if (hostile.length > 0) await new Promise((resolve) => setTimeout(resolve, settleMs));
    const latencies = numbered.map(([number, at]) => at - (askedAt[number] ?? Number.NaN));
    return { operations: count, seconds, latencies };
  };
}
