/**
 * Measured program: the bare `node:http` loop. It takes a body in, appends and group-commits it
 * among as many bytes as Stepwell's record has, and answers when they are on disk. It checks no
 * credential, parses nothing, makes no ids, keeps nothing in memory. Where it delivers, it then
 * posts the body to the destination in the path, once or many times, and commits the bytes of a
 * record for each.
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
  /** What the end of one delivery weighs. */
  readonly recordBytes: number;
}

const { directory, besideBytes, prepares, delivery } = settings<BareServerSettings>();
const log = new BareLog(directory, prepares);
const pool = delivery === null ? null : new Pool(delivery.origin, { connections: 64 });
const deliveredRecord = Buffer.alloc(delivery?.recordBytes ?? 0, 1);
const publishPath = '/v2/publish/';
let count = 0;

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
    const path = url.slice(publishPath.length + delivery.origin.length);
    for (let copy = 0; copy < delivery.copies; copy += 1) {
      deliver(path, bytes.subarray(besideBytes));
    }
  });
}

function deliver(path: string, body: Buffer): void {
  const headers = { 'content-type': 'application/octet-stream' };
  pool?.dispatch(
    { method: 'POST', path, headers, body },
    {
      onRequestStart: () => undefined,
      onResponseEnd: () => void log.append(deliveredRecord),
      onResponseError: (_controller, error) => {
        throw error;
      },
    },
  );
}

const server = createServer({ keepAliveTimeout: 60_000 }, take);
server.listen(0, '127.0.0.1', () => {
  ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
