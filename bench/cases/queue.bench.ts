/** One queue, from the publish to the arrival, beside the same messages without a queue. */
import { join } from 'node:path';
import { call } from '../load/api-call.js';
import { deliverAll } from '../load/end-to-end.js';
import { batchBodies, batchSize } from '../load/message-batches.js';
import type { Case, Contest } from '../measure/contest.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import { Sink } from '../measure/sink.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';

const connections = 4;
const queueName = 'orders';
const body = 'x'.repeat(1024);

export const queueCases: readonly Case[] = [1, 10].map(
  (parallelism): Case => ({
    scenario: 'queue',
    name: `1 KiB, parallelism ${parallelism}`,
    beside: 'no queue',
    unit: 'messages',
    goal: null,
    compares: 'rate',
    share: 1,
    contest: (directory) => queueContest(directory, parallelism),
  }),
);

async function queueContest(directory: string, parallelism: number): Promise<Contest> {
  const sink = await Sink.start();
  const queued = await startStepwell(join(directory, 'queued'));
  const plain = await startStepwell(join(directory, 'plain'));
  await call(queued, 'POST', '/v2/queues', { queueName, parallelism });
  const stop = async () => {
    for (const process of [queued, plain, sink]) await process.stop();
  };
  return {
    stepwell: { process: queued, run: publishThrough({ queue: queueName }, queued, sink) },
    beside: { process: plain, run: publishThrough({}, plain, sink) },
    stop,
  };
}

function publishThrough(place: { queue?: string }, { address }: MeasuredProcess, sink: Sink) {
  const destination = `${sink.origin}/`;
  const publishing = {
    url: `${address}/v2/batch`,
    headers: { authorization: bearer, 'content-type': 'application/json' },
    bodies: batchBodies(1, () => ({ destination, body, ...place })),
    connections,
    deliveriesEach: batchSize,
  };
  return deliverAll(publishing, sink);
}
