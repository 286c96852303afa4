/**
 * Shares the places of all attempts among the destinations, so that hanging destinations do not
 * take everything. The last eighth of the places is kept for origins that have nothing in flight.
 * Of the rest, an origin may take up to its limit, but never more than half. Once half are taken,
 * its limit shrinks in proportion to what is left: to half of it when a quarter is left, to a
 * quarter when an eighth is left. So every busy origin leaves places for the next one. (Dynamic
 * thresholds, Choudhury and Hahne 1998, as in switches that share memory among their ports.)
 *
 * An origin that has nothing in flight waits only if every place is taken, which is not decided
 * here but by the gate that counts all attempts.
 */

import { type Entrant, type Gate, Line } from './gate.js';
import type { Obstacle } from './obstacle.js';

/** How much one origin may take, and out of how much. */
export interface OriginLimits {
  /** Attempts of one origin at once. */
  readonly attempts: number;
  /** Attempts of all origins at once. */
  readonly places: number;
  /** Bytes of the budget for bodies that the attempts of one origin may take at once. */
  readonly bytes: number;
}

/** One instance per server (ADR 8). It knows only origins with attempts in flight or waiting. */
export class OriginGate implements Gate {
  readonly name = 'origin';
  readonly isShared = false;
  private readonly lines = new OriginLines(this);
  /** Lines that wait for attempts of other origins to end; ends of their own reopen them anyway. */
  private readonly fairLines = new FairLines();
  /** Bytes taken, by line; only lines with attempts in flight. */
  private readonly bytes = new Map<Line, number>();
  /** Places reserved for origins that have nothing in flight. */
  private readonly kept: number;
  /** Half of the other places. */
  private readonly half: number;
  /** The most places that one origin may take. */
  private readonly most: number;
  private free: number;

  /** `bytesOf`: how much of the byte budget an attempt takes. */
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

  /** If only free places are missing, the line is registered to be tried again. */
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

  /** Whether one more attempt of this origin is within its share of the places left. */
  private isWithinShare({ used }: Line): boolean {
    if (used === 0) return true;
    const left = Math.max(this.free - this.kept, 0);
    return (used + 1) * this.half <= this.most * Math.min(left, this.half);
  }

  /** A body above the whole limit passes alone; otherwise it could never pass. */
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

  /** Origins come and go by the thousand; idle ones are removed each time the map has doubled. */
  private sweep(): void {
    for (const [origin, line] of this.lines) if (line.isIdle) this.lines.delete(origin);
    this.sweepAt = Math.max(sweepMin, this.lines.size * 2);
  }
}

/** Lines that wait for free places, grouped by how many places their origins hold. */
class FairLines {
  /**
   * Keyed by `Line.used`, which must not change while the line is here. There are few levels: with
   * 1,000 taken places at most 44, as 1 + 2 + ... + 44 is 990.
   */
  private readonly levels = new Map<number, Set<Line>>();

  add(line: Line): void {
    const level = this.levels.get(line.used);
    if (level === undefined) this.levels.set(line.used, new Set([line]));
    else level.add(line);
  }

  /** Returns whether the line was here. */
  delete(line: Line): boolean {
    const level = this.levels.get(line.used);
    if (level?.delete(line) !== true) return false;
    if (level.size === 0) this.levels.delete(line.used);
    return true;
  }

  /** The line that has waited longest among those with the fewest places. */
  get first(): Line | undefined {
    if (this.levels.size === 0) return undefined;
    const [first] = this.levels.get(Math.min(...this.levels.keys())) ?? [];
    return first;
  }
}
