/** One attempt's way through the gates: all that a waiting attempt costs in memory. */
import type { Line } from './line.js';

/** What asks to be let in. */
export interface Entrant {
  readonly messageId: string;
  /** The queue that it goes through; null = none. */
  readonly queueName: string | null;
  /** The flow-control key that it counts for; null = none. */
  readonly flowControlKey: string | null;
  /** Scheme, host and port of the destination. */
  readonly origin: string;
  readonly bodyBytes: number;
  /** Called once, when all gates are passed; it may call the gates again. */
  admitted(): void;
}

export class Admission {
  /** Where it waits; null = it does not. */
  line: Line | null = null;
  /** Its rank in the line where it waits. */
  rank = 0;
  /** The line that waits for this one to pass (see `Line.delegate`). */
  standsFor: Line | null = null;
  isInside = false;

  constructor(
    readonly entrant: Entrant,
    /** Order of arrival. */
    readonly ticket: number,
  ) {}
}
