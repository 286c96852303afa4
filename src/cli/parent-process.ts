/**
 * Ends this process when its parent ends. `npx` and `npm` scripts run a shell, which ends by a
 * signal without passing it on, so the server would be left running.
 */
import type { Clock } from '../engine/clock.js';

const checkAgainMs = 250;

/** Calls `onEnd` once, when the present parent of this process is gone. */
export function followParent(clock: Clock, onEnd: () => void): void {
  const parent = process.ppid;
  const look = () => {
    if (process.ppid === parent) clock.after(checkAgainMs, look);
    else onEnd();
  };
  look();
}
