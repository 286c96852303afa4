/** A limit that all attempts share. */
import { type Entrant, type Gate, gateNames, Line } from './gate.js';
import type { Obstacle } from './obstacle.js';

/** Limits all attempts together: either their number, or the total bytes of their bodies. */
export class CountingGate implements Gate {
  readonly sharedBy = gateNames;
  private readonly line = new Line(this);

  /** `amountOf`: how much of the limit an entrant takes; one that takes nothing passes at once. */
  constructor(
    readonly name: 'bodyBytes' | 'attempts',
    private readonly limit: number,
    private readonly amountOf: (entrant: Entrant) => number = () => 1,
  ) {}

  lineOf(entrant: Entrant): Line | null {
    return this.amountOf(entrant) === 0 ? null : this.line;
  }

  /** An entrant above the whole limit passes alone; otherwise it could never pass. */
  isOpen(line: Line, entrant: Entrant): boolean {
    return line.used === 0 || line.used + this.amountOf(entrant) <= this.limit;
  }

  enter(line: Line, entrant: Entrant): void {
    line.used += this.amountOf(entrant);
  }

  leave(line: Line, entrant: Entrant): void {
    line.used -= this.amountOf(entrant);
  }

  obstacleOf({ used }: Line): Obstacle {
    return { gate: this.name, taken: used, limit: this.limit };
  }
}
