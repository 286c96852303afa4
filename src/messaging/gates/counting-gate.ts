/** A limit that all attempts share. */
import { type Entrant, type Gate, Line } from './gate.js';
import type { Obstacle } from './obstacle.js';

/** At most so much of all attempts at once: their number, or the bytes of their bodies. */
export class CountingGate implements Gate {
  readonly isShared = true;
  private readonly line = new Line(this);

  /** `amountOf` is what an entrant takes of the limit; one that takes nothing passes at once. */
  constructor(
    readonly name: 'bodyBytes' | 'attempts',
    private readonly limit: number,
    private readonly amountOf: (entrant: Entrant) => number = () => 1,
  ) {}

  lineOf(entrant: Entrant): Line | null {
    return this.amountOf(entrant) === 0 ? null : this.line;
  }

  /** What is above the whole limit goes alone, or it would never go. */
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
