/** Published to delivered: in over HTTP, on disk, out over HTTP to a sink, its end on disk. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startBareServer } from './bare-server.js';
import type { Case, Contest, Contestant, Round } from './contest.js';
import { putUnderLoad } from './load.js';
import { MeasuredProcess } from './measured-process.js';
import { journalBytes } from './message-events.js';
import type { Arrivals, SinkQuestion } from './sink.program.js';
import { publishSteadily } from './steady-publisher.js';
import { bearer, startStepwell } from './stepwell-server.js';

const connections = 64;
const body = randomBytes(1024);
const headers = { authorization: bearer, 'content-type': 'application/octet-stream' };

/** Publishes per second of the latency case: an idle server, so nothing waits for anything. */
const lowRate = 100;

type Run = (process: MeasuredProcess, sink: MeasuredProcess) => Contestant['run'];

export const deliveryCases: readonly Case[] = [
  {
    scenario: 'delivery',
    name: `1 KiB, ${connections} in flight`,
    unit: 'messages',
    goal: null,
    compares: 'rate',
    share: 1,
    contest: (directory) => deliveryContest(directory, throughput),
  },
  {
    scenario: 'delivery',
    name: `answered to arrived, ${lowRate} messages/s`,
    unit: 'messages',
    goal: null,
    compares: 'latency',
    share: 1,
    contest: (directory) => deliveryContest(directory, latency),
  },
];

async function deliveryContest(directory: string, run: Run): Promise<Contest> {
  const sink = await MeasuredProcess.start('bench/sink.program.js', []);
  const origin = sink.address;
  const at = Date.now();
  const bytes = journalBytes({ number: 0, url: `${origin}/`, body, at, notBefore: at });
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  const bare = await startBareServer({
    directory: join(directory, 'bare'),
    besideBytes: bytes.published - body.length,
    prepares: true,
    delivery: { origin, recordBytes: bytes.delivered },
  });
  const stop = async () => {
    for (const process of [stepwell, bare, sink]) await process.stop();
  };
  return {
    stepwell: { process: stepwell, run: run(stepwell, sink) },
    bare: { process: bare, run: run(bare, sink) },
    stop,
  };
}

/**
 * As many messages as the last round would have delivered in the time; the clock runs from the
 * first publish to the last arrival. The first round, which does not count, begins with a guess.
 */
function throughput(process: MeasuredProcess, sink: MeasuredProcess): Contestant['run'] {
  let rate = 1500;
  return async (seconds) => {
    const amount = Math.ceil((rate * seconds) / connections) * connections;
    const url = `${process.address}/v2/publish/${sink.address}/`;
    const start = now();
    await putUnderLoad({ url, connections, headers, body, until: { amount } });
    const { lastAt } = await arrivals(sink, amount);
    const elapsed = (lastAt - start) / 1000;
    rate = amount / elapsed;
    return { operations: amount, seconds: elapsed, latencies: [] };
  };
}

/** From the moment the publisher has its answer to the moment the sink has the message. */
function latency(process: MeasuredProcess, sink: MeasuredProcess): Contestant['run'] {
  return async (seconds): Promise<Round> => {
    const count = Math.ceil(lowRate * seconds);
    const target = { url: `${process.address}/v2/publish/${sink.address}`, headers, body };
    const answeredAt = await publishSteadily(target, count, lowRate);
    const { numbered } = await arrivals(sink, count);
    const latencies = numbered.map(([number, at]) => at - (answeredAt[number] ?? Number.NaN));
    return { operations: count, seconds, latencies };
  };
}

/** Waits until `count` messages have arrived, no more and no fewer. */
async function arrivals(sink: MeasuredProcess, count: number): Promise<Arrivals> {
  const ask = (clear: boolean) => sink.ask<Arrivals>({ clear } satisfies SinkQuestion);
  for (let arrived = -1; ; ) {
    const found = await ask(false);
    if (found.count > count) throw new Error(`${found.count} of ${count} messages arrived`);
    if (found.count === count) return ask(true);
    if (found.count === arrived) throw new Error(`only ${arrived} of ${count} messages arrived`);
    arrived = found.count;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** The sink's clock. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
