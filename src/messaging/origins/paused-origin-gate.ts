/** Holds back what goes to an origin that is paused, in the order in which it came. */
import type { Entrant, Gate } from '../gates/gate.js';
import { Line } from '../gates/gate.js';
import type { Gates } from '../gates/gates.js';
import type { Obstacle } from '../gates/obstacle.js';
import type { Origins } from './origin.entity.js';

/** One for the server; origins that are not paused cost it one look-up. */
export class PausedOriginGate implements Gate {
  readonly name = 'pausedOrigin';
  readonly isShared = false;
  readonly actsBy: NonNullable<Gate['actsBy']>;
  /** Of origins that are paused, or were a moment ago. */
  private readonly lines = new Map<string, Line>();

  /** `origins` says what is paused as far as memory knows, which may be ahead of the disk. */
  constructor(
    private readonly origins: Pick<Origins, 'actors' | 'has' | 'paused'>,
    gates: Pick<Gates, 'reopen'>,
  ) {
    this.actsBy = [this.lines, origins.actors, origins.paused.durable];
    origins.paused.onResumed((origin) => {
      const line = this.lines.get(origin);
      if (line === undefined) return;
      gates.reopen(line);
      if (line.isIdle) this.lines.delete(origin);
    });
  }

  /** Null where nothing holds it back. */
  lineOf({ origin }: Entrant): Line | null {
    const known = this.lines.get(origin);
    if (known !== undefined || !this.isPaused(origin)) return known ?? null;
    const line = new Line(this);
    this.lines.set(origin, line);
    return line;
  }

  /** A pause holds from when it is decided until its end is durable. */
  isOpen(_line: Line, { origin }: Entrant): boolean {
    return !this.isPaused(origin);
  }

  enter(): void {
    // It counts none of those that are in.
  }

  leave(): void {
    // As above: what was in flight when its origin was paused leaves, too.
  }

  obstacleOf(_line: Line, { origin }: Entrant): Obstacle {
    return { gate: this.name, origin };
  }

  private isPaused(origin: string): boolean {
    return this.origins.has(origin) || this.origins.paused.durable.has(origin);
  }
}
