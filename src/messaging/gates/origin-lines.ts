/** One line for each destination origin. */
import type { Gate } from './gate.js';
import { Line } from './gate.js';

const sweepMin = 1024;

export class OriginLines {
  private readonly lines = new Map<string, Line>();
  private sweepAt = sweepMin;

  constructor(private readonly gate: Gate) {}

  /** The line of `origin`, the same one for as long as an attempt is in it or waits in it. */
  of(origin: string): Line {
    const known = this.lines.get(origin);
    if (known !== undefined) return known;
    if (this.lines.size >= this.sweepAt) this.sweep();
    const line = new Line(this.gate);
    this.lines.set(origin, line);
    return line;
  }

  /** Origins come and go by the thousands; idle ones are forgotten once they are most of them. */
  private sweep(): void {
    for (const [origin, line] of this.lines) if (line.isIdle) this.lines.delete(origin);
    this.sweepAt = Math.max(sweepMin, this.lines.size * 2);
  }
}
