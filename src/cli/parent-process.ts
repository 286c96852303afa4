/**
 * When the process that has started this one ends, this one does, too. `npx` and scripts of `npm`
 * run a shell, which ends by a signal without passing it on: the server would stay behind.
 */
import type { Clock } from '../engine/clock.js';

const lookAgainMs = 250;

/** Calls `onEnd` once, when the parent that this process has now is gone. */
export function followParent(clock: Clock, onEnd: () => void): void {
  const parent = process.ppid;
  const look = () => {
    if (process.ppid === parent) clock.after(lookAgainMs, look);
    else onEnd();
  };
  look();
}
