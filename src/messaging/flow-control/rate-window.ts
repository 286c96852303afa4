/**
 * The fixed windows that a rate is counted in (messaging.md 8): the first start opens one, and when
 * its period has passed the next start opens another. Pure.
 */

/** One window of one key. */
export interface RateWindow {
  /** Numbers the windows of a key, so that two of one millisecond differ. */
  readonly ordinal: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Starts that are set aside in the journal: made, or free to be made by this process. */
  readonly reserved: number;
}

/** Before the first one: over at any time. */
export const noWindow: RateWindow = { ordinal: 0, startedAt: 0, reserved: 0 };

/** One reservation sets aside no more than this: a crash spends what it has not used. */
const blockMax = 64;

/** A reservation also provides for starts to come, up to this part of the rate. */
const rateParts = 16;

/** When a window ends, Unix milliseconds. */
export function endOf({ startedAt }: RateWindow, periodSeconds: number): number {
  return startedAt + periodSeconds * 1000;
}

/** Whether its period has passed. A clock that was set back by as much has ended it too. */
export function isOver({ startedAt }: RateWindow, periodSeconds: number, at: number): boolean {
  return Math.abs(at - startedAt) >= periodSeconds * 1000;
}

/** The window that a start at `at` counts in: the last one, or a new one if that has ended. */
export function windowAt(last: RateWindow, periodSeconds: number, at: number): RateWindow {
  return isOver(last, periodSeconds, at) ? nextWindow(last, at) : last;
}

/** A new window that begins at `at`. */
export function nextWindow({ ordinal }: RateWindow, at: number): RateWindow {
  return { ordinal: ordinal + 1, startedAt: at, reserved: 0 };
}

/**
 * How many starts to set aside at once: those that wait; of a high rate some more, so that most
 * attempts wait for no commit; of a low one none that a crash would take from a long window.
 */
export function blockOf({ reserved }: RateWindow, rate: number, waiting: number): number {
  const wanted = Math.max(waiting, Math.floor(rate / rateParts), 1);
  return Math.max(0, Math.min(wanted, blockMax, rate - reserved));
}
