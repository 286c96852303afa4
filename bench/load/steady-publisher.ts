/** A publisher that publishes at a fixed rate, whatever the answers do. */
import { Pool } from 'undici';
import { machineTime } from '../measure/machine-time.js';

export interface SteadyTarget {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What publishes one message, by its number. */
  requestOf(number: number): { readonly path: string; readonly body: Buffer };
}

/** Milliseconds of the machine's monotonic clock, by number. */
export interface PublishTimes {
  readonly sentAt: readonly number[];
  readonly answeredAt: readonly number[];
}

/**
 * Publishes messages 1 to `count` at `perSecond` and gives the time of each one. Rejects if one is
 * not accepted.
 */
export async function publishSteadily(
  { origin, headers, requestOf }: SteadyTarget,
  count: number,
  perSecond: number,
): Promise<PublishTimes> {
  const pool = new Pool(origin, { connections: 32 });
  const sentAt: number[] = [];
  const answeredAt: number[] = [];
  const publish = async (number: number) => {
    const { path, body } = requestOf(number);
    sentAt[number] = machineTime();
    const response = await pool.request({ method: 'POST', path, headers, body });
    answeredAt[number] = machineTime();
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
  };
  const start = performance.now();
  const published: Promise<void>[] = [];
  for (let number = 1; number <= count; number += 1) {
    const dueIn = start + (number * 1000) / perSecond - performance.now();
    if (dueIn > 0) await new Promise((resolve) => setTimeout(resolve, dueIn));
    published.push(publish(number));
  }
  await Promise.all(published);
  await pool.close();
  return { sentAt, answeredAt };
}
