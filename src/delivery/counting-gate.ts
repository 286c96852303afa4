/** At most so many attempts at once for each key: per destination origin, or one key for all. */
import type { Entrant } from './admission.js';
import type { Gate } from './gate.js';
import { Line } from './line.js';

const sweepMin = 1024;

export class CountingGate implements Gate {
  readonly isShared: boolean;
  private readonly lines = new Map<string, Line>();
  private sweepAt = sweepMin;

  /** `keyOf` null: one key for all. */
  constructor(
    private readonly limit: number,
    private readonly keyOf: ((entrant: Entrant) => string) | null,
  ) {
    this.isShared = keyOf === null;
  }

  lineOf(entrant: Entrant): Line {
    const key = this.keyOf === null ? '' : this.keyOf(entrant);
    const known = this.lines.get(key);
    if (known !== undefined) return known;
    if (this.lines.size >= this.sweepAt) this.sweep();
    const line = new Line(this);
    this.lines.set(key, line);
    return line;
  }

  hasRoom(line: Line): boolean {
    return line.used < this.limit;
  }

  enter(line: Line): void {
    line.used += 1;
  }

  leave(line: Line): void {
    line.used -= 1;
  }

  /** Keys come and go by the thousands; idle ones are forgotten once they are the greater half. */
  private sweep(): void {
    for (const [key, line] of this.lines) if (line.isIdle) this.lines.delete(key);
    this.sweepAt = Math.max(sweepMin, this.lines.size * 2);
  }
}
