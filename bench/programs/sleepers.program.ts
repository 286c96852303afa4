/**
 * A workflow in a process of its own whose runs sleep as long as they are asked to and then end.
 * An arrival is a run that has fallen asleep, or one that has woken up.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { countArrivals } from '../load/arrivals.js';
import { ready, settings } from './measured-program.js';
import { RunRequests, readDelivery, workflowHeaders } from './workflow-protocol.js';

/** How the program is started. */
export interface SleepersSettings {
  /** Where its runs are kept. */
  readonly server: string;
}

const arrived = countArrivals();
const given = settings<SleepersSettings>();

function take(requests: RunRequests, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    try {
      await proceed(requests, request, Buffer.concat(chunks));
      response.writeHead(200, workflowHeaders).end();
    } catch (error) {
      if (!isServerGone(error)) throw error;
      response.destroy();
    }
  });
}

async function proceed(requests: RunRequests, { headers }: IncomingMessage, body: Buffer) {
  const { runId, payload, done } = readDelivery(headers, body);
  if (done === 0) await sleep(requests, runId, payload);
  // Before it ends: what counts is when it is called.
  arrived(null);
  if (done > 0) await requests.end(runId);
}

/** The bench kills servers while they are asked; one that starts again makes the call again. */
function isServerGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNREFUSED' || code === 'ECONNRESET';
}

function sleep(requests: RunRequests, runId: string, sleepFor: string): Promise<void> {
  const fields = { stepName: 'sleep', stepType: 'SleepFor', sleepFor };
  return requests.step(runId, 1, fields, { delay: sleepFor });
}

const server = createServer({ keepAliveTimeout: 60_000 });
server.listen(0, '127.0.0.1', () => {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests = new RunRequests(given.server, `${endpoint}/`);
  server.on('request', (request, response) => take(requests, request, response));
  ready(endpoint);
});
