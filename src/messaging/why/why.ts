/** The answer to "why is it waiting?", of messages and of runs. */

/** Times in Unix milliseconds. What does not apply is left out. */
export interface Why<Reason extends string> {
  /** For programs. */
  readonly reason: Reason;
  /** For people: names the thing that is waited for, and the time where there is one. */
  readonly sentence: string;
  /** When this reason ends by itself, at the latest. */
  readonly until?: number;
  /** What people can do about it. */
  readonly remedy?: string;
}

/** How times are written in sentences: UTC, to the second. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** `1 attempt`, `2 attempts`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
