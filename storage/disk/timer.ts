/** Time that comes from outside: nothing here sets a timer of the process by itself. */

/** Calls back once after a delay, and returns what cancels it. */
export type Timer = (delayMs: number, callback: () => void) => () => void;
