/**
 * The fixed windows in which a rate is counted (messaging.md 8): the first start opens a window,
 * and the first start after its period opens the next. Pure.
 */

/** One window of one key. */
export interface RateWindow {
  /** Numbers the windows of a key, so that two windows of the same millisecond differ. */
  readonly ordinal: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Starts that are reserved in the journal: used, or available to this process. */
  readonly reserved: number;
}

/** The window before the first one; it has always ended. */
export const noWindow: RateWindow = { ordinal: 0, startedAt: 0, reserved: 0 };

/** The most that one reservation takes: after a crash, unused grants count as spent. */
const blockMax = 64;

/** A reservation also covers future starts, up to this fraction of the rate. */
const rateParts = 16;

/** When a window ends, Unix milliseconds. */
export function endOf({ startedAt }: RateWindow, periodSeconds: number): number {
  return startedAt + periodSeconds * 1000;
}

/** Whether the period of a window has passed. Setting the clock back by a period ends it, too. */
export function isOver({ startedAt }: RateWindow, periodSeconds: number, at: number): boolean {
  return Math.abs(at - startedAt) >= periodSeconds * 1000;
}

/** The window in which a start at `at` counts: the last one, or a new one if that has ended. */
export function windowAt(last: RateWindow, periodSeconds: number, at: number): RateWindow {
  return isOver(last, periodSeconds, at) ? nextWindow(last, at) : last;
}

/** A new window that begins at `at`. */
export function nextWindow({ ordinal }: RateWindow, at: number): RateWindow {
  return { ordinal: ordinal + 1, startedAt: at, reserved: 0 };
}

/**
 * How many starts to reserve at once: as many as wait. With a high rate some more, so that most
 * attempts wait for no commit; with a low rate no more, so that a crash does not waste starts of a
 * long window.
 */
export function blockOf({ reserved }: RateWindow, rate: number, waiting: number): number {
  const wanted = Math.max(waiting, Math.floor(rate / rateParts), 1);
  return Math.max(0, Math.min(wanted, blockMax, rate - reserved));
}
