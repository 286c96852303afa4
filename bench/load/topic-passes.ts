/** Readers that go through a whole topic, again and again: what both sides of a reading case do. */
import { Pool } from 'undici';
import type { Round } from '../measure/contest.js';
import type { MeasuredProcess } from '../measure/measured-process.js';
import { basic } from '../measure/stepwell-server.js';
import { Progress } from './answered-records.js';
import { topicName } from './log-topic.js';

export const logHeaders = { authorization: basic, 'content-type': 'application/json' };

/** One time through; makes as many passes as a round takes. */
export type Pass = () => Promise<Round>;

/** Passes until the time is over, at least one; the clock runs only while they do. */
export async function passes(seconds: number, pass: Pass): Promise<Round> {
  let operations = 0;
  let elapsed = 0;
  const latencies: number[] = [];
  while (elapsed < seconds) {
    const round = await pass();
    operations += round.operations;
    elapsed += round.seconds;
    for (const latency of round.latencies) latencies.push(latency);
  }
  return { operations, seconds: elapsed, latencies };
}

/** Connections that stay open between the rounds; one for each reader. */
export function connectionsTo({ address }: MeasuredProcess, readers: number): Pool {
  return new Pool(address, { connections: readers, keepAliveTimeout: 60_000 });
}

/** The bytes of an answer, and the milliseconds until all of them were there. */
export async function read(
  pool: Pool,
  path: string,
  body: Buffer,
  headers: Readonly<Record<string, string>> = logHeaders,
): Promise<{ readonly answer: Buffer; readonly milliseconds: number }> {
  const start = performance.now();
  const response = await pool.request({ method: 'POST', path, headers, body });
  const answer = Buffer.from(await response.body.arrayBuffer());
  if (response.statusCode !== 200) {
    throw new Error(`${path} answered ${response.statusCode}: ${answer}`);
  }
  return { answer, milliseconds: performance.now() - start };
}

/**
 * Readers that fetch by offset: each goes through its partitions, one after the other, with one
 * request in flight. Every reader sees every record of its partitions once.
 */
export function fetchingPass(
  pool: Pool,
  ends: readonly number[],
  readers: readonly (readonly number[])[],
): Pass {
  return async () => {
    const latencies: number[] = [];
    const start = performance.now();
    const operations = await Promise.all(
      readers.map(async (partitions) => {
        const progress = new Progress(ends);
        let records = 0;
        for (const partition of partitions) {
          while (!progress.isRead(partition)) {
            const { answer, milliseconds } = await fetchAt(pool, partition, progress);
            const count = progress.take(answer);
            if (count === 0) throw new Error(`partition ${partition} ended before its end`);
            records += count;
            latencies.push(milliseconds);
          }
        }
        return records;
      }),
    );
    const seconds = (performance.now() - start) / 1000;
    return {
      operations: operations.reduce((sum, records) => sum + records, 0),
      seconds,
      latencies,
    };
  };
}

/** One page of a partition. */
export function fetchAt(pool: Pool, partition: number, progress: Progress) {
  const offset = progress.nextOf(partition);
  const body = { topic: topicName, partition, offset, timeout: 0 };
  return read(pool, '/fetch', Buffer.from(JSON.stringify(body)));
}

/** The partitions of a topic among so many readers. */
export function shared(partitions: number, readers: number): readonly (readonly number[])[] {
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  return Array.from({ length: readers }, (_, reader) =>
    all.filter((partition) => partition % readers === reader),
  );
}
