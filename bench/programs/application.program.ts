/**
 * A workflow application in a process of its own, which starts its runs itself: the clock of a run
 * goes from the question for its start to the answer of its last delivery.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Round } from '../measure/contest.js';
import { answer, ready, settings } from './measured-program.js';
import { minimalApplication } from './minimal-application.js';
import { publishedApplication } from './published-application.js';
import { deliveriesEach, type WorkflowApplication } from './workflow-application.js';

/** How the program is started. */
export interface ApplicationSettings {
  /** Where its runs are kept. */
  readonly server: string;
  readonly kind: keyof typeof kinds;
}

/** What the bench asks: so many runs at once, for so long. */
export interface ApplicationQuestion {
  readonly runs: number;
  readonly seconds: number;
}

/** A run that has not ended after so long never will. */
const stalledMs = 60_000;
const kinds = { minimal: minimalApplication, published: publishedApplication };
const given = settings<ApplicationSettings>();
const ends = new Map<string, () => void>();
let started = 0;
let deliveries = 0;

function take(
  application: WorkflowApplication,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    deliveries += 1;
    const { headers } = request;
    const { isEnd, status, ...answer } = await application.deliver(headers, Buffer.concat(chunks));
    response.writeHead(status, answer.headers).end(answer.body);
    if (isEnd) ends.get(String(headers['upstash-workflow-runid']))?.();
  });
}

/** Milliseconds of one run. */
async function run(application: WorkflowApplication): Promise<number> {
  started += 1;
  const name = String(started).padStart(21, '0');
  const runId = `wfr_${name}`;
  const stalled = setTimeout(() => {
    throw new Error(`${runId} has not ended`);
  }, stalledMs);
  const start = performance.now();
  const ended = new Promise<void>((resolve) => ends.set(runId, resolve));
  await application.start(name);
  await ended;
  clearTimeout(stalled);
  ends.delete(runId);
  return performance.now() - start;
}

/** Each run is followed by another one, until the time is over; all that began have ended then. */
async function round(
  application: WorkflowApplication,
  { runs, seconds }: ApplicationQuestion,
): Promise<Round> {
  const latencies: number[] = [];
  const start = performance.now();
  deliveries = 0;
  const runner = async () => {
    while (performance.now() - start < seconds * 1000) latencies.push(await run(application));
  };
  await Promise.all(Array.from({ length: runs }, runner));
  const operations = latencies.length;
  if (deliveries !== deliveriesEach * operations) {
    throw new Error(`${operations} runs had ${deliveries} deliveries`);
  }
  return { operations, seconds: (performance.now() - start) / 1000, latencies };
}

const server = createServer({ keepAliveTimeout: 60_000 });
server.listen(0, '127.0.0.1', () => {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const application = kinds[given.kind](given.server, `${endpoint}/`);
  server.on('request', (request, response) => take(application, request, response));
  answer((question: ApplicationQuestion) => round(application, question));
  ready(endpoint);
});
