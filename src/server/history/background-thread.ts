/** A thread beside the server whose work can wait: it hashes what was sealed. */
import { constants, getPriority, setPriority } from 'node:os';

/** Where all processors are busy, so much leaves it a tenth of what each other thread gets. */
const niceBy = 10;

/**
 * Called by such a thread for itself: the others get the processor first. On Linux alone, where a
 * thread has a nice value of its own (sched(7)); elsewhere it is that of the whole process.
 */
export function letOthersGoFirst(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + niceBy));
  } catch {
    // A sandbox may forbid it: then the thread has an equal share.
  }
}
