/** A limit on what may run at once. Queues and flow control bring gates of their own. */
import type { Entrant } from './admission.js';
import type { Line } from './line.js';

export interface Gate {
  /** All entrants stand in the same line. */
  readonly isShared: boolean;
  /** The line of those that share this limit with `entrant`. */
  lineOf(entrant: Entrant): Line;
  hasRoom(line: Line, entrant: Entrant): boolean;
  enter(line: Line, entrant: Entrant): void;
  leave(line: Line, entrant: Entrant): void;
}
