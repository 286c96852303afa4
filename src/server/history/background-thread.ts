/**
 * How a thread whose work can wait, such as the one that hashes sealed segments, leaves processors
 * to the other threads.
 */
import { constants, getPriority, setPriority } from 'node:os';

/** If all processors are busy, this leaves the thread a tenth of what each other thread gets. */
const niceBy = 10;

/**
 * A thread calls this for itself, so that the others get the processor first. Only on Linux, where
 * each thread has a nice value of its own (sched(7)); elsewhere it would apply to the whole
 * process.
 */
export function letOthersGoFirst(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + niceBy));
  } catch {
    // A sandbox may forbid this: then the thread has an equal share.
  }
}

/**
 * How long, in ms, a thread works before it sleeps, and how long it sleeps. A thread that wakes up
 * on its processor may have to wait meanwhile, whatever the priorities: since its version 6.6,
 * Linux lets a thread finish its slice, which is some milliseconds (ADR 124).
 */
const worksMs = 0.15;
const sleepsMs = 0.15;

/**
 * A function that a thread calls often while it works: it sleeps if the thread has worked for long
 * enough. `now` is in ms and never falls.
 */
export function restsOf(now: () => number, sleep: (ms: number) => void = sleepHere): () => void {
  let sleptAt = now();
  return () => {
    if (now() - sleptAt < worksMs) return;
    sleep(sleepsMs);
    sleptAt = now();
  };
}

const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

function sleepHere(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
