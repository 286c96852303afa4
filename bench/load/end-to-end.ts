/** Published until everything has arrived at a sink: what both sides of a delivery case do. */
import type { Contestant } from '../measure/contest.js';
import { machineTime } from '../measure/machine-time.js';
import type { Sink } from '../measure/sink.js';
import { putUnderLoad } from './load.js';

/** What is published, again and again. */
export interface Publishing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** One for each request, in turn; every connection goes through all of them. */
  readonly bodies: readonly Buffer[];
  readonly connections: number;
  /** How many deliveries one request causes. */
  readonly deliveriesEach: number;
}

/** Deliveries per second of the first round, which does not count. */
const firstGuess = 1500;

/**
 * As many deliveries as the last round would have made in the time, in whole passes over the
 * bodies; the clock runs from the first publish to the last arrival.
 */
export function deliverAll(publishing: Publishing, sink: Sink): Contestant['run'] {
  const { bodies, connections, deliveriesEach } = publishing;
  const passRequests = bodies.length * connections;
  let rate = firstGuess;
  return async (seconds) => {
    const passes = Math.ceil((rate * seconds) / (passRequests * deliveriesEach));
    const amount = passes * passRequests;
    const start = machineTime();
    await putUnderLoad({ ...publishing, until: { amount } });
    const operations = amount * deliveriesEach;
    const { lastAt } = await sink.arrivals(operations);
    const elapsed = (lastAt - start) / 1000;
    rate = operations / elapsed;
    return { operations, seconds: elapsed, latencies: [] };
  };
}
