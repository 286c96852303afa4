/** Timers are passed in from outside: this library never sets a timer of the process itself. */

/** Calls back once after a delay, and returns a function that cancels it. */
export type Timer = (delayMs: number, callback: () => void) => () => void;
