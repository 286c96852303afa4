/** Fan-out: one publish to a URL group of a hundred endpoints, until every one has it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { call } from '../load/api-call.js';
import { deliverAll } from '../load/end-to-end.js';
import { batchBodies, batchSize } from '../load/message-batches.js';
import { journalBytes } from '../load/message-events.js';
import { startBareServer } from '../measure/bare-server.js';
import type { Case, Contest } from '../measure/contest.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import { Sink } from '../measure/sink.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';

const connections = 4;
const group = 'everybody';
const endpoints = batchSize;
const text = randomBytes(512).toString('hex');
const body = Buffer.from(text);

const fanOut = {
  scenario: 'group',
  name: `1 KiB to ${endpoints} endpoints`,
  unit: 'deliveries',
  goal: null,
  compares: 'rate',
  share: 1,
} as const;

export const groupCases: readonly Case[] = [
  { ...fanOut, beside: 'bare loop', contest: besideBareLoop },
  { ...fanOut, beside: 'as many publishes in a batch', contest: besideBatch },
];

/** The bare loop commits as many bytes, the body once, and posts a hundred requests. */
async function besideBareLoop(directory: string): Promise<Contest> {
  const sink = await Sink.start();
  const { origin } = sink;
  const at = Date.now();
  const options = { bodyOffset: 1e6, topicName: group, endpointName: 'endpoint-10' };
  const url = `${origin}/endpoint-10`;
  const member = { number: 0, url, body: Buffer.alloc(0), at, notBefore: at, options };
  const bytes = journalBytes(member);
  const stepwell = await startWithGroup(join(directory, 'stepwell'), origin);
  const bare = await startBareServer({
    directory: join(directory, 'bare'),
    besideBytes: endpoints * bytes.published,
    prepares: true,
    delivery: {
      ...{ origin, copies: endpoints, isOrdered: false },
      ...{ bodyBytes: body.length, recordBytes: bytes.delivered },
    },
  });
  const stop = async () => {
    for (const process of [stepwell, bare, sink]) await process.stop();
  };
  return {
    stepwell: { process: stepwell, run: publishTo(stepwell, group, sink) },
    beside: { process: bare, run: publishTo(bare, `${origin}/`, sink) },
    stop,
  };
}

async function besideBatch(directory: string): Promise<Contest> {
  const sink = await Sink.start();
  const grouped = await startWithGroup(join(directory, 'group'), sink.origin);
  const batched = await startStepwell(join(directory, 'batch'));
  const bodies = batchBodies(1, (number) => ({
    destination: endpointUrl(sink.origin, number),
    headers: { 'content-type': 'text/plain' },
    body: text,
  }));
  const batch = {
    url: `${batched.address}/v2/batch`,
    headers: { authorization: bearer, 'content-type': 'application/json' },
    bodies,
    connections,
    deliveriesEach: endpoints,
  };
  const stop = async () => {
    for (const process of [grouped, batched, sink]) await process.stop();
  };
  return {
    stepwell: { process: grouped, run: publishTo(grouped, group, sink) },
    beside: { process: batched, run: deliverAll(batch, sink) },
    stop,
  };
}

/** Publishes to a destination that means a hundred deliveries. */
function publishTo({ address }: MeasuredProcess, destination: string, sink: Sink) {
  const url = `${address}/v2/publish/${destination}`;
  const headers = { authorization: bearer, 'content-type': 'text/plain' };
  return deliverAll({ url, headers, bodies: [body], connections, deliveriesEach: endpoints }, sink);
}

async function startWithGroup(directory: string, origin: string): Promise<MeasuredProcess> {
  const stepwell = await startStepwell(directory);
  await call(stepwell, 'POST', `/v2/topics/${group}/endpoints`, {
    endpoints: Array.from({ length: endpoints }, (_, number) => ({
      name: `endpoint-${number}`,
      url: endpointUrl(origin, number),
    })),
  });
  return stepwell;
}

function endpointUrl(origin: string, number: number): string {
  return `${origin}/endpoint-${number}`;
}
