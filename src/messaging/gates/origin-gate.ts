/**
 * Shares the places of all attempts among the destinations, so that those that hang do not take
 * everything. The last eighth of the places is kept for origins that have nothing in flight. Of the
 * rest an origin takes its limit, and never more than half; once half are taken, its limit is a
 * share of what is left of them: at a quarter left half of it, at an eighth left a quarter. So each
 * that takes a lot leaves places for the next one. (Dynamic thresholds, Choudhury and Hahne 1998,
 * as in switches that share memory among their ports.)
 *
 * An origin that has nothing in flight waits only where every place is taken, which is not judged
 * here but by the gate that counts all.
 */

import { type Entrant, type Gate, Line } from './gate.js';
import type { Obstacle } from './obstacle.js';

/** How much one origin may take, and of how much. */
export interface OriginLimits {
  /** Attempts of one origin at once. */
  readonly attempts: number;
  /** Attempts of all origins at once. */
  readonly places: number;
  /** What the bodies of one origin's attempts take of the byte budget at once. */
  readonly bytes: number;
}

/** One for the server (ADR 8). It knows origins only while something of theirs runs or waits. */
export class OriginGate implements Gate {
  readonly name = 'origin';
  readonly isShared = false;
  private readonly lines = new OriginLines(this);
  /** Those that wait for other origins' attempts to end; their own ends open their line anyway. */
  private readonly fairLines = new FairLines();
  /** Of the lines that have any in flight. */
  private readonly bytes = new Map<Line, number>();
  /** Places for origins that have nothing in flight. */
  private readonly kept: number;
  /** Of the others. */
  private readonly half: number;
  /** Of one origin. */
  private readonly most: number;
  private free: number;

  /** `bytesOf` is what an attempt takes of the byte budget. */
  constructor(
    private readonly limits: OriginLimits,
    private readonly bytesOf: (entrant: Entrant) => number,
  ) {
    this.kept = Math.ceil(limits.places / 8);
    this.half = Math.ceil((limits.places - this.kept) / 2);
    this.most = Math.min(limits.attempts, this.half);
    this.free = limits.places;
  }

  lineOf({ origin }: Entrant): Line {
    return this.lines.of(origin);
  }

  /** Where only free places are missing, it sees to it that the line is tried again. */
  isOpen(line: Line, entrant: Entrant): boolean {
    if (this.isWithinShare(line)) return this.hasBytes(line, entrant);
    if (line.used < this.most) this.fairLines.add(line);
    return false;
  }

  enter(line: Line, entrant: Entrant): void {
    this.count(line, 1, this.bytesOf(entrant));
  }

  leave(line: Line, entrant: Entrant): void {
    this.count(line, -1, -this.bytesOf(entrant));
  }

  obstacleOf({ used }: Line, { origin }: Entrant): Obstacle {
    return { gate: this.name, origin, running: used, limit: this.most };
  }

  takeOpened(): Line | undefined {
    const line = this.fairLines.first;
    if (line === undefined || !this.isWithinShare(line)) return undefined;
    this.fairLines.delete(line);
    return line;
  }

  /** Whether one more of this origin's is within its share of what is left. */
  private isWithinShare({ used }: Line): boolean {
    if (used === 0) return true;
    const left = Math.max(this.free - this.kept, 0);
    return (used + 1) * this.half <= this.most * Math.min(left, this.half);
  }

  /** A body above the limit goes alone, or it would never go. */
  private hasBytes(line: Line, entrant: Entrant): boolean {
    const taken = this.bytes.get(line) ?? 0;
    return taken === 0 || taken + this.bytesOf(entrant) <= this.limits.bytes;
  }

  private count(line: Line, places: number, bytes: number): void {
    const isWaiting = this.fairLines.delete(line);
    line.used += places;
    this.free -= places;
    if (isWaiting) this.fairLines.add(line);
    const taken = (this.bytes.get(line) ?? 0) + bytes;
    if (taken === 0) this.bytes.delete(line);
    else this.bytes.set(line, taken);
  }
}

const sweepMin = 1024;

/** One line for each origin. */
class OriginLines {
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

/** Lines that wait for free places, by how many of the taken ones are theirs. */
class FairLines {
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
