/**
 * Measured program: the bare loop from a produce to a consume. It takes a record in, appends and
 * group-commits its bytes, answers, and hands it to the one reader: in the answer that the reader
 * waits for, or as a piece of an answer that does not end. It checks no credential, parses nothing,
 * and keeps only what no reader has asked for yet.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BareLog } from './bare-log.js';
import { ready, settings } from './measured-program.js';

/** How the program is started. */
export interface BareRelaySettings {
  readonly directory: string;
}

const { directory } = settings<BareRelaySettings>();
const log = new BareLog(directory, false);
const longestWaitMs = 1000;
const eventStream = 'text/event-stream';

/** JSON texts that no reader has been given. */
let held: string[] = [];
/** Gives the reader what is held. */
let give: (() => void) | null = null;

function take(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    if (request.url?.startsWith('/consume/') === true) {
      if (request.headers.accept === eventStream) stream(response);
      else wait(response);
      return;
    }
    const bytes = Buffer.concat(chunks);
    await log.append(bytes);
    held.push(bytes.toString());
    give?.();
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify([{ topic: 'bench', partition: 0, offset: 0, timestamp: 0 }]));
  });
}

/** Answers with what is held, now or as soon as there is something, or at the end of the wait. */
function wait(response: ServerResponse): void {
  const answer = () => {
    clearTimeout(timer);
    give = null;
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(`[${held.join(',')}]`);
    held = [];
  };
  const timer = setTimeout(answer, longestWaitMs);
  if (held.length > 0) answer();
  else give = answer;
}

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': eventStream });
  response.flushHeaders();
  give = () => {
    response.write(held.map((text) => `data: ${text}\n\n`).join(''));
    held = [];
  };
  response.once('close', () => {
    give = null;
  });
  if (held.length > 0) give();
}

const server = createServer({ keepAliveTimeout: 60_000 }, take);
server.listen(0, '127.0.0.1', () => {
  ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
