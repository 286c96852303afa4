/** The answer to "why is it waiting?", for messages and for runs. */

/** An explanation. Times are in Unix milliseconds. Fields that do not apply are omitted. */
export interface Why<Reason extends string> {
  /** The reason, for programs. */
  readonly reason: Reason;
  /** A sentence for people: names the thing that is waited for, and the time if there is one. */
  readonly sentence: string;
  /** When this reason ends by itself, at the latest. */
  readonly until?: number;
  /** What users can do about it. */
  readonly remedy?: string;
}

/** A time as it is written in sentences: UTC, to the second. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** A count with its noun: `1 attempt`, `2 attempts`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
