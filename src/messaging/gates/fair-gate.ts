/**
 * Shares the places of all attempts among the destinations, so that those that hang do not take
 * everything. There are two such gates: for one of them a destination is an origin, for the other
 * the domain that an origin is in. The last eighth of the places is kept for destinations that have
 * nothing in flight. Of the rest, a destination may take up to its limit, but never more than half.
 * Once half are taken, its limit shrinks in proportion to what is left: to half of it when a
 * quarter is left, to a quarter when an eighth is left. So every busy destination leaves places for
 * the next one. (Dynamic thresholds, Choudhury and Hahne 1998, as in switches that share memory
 * among their ports.)
 *
 * A destination that has nothing in flight never waits here: whether a place is free at all is
 * decided by the gate that counts all attempts.
 */

import { type Entrant, type Gate, type GateName, Line } from './gate.js';
import type { Obstacle } from './obstacle.js';

/** How much one destination may take, and out of how much. */
export interface FairLimits {
  /** Attempts to one destination at once. */
  readonly attempts: number;
  /** Attempts to all destinations at once. */
  readonly places: number;
  /** Bytes of the budget for bodies that the attempts to one destination may take at once. */
  readonly bytes: number;
}

/** Two instances per server (ADR 8, ADR 122). They know only what is in flight or waits. */
export class FairGate implements Gate {
  readonly sharedBy: readonly GateName[];
  private readonly lines = new KeyedLines(this);
  /** Lines that wait for attempts of other lines to end; ends of their own reopen them anyway. */
  private readonly fairLines = new FairLines();
  /** Bytes taken, by line; only lines with attempts in flight. */
  private readonly bytes = new Map<Line, number>();
  /** Places reserved for destinations that have nothing in flight. */
  private readonly kept: number;
  /** Half of the other places. */
  private readonly half: number;
  /** The most places that one destination may take. */
  private readonly most: number;
  private free: number;

  /** Limits entrants by the field `name`; `bytesOf`: how much of the byte budget each takes. */
  constructor(
    readonly name: 'origin' | 'domain',
    private readonly limits: FairLimits,
    private readonly bytesOf: (entrant: Entrant) => number,
  ) {
    // All attempts to one origin go to one domain.
    this.sharedBy = name === 'domain' ? ['origin'] : [];
    this.kept = Math.ceil(limits.places / 8);
    this.half = Math.ceil((limits.places - this.kept) / 2);
    this.most = Math.min(limits.attempts, this.half);
    this.free = limits.places;
  }

  lineOf(entrant: Entrant): Line | null {
    const key = entrant[this.name];
    return key === null ? null : this.lines.of(key);
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

  obstacleOf({ used }: Line, entrant: Entrant): Obstacle {
    const destination = entrant[this.name] ?? '';
    return { gate: this.name, destination, running: used, limit: this.most };
  }

  takeOpened(): Line | undefined {
    const line = this.fairLines.first;
    if (line === undefined || !this.isWithinShare(line)) return undefined;
    this.fairLines.delete(line);
    return line;
  }

  /** Whether one more attempt of this line is within its share of the places left. */
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

/** One line for each destination. */
class KeyedLines {
  private readonly lines = new Map<string, Line>();
  private sweepAt = sweepMin;

  constructor(private readonly gate: Gate) {}

  /** The line of `key`, the same one for as long as an attempt is in it or waits in it. */
  of(key: string): Line {
    const known = this.lines.get(key);
    if (known !== undefined) return known;
    if (this.lines.size >= this.sweepAt) this.sweep();
    const line = new Line(this.gate);
    this.lines.set(key, line);
    return line;
  }

  /** Origins come and go by the thousand; idle ones are removed each time the map has doubled. */
  private sweep(): void {
    for (const [key, line] of this.lines) if (line.isIdle) this.lines.delete(key);
    this.sweepAt = Math.max(sweepMin, this.lines.size * 2);
  }
}

/** Lines that wait for free places, grouped by how many places they hold. */
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
