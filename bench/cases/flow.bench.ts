/** A thousand flow-control keys that do not limit, beside the same messages without keys. */
import { join } from 'node:path';
import { deliverAll } from '../load/end-to-end.js';
import { batchBodies, batchSize } from '../load/message-batches.js';
import type { Case, Contest } from '../measure/contest.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import { Sink } from '../measure/sink.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';

const connections = 4;
const keys = 1000;
const body = 'x'.repeat(1024);

export const flowCases: readonly Case[] = ['parallelism=1000', 'rate=100000'].map(
  (value): Case => ({
    scenario: 'flow',
    name: `1 KiB, ${keys.toLocaleString('en')} keys of ${value}`,
    beside: 'no keys',
    unit: 'messages',
    goal: null,
    compares: 'rate',
    share: 1,
    contest: (directory) => flowContest(directory, value),
  }),
);

async function flowContest(directory: string, value: string): Promise<Contest> {
  const sink = await Sink.start();
  const keyed = await startStepwell(join(directory, 'keyed'));
  const plain = await startStepwell(join(directory, 'plain'));
  const optionsOf = (number: number): Readonly<Record<string, string>> => ({
    'svc-flow-control-key': `customer-${number % keys}`,
    'svc-flow-control-value': value,
  });
  const stop = async () => {
    for (const process of [keyed, plain, sink]) await process.stop();
  };
  return {
    stepwell: { process: keyed, run: publishWith(optionsOf, keyed, sink) },
    beside: { process: plain, run: publishWith(() => ({}), plain, sink) },
    stop,
  };
}

/** Each connection goes through all keys, a hundred of them a request. */
function publishWith(
  headersOf: (number: number) => Readonly<Record<string, string>>,
  { address }: MeasuredProcess,
  sink: Sink,
) {
  const destination = `${sink.origin}/`;
  const publishing = {
    url: `${address}/v2/batch`,
    headers: { authorization: bearer, 'content-type': 'application/json' },
    bodies: batchBodies(keys / batchSize, (number) => {
      return { destination, body, headers: headersOf(number) };
    }),
    connections,
    deliveriesEach: batchSize,
  };
  return deliverAll(publishing, sink);
}
