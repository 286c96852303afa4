/** Published to delivered: in over HTTP, on disk, out over HTTP to a sink, its end on disk. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { deliverAll } from '../load/end-to-end.js';
import { journalBytes } from '../load/message-events.js';
import { publishSteadily } from '../load/steady-publisher.js';
import { startBareServer } from '../measure/bare-server.js';
import type { Case, Contest, Contestant, Round } from '../measure/contest.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import { Sink } from '../measure/sink.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';

const connections = 64;
const body = randomBytes(1024);
const headers = { authorization: bearer, 'content-type': 'application/octet-stream' };

/** Publishes per second of the latency case: an idle server, so nothing waits for anything. */
const lowRate = 100;

type Run = (process: MeasuredProcess, sink: Sink) => Contestant['run'];

export const deliveryCases: readonly Case[] = [
  {
    scenario: 'delivery',
    name: `1 KiB, ${connections} in flight`,
    beside: 'bare loop',
    unit: 'messages',
    goal: null,
    compares: 'rate',
    share: 1,
    contest: (directory) => deliveryContest(directory, throughput),
  },
  {
    scenario: 'delivery',
    name: `sent to arrived, ${lowRate} messages/s`,
    beside: 'bare loop',
    unit: 'messages',
    goal: null,
    compares: 'latency',
    share: 1,
    contest: (directory) => deliveryContest(directory, latency),
  },
];

async function deliveryContest(directory: string, run: Run): Promise<Contest> {
  const sink = await Sink.start();
  const { origin } = sink;
  const at = Date.now();
  const bytes = journalBytes({ number: 0, url: `${origin}/`, body, at, notBefore: at });
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  const bare = await startBareServer({
    directory: join(directory, 'bare'),
    besideBytes: bytes.published - body.length,
    prepares: true,
    delivery: {
      ...{ origin, copies: 1, isOrdered: false },
      ...{ bodyBytes: body.length, recordBytes: bytes.delivered },
    },
  });
  const stop = async () => {
    for (const process of [stepwell, bare, sink]) await process.stop();
  };
  return {
    stepwell: { process: stepwell, run: run(stepwell, sink) },
    beside: { process: bare, run: run(bare, sink) },
    stop,
  };
}

function throughput({ address }: MeasuredProcess, sink: Sink): Contestant['run'] {
  const url = `${address}/v2/publish/${sink.origin}/`;
  return deliverAll({ url, headers, bodies: [body], connections, deliveriesEach: 1 }, sink);
}

/**
 * From the moment the publisher sends a message to the moment the sink has it: a message may be
 * delivered before its publisher is answered, so a time from the answer on would be below zero.
 */
function latency({ address }: MeasuredProcess, sink: Sink): Contestant['run'] {
  return async (seconds): Promise<Round> => {
    const count = Math.ceil(lowRate * seconds);
    const requestOf = (number: number) => {
      return { path: `/v2/publish/${sink.origin}/${number}`, body };
    };
    const target = { origin: address, headers, requestOf };
    const { sentAt } = await publishSteadily(target, count, lowRate);
    const { numbered } = await sink.arrivals(count);
    const latencies = numbered.map(([number, at]) => at - (sentAt[number] ?? Number.NaN));
    return { operations: count, seconds, latencies };
  };
}
