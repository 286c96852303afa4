/**
 * Measured program: the bare `node:http` loop. It takes a body in, appends and group-commits it
 * among as many bytes as Stepwell's record has, and answers when they are on disk. It checks no
 * credential, parses nothing, makes no ids. Where it delivers, it then posts the body to the
 * destination, once or many times, and commits the bytes of a record for each.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { BareLog } from './bare-log.js';
import { ready, settings } from './measured-program.js';

/** How the program is started. */
export interface BareServerSettings {
  readonly directory: string;
  /** Bytes committed beside each body, so that both sides write as much. */
  readonly besideBytes: number;
  /** Whether Stepwell prepares the files of the log that this one stands beside. */
  readonly prepares: boolean;
  /** Where bodies are delivered to; null delivers none. */
  readonly delivery: BareDelivery | null;
}

export interface BareDelivery {
  readonly origin: string;
  /** How often each body is delivered. */
  readonly copies: number;
  /** Length of a body: the end of each request. */
  readonly bodyBytes: number;
  /** One at a time: the next one is sent when the record of the one before is on disk. */
  readonly isOrdered: boolean;
  /** What the end of one delivery weighs. */
  readonly recordBytes: number;
}

const { directory, besideBytes, prepares, delivery } = settings<BareServerSettings>();
const log = new BareLog(directory, prepares);
const pool = delivery === null ? null : new Pool(delivery.origin, { connections: 64 });
const deliveredRecord = Buffer.alloc(delivery?.recordBytes ?? 0, 1);
const publishPath = '/v2/publish/';
let count = 0;
let lastOrdered = Promise.resolve();

function take(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    const bytes = Buffer.concat([Buffer.alloc(besideBytes, 1), ...chunks]);
    await log.append(bytes);
    count += 1;
    const { url = '' } = request;
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify({ messageId: `msg_${String(count).padStart(23, '0')}`, url }));
    if (delivery === null) return;
    const isPath = url.startsWith(publishPath);
    const path = isPath ? url.slice(publishPath.length + delivery.origin.length) : '/';
    const body = bytes.subarray(bytes.length - delivery.bodyBytes);
    for (let copy = 0; copy < delivery.copies; copy += 1) {
      if (delivery.isOrdered) lastOrdered = lastOrdered.then(() => deliver(path, body));
      else void deliver(path, body);
    }
  });
}

/** Settles when its record is on disk. */
function deliver(path: string, body: Buffer): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' };
  return new Promise((resolve) => {
    pool?.dispatch(
      { method: 'POST', path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseEnd: () => resolve(log.append(deliveredRecord)),
        onResponseError: (_controller, error) => {
          throw error;
        },
      },
    );
  });
}

const server = createServer({ keepAliveTimeout: 60_000 }, take);
server.listen(0, '127.0.0.1', () => {
  ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
