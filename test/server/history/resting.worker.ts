/** A thread that works for some milliseconds, and reports how many times it has slept. */
import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { rest } from '../../../src/server/history/background-thread.js';

const pieces = 50;
const pieceMs = 0.2;

function sleeps(): number {
  const status = readFileSync('/proc/thread-self/status', 'utf8');
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
}

/** Works in pieces, each long enough for a rest. */
function work(afterEach: () => void): number {
  const before = sleeps();
  for (let piece = 0; piece < pieces; piece += 1) {
    const end = performance.now() + pieceMs;
    while (performance.now() < end);
    afterEach();
  }
  return sleeps() - before;
}

const without = work(() => undefined);
parentPort?.postMessage({ pieces, without, resting: work(rest) });
