/** A limit on what may run at once. Queues and flow control bring gates of their own. */
import type { Entrant } from './admission.js';
import type { Line } from './line.js';

export interface Gate {
  /** All entrants stand in the same line. */
  readonly isShared: boolean;
  /**
   * The line of those that share this limit with `entrant`, the same one until it has left; null:
   * this gate does not concern it.
   */
  lineOf(entrant: Entrant): Line | null;
  hasRoom(line: Line, entrant: Entrant): boolean;
  enter(line: Line, entrant: Entrant): void;
  leave(line: Line, entrant: Entrant): void;
  /**
   * A line that has room because somebody of another one has left; each is given once. Whoever
   * leaves opens its own line without being asked.
   */
  takeOpened?(): Line | undefined;
}
