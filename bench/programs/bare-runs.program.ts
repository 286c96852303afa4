/**
 * Measured program: the bare loop of runs, behind `node:http`. It keeps the entries of a run in
 * memory, commits as many bytes for each turn as Stepwell does, calls the endpoint with the list
 * so far, and commits once more when the endpoint has answered. It checks no credential, makes no
 * events and no messages, signs nothing, knows no retries, and cannot recover anything.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import type { BatchItem } from '../load/message-batches.js';
import { BareLog } from './bare-log.js';
import { ready, settings } from './measured-program.js';

/** How the program is started. */
export interface BareRunsSettings {
  readonly directory: string;
  /** Bytes of one commit: a request's, and a delivery's. */
  readonly turnBytes: number;
}

const { directory, turnBytes } = settings<BareRunsSettings>();
const log = new BareLog(directory, true);
const turn = Buffer.alloc(turnBytes, 1);
/** Entries of each run, as they are delivered. */
const runs = new Map<string, string[]>();
const runPath = '/v2/workflows/runs/';
let pool: Pool | null = null;
let count = 0;

function take(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url = '' } = request;
    if (method === 'DELETE') void end(url, response);
    else void submit(Buffer.concat(chunks).toString(), response);
  });
}

/** Starts a run, or stores a step of one; either is delivered once it is on disk. */
async function submit(batch: string, response: ServerResponse): Promise<void> {
  const [item] = JSON.parse(batch) as readonly BatchItem[];
  if (item === undefined) throw new Error('a batch without an item');
  count += 1;
  const messageId = `msg_${String(count).padStart(23, '0')}`;
  const body = Buffer.from(item.body).toString('base64');
  const runId = runIdOf(item);
  const entries = runs.get(runId) ?? [];
  entries.push(JSON.stringify({ messageId, body, callType: 'step' }));
  runs.set(runId, entries);
  await log.append(turn);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify([{ messageId }]));
  await deliver(item, runId, messageId, `[${entries.join(',')}]`);
}

async function deliver(
  { destination }: BatchItem,
  runId: string,
  messageId: string,
  body: string,
): Promise<void> {
  const { origin, pathname } = new URL(destination);
  pool ??= new Pool(origin, { connections: 64 });
  const answer = await pool.request({
    method: 'POST',
    path: pathname,
    headers: {
      'content-type': 'application/json',
      'upstash-workflow-sdk-version': '1',
      'upstash-workflow-runid': runId,
      'upstash-workflow-url': destination,
      'upstash-message-id': messageId,
    },
    body,
  });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`the endpoint answered ${answer.statusCode}`);
  // The answer to a run's last delivery comes after its end, and says nothing new.
  if (runs.has(runId)) await log.append(turn);
}

async function end(url: string, response: ServerResponse): Promise<void> {
  const runId = url.slice(runPath.length, url.indexOf('?'));
  if (!runs.delete(runId)) throw new Error(`${runId} ends twice`);
  await log.append(turn);
  response.end();
}

function runIdOf({ headers = {} }: BatchItem): string {
  const found = Object.entries(headers).find(
    ([name]) => name.toLowerCase() === 'upstash-workflow-runid',
  );
  if (found === undefined) throw new Error('an item that names no run');
  return found[1];
}

const server = createServer({ keepAliveTimeout: 60_000 }, take);
server.listen(0, '127.0.0.1', () => {
  ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
