/** Load over HTTP from this process: so many connections, each one waits for its answer. */
import { randomBytes } from 'node:crypto';
import autocannon from 'autocannon';
import type { Contestant, Round } from '../measure/contest.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import { bearer } from '../measure/stepwell-server.js';

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One for each request, in turn; every connection goes through all of them. */
  readonly bodies: readonly Buffer[];
  /** Until when: so many seconds, or so many requests. */
  readonly until: { readonly duration: number } | { readonly amount: number };
}

/** One request that is made again and again. */
export interface Repeated {
  readonly path: string;
  readonly connections: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** How many operations one request brings. */
  readonly operationsEach: number;
}

/** What `delayedPublishes` publish. */
export const delayed = {
  destination: 'http://127.0.0.1:8080/orders',
  body: randomBytes(1024),
} as const;

/** Publishes of 1 KiB that are due in an hour: none is sent. */
export function delayedPublishes(connections: number): Repeated {
  return {
    path: `/v2/publish/${delayed.destination}`,
    connections,
    headers: {
      authorization: bearer,
      'content-type': 'application/octet-stream',
      'svc-delay': '1h',
    },
    body: delayed.body,
    operationsEach: 1,
  };
}

/** A side that is under load for a round; latencies are those of the requests. */
export function underLoad(
  process: MeasuredProcess,
  { path, operationsEach, body, ...load }: Repeated,
): Contestant {
  const url = `${process.address}${path}`;
  const run = async (duration: number) => {
    const round = await putUnderLoad({ ...load, url, bodies: [body], until: { duration } });
    return { ...round, operations: round.operations * operationsEach };
  };
  return { process, run };
}

/** Requests and their latencies. Rejects if one of them was not answered with 200. */
export function putUnderLoad(load: Load): Promise<Round> {
  const { url, connections, headers, bodies, until } = load;
  const requests = bodies.map((body) => ({ body }));
  return new Promise((resolve, reject) => {
    const latencies: number[] = [];
    const refused = new Map<number, number>();
    const start = performance.now();
    let last = start;
    const run = autocannon(
      { url, connections, method: 'POST', headers, requests, ...until },
      (error, result) => {
        const seconds = (last - start) / 1000;
        if (error) reject(error);
        else if (result.errors > 0) reject(new Error(`${result.errors} requests failed at ${url}`));
        else if (refused.size > 0) reject(new Error(`${url} answered ${timesOf(refused)}`));
        else resolve({ operations: latencies.length, seconds, latencies });
      },
    );
    run.on('response', (_client, status, _bytes, milliseconds) => {
      last = performance.now();
      if (status === 200) latencies.push(milliseconds);
      else refused.set(status, (refused.get(status) ?? 0) + 1);
    });
  });
}

function timesOf(statuses: ReadonlyMap<number, number>): string {
  return [...statuses].map(([status, count]) => `${status} ${count} times`).join(', ');
}
