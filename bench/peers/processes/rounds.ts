/** Closed loops: so many connections, each of which calls again when it has its answer. */
import type { Round } from '../../measure/contest.js';
import type { Caller } from '../peer.js';

/** Until when a round goes: for so long, or so many calls. */
export type Until = { readonly seconds: number } | { readonly calls: number };

/** Rejects with the first call that was refused; the calls under way have ended then. */
export async function runRound(caller: Caller, connections: number, until: Until): Promise<Round> {
  const latencies: number[] = [];
  const start = performance.now();
  const isOver =
    'calls' in until
      ? (begun: number) => begun >= until.calls
      : () => performance.now() - start >= until.seconds * 1000;
  let begun = 0;
  let last = start;
  const loop = async (connection: number) => {
    while (!isOver(begun)) {
      begun += 1;
      const from = performance.now();
      await caller.call(connection);
      last = performance.now();
      latencies.push(last - from);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: connections }, (_, n) => loop(n)));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const operations = latencies.length * caller.operationsEach;
  return { operations, seconds: (last - start) / 1000, latencies };
}
