/** Publishes messages to an endpoint in this process, and measures publishing and delivery. */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Clock, systemClock } from '../../engine/clock.js';
import { listeningPort, originOf } from '../../http/listening-port.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import type { ApiClient } from '../connect/api-client.js';
import { ClientError } from '../connect/client-errors.js';
import type { RequestHeaders } from '../connect/exchange.js';

/** What is published, and to which host. */
export interface Load {
  readonly messages: number;
  /** How many publish requests run at once. */
  readonly concurrency: number;
  /** The size of each body. */
  readonly bytes: number;
  /** The address of this machine, as the server reaches it. */
  readonly host: string;
  readonly headers: RequestHeaders;
}

/** In milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The result of `measure`, which `--json` prints. */
export interface Measured {
  readonly messages: number;
  /** From the first publish to the last delivery. */
  readonly seconds: number;
  /** From the request to its answer. */
  readonly publishMs: Percentiles;
  /** From the request to the first byte of the delivery. */
  readonly deliveryMs: Percentiles;
}

/** If no delivery arrives for this long, none is expected any more. */
const patienceMs = 30_000;

/**
 * Throws what the server refuses, and `ClientError` if deliveries do not arrive or `host` is not an
 * address of this machine.
 */
export async function measure(
  api: ApiClient,
  { messages, concurrency, bytes, host, headers }: Load,
  clock: Clock = systemClock,
): Promise<Measured> {
  const begun = new Map<string, number>();
  const publishMs: number[] = [];
  const deliveryMs: number[] = [];
  let arrived: () => void = () => undefined;
  const server = await listening(host, (request) => {
    const name = request.url ?? '';
    const at = begun.get(name);
    // The server may deliver a message more than once; the first delivery counts.
    if (at === undefined || !begun.delete(name)) return;
    deliveryMs.push(clock.monotonic() - at);
    arrived();
  });
  const port = listeningPort(server);
  const url = originOf(host, port);
  const body = 'x'.repeat(bytes);
  const startedAt = clock.monotonic();
  let next = 0;
  const publishAll = async () => {
    for (let index = next++; index < messages; index = next++) {
      const at = clock.monotonic();
      begun.set(`/${index}`, at);
      await api.post(`/v2/publish/${url}/${index}`, { headers, body });
      publishMs.push(clock.monotonic() - at);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, messages) }, publishAll));
    while (deliveryMs.length < messages) {
      const isQuiet = await new Promise<boolean>((resolve) => {
        const cancel = clock.after(patienceMs, () => resolve(true));
        arrived = () => {
          cancel();
          resolve(false);
        };
      });
      if (isQuiet) throw lost(messages - deliveryMs.length, url);
    }
    const seconds = (clock.monotonic() - startedAt) / 1000;
    return { messages, seconds, publishMs: of(publishMs), deliveryMs: of(deliveryMs) };
  } finally {
    // If one publisher failed, the others stop.
    next = messages;
    server.close();
    server.closeAllConnections();
  }
}

function lost(count: number, url: string): ClientError {
  return new ClientError(
    `${count} messages did not arrive at ${url} for ${patienceMs / 1000} s; ` +
      'stepwell msg ls --label stepwell-bench says why (STEPWELL_ALLOW_NETWORKS, --host)',
    exitCodes.unavailable,
  );
}

async function listening(host: string, take: (request: IncomingMessage) => void): Promise<Server> {
  const server = createServer((request, response) => {
    take(request);
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(notListening(host, error)));
    server.listen(0, host, resolve);
  });
  return server;
}

/** The host name is unknown, or its address belongs to another machine. */
function notListening(host: string, error: NodeJS.ErrnoException): ClientError {
  const reason = error.code ?? error.message;
  const said = `--host ${host} is not an address on which this machine can listen (${reason})`;
  return new ClientError(said, exitCodes.usage);
}

function of(times: readonly number[]): Percentiles {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { p50: at(0.5) ?? 0, p99: at(0.99) ?? 0, max: sorted.at(-1) ?? 0 };
}
