/** Lines that wait for free places, by how many of the taken ones are theirs. */
import type { Line } from './gate.js';

export class FairLines {
  /**
   * By `Line.used`, which must not change while the line is here. There are few levels: of 1,000
   * taken places at most 44, as 1 + 2 + ... + 44 is 990.
   */
  private readonly levels = new Map<number, Set<Line>>();

  add(line: Line): void {
    const level = this.levels.get(line.used);
    if (level === undefined) this.levels.set(line.used, new Set([line]));
    else level.add(line);
  }

  /** Gives whether it was here. */
  delete(line: Line): boolean {
    const level = this.levels.get(line.used);
    if (level?.delete(line) !== true) return false;
    if (level.size === 0) this.levels.delete(line.used);
    return true;
  }

  /** Of those that have the fewest places, the one that has waited longest. */
  get first(): Line | undefined {
    if (this.levels.size === 0) return undefined;
    const [first] = this.levels.get(Math.min(...this.levels.keys())) ?? [];
    return first;
  }
}
