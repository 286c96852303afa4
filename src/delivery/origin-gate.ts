/**
 * Shares the places of all attempts among the destinations, so that those that hang do not take
 * everything. An origin has at most its limit in flight, and never more than half of all places.
 * Once more than half are taken, its limit is a share of what is left: at a quarter free, half of
 * it; at an eighth free, a quarter. So each that takes a lot leaves room for the next one, however
 * many have come. (Dynamic thresholds, Choudhury and Hahne 1998, from switches of shared memory.)
 *
 * Two things follow. An origin that has nothing in flight waits only where every place is taken,
 * which is not judged here but by the gate that counts all. And the last place is never taken by an
 * origin that has one already.
 */
import type { Entrant } from './admission.js';
import { Crowd } from './crowd.js';
import type { Gate } from './gate.js';
import type { Line } from './line.js';
import { OriginLines } from './origin-lines.js';

export interface OriginLimits {
  /** Attempts of one origin at once. */
  readonly attempts: number;
  /** Attempts of all origins at once. */
  readonly places: number;
  /** What the bodies of one origin's attempts take of the byte budget at once. */
  readonly bytes: number;
}

export class OriginGate implements Gate {
  readonly isShared = false;
  private readonly lines = new OriginLines(this);
  /** Those that wait for other origins' attempts to end; of their own ends they are told anyway. */
  private readonly crowd = new Crowd();
  /** Of the lines that have any in flight. */
  private readonly bytes = new Map<Line, number>();
  private readonly half: number;
  private readonly most: number;
  private free: number;

  /** `bytesOf` is what an attempt takes of the byte budget. */
  constructor(
    private readonly limits: OriginLimits,
    private readonly bytesOf: (entrant: Entrant) => number,
  ) {
    this.half = Math.ceil(limits.places / 2);
    this.most = Math.min(limits.attempts, this.half);
    this.free = limits.places;
  }

  lineOf({ origin }: Entrant): Line {
    return this.lines.of(origin);
  }

  /** Where only free places are missing, it sees to it that the line is tried again. */
  hasRoom(line: Line, entrant: Entrant): boolean {
    if (this.isWithinShare(line)) return this.hasBytes(line, entrant);
    if (line.used < this.most) this.crowd.add(line);
    return false;
  }

  enter(line: Line, entrant: Entrant): void {
    this.count(line, 1, this.bytesOf(entrant));
  }

  leave(line: Line, entrant: Entrant): void {
    this.count(line, -1, -this.bytesOf(entrant));
  }

  takeOpened(): Line | undefined {
    const line = this.crowd.first;
    if (line === undefined || !this.isWithinShare(line)) return undefined;
    this.crowd.delete(line);
    return line;
  }

  /** Whether one more of this origin's is within its share of the free places. */
  private isWithinShare({ used }: Line): boolean {
    if (used === 0) return true;
    return (used + 1) * this.half <= this.most * Math.min(this.free, this.half);
  }

  /** A body above the limit goes alone, or it would never go. */
  private hasBytes(line: Line, entrant: Entrant): boolean {
    const taken = this.bytes.get(line) ?? 0;
    return taken === 0 || taken + this.bytesOf(entrant) <= this.limits.bytes;
  }

  private count(line: Line, places: number, bytes: number): void {
    const isWaiting = this.crowd.delete(line);
    line.used += places;
    this.free -= places;
    if (isWaiting) this.crowd.add(line);
    const taken = (this.bytes.get(line) ?? 0) + bytes;
    if (taken === 0) this.bytes.delete(line);
    else this.bytes.set(line, taken);
  }
}
