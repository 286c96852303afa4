/**
 * A destination in a process of its own: counts what arrives and answers 200. A path that is a
 * number is remembered with the time of its arrival.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, ready } from './measured-program.js';

/** How much has arrived since the last time somebody asked for a new beginning. */
export interface Progress {
  readonly count: number;
}

export interface Arrivals extends Progress {
  /** The clock of `now`, when the last one arrived. */
  readonly lastAt: number;
  /** Arrival times by number. */
  readonly numbered: readonly (readonly [number, number])[];
}

/** What the bench asks: how far it is, or, with `clear`, for the arrivals and a new beginning. */
export interface SinkQuestion {
  readonly clear: boolean;
}

let count = 0;
let lastAt = 0;
let numbered: [number, number][] = [];

/** Milliseconds of the machine's monotonic clock: the same in every process. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    count += 1;
    lastAt = now();
    const number = Number(request.url?.slice(1));
    if (number > 0) numbered.push([number, lastAt]);
    response.end();
  });
});

answer(({ clear }: SinkQuestion): Progress | Arrivals => {
  if (!clear) return { count };
  const arrivals = { count, lastAt, numbered };
  count = 0;
  numbered = [];
  return arrivals;
});
server.listen(0, '127.0.0.1', () => {
  ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
