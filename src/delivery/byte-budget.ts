/** The bytes of outgoing bodies that may be in memory at once (decision 21). */
import type { Entrant } from './admission.js';
import type { Gate } from './gate.js';
import { Line } from './line.js';

export class ByteBudget implements Gate {
  readonly isShared = true;
  private readonly line = new Line(this);

  constructor(private readonly limitBytes: number) {}

  lineOf(): Line {
    return this.line;
  }

  /** A body above the whole budget goes alone, or it would never go. */
  hasRoom(line: Line, entrant: Entrant): boolean {
    return line.used === 0 || line.used + entrant.bodyBytes <= this.limitBytes;
  }

  enter(line: Line, entrant: Entrant): void {
    line.used += entrant.bodyBytes;
  }

  leave(line: Line, entrant: Entrant): void {
    line.used -= entrant.bodyBytes;
  }
}
