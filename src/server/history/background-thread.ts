/**
 * Lowers the priority of a thread whose work can wait, such as the one that hashes sealed segments.
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
