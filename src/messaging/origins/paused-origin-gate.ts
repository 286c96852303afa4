/** Holds back attempts to a paused origin, in order of arrival. */
import type { Entrant, Gate } from '../gates/gate.js';
import { Line } from '../gates/gate.js';
import type { Gates } from '../gates/gates.js';
import type { Obstacle } from '../gates/obstacle.js';
import type { Origins } from './origin.entity.js';

/** One instance per server. For an origin that is not paused it costs one look-up. */
export class PausedOriginGate implements Gate {
  readonly name = 'pausedOrigin';
  readonly sharedBy = [];
  readonly actsBy: NonNullable<Gate['actsBy']>;
  /** Lines of origins that are paused, or were a moment ago. */
  private readonly lines = new Map<string, Line>();

  /** `origins` hold the pauses in memory, which may be ahead of the disk. */
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

  /** Null if nothing holds the entrant back. */
  lineOf({ origin }: Entrant): Line | null {
    const known = this.lines.get(origin);
    if (known !== undefined || !this.isPaused(origin)) return known ?? null;
    const line = new Line(this);
    this.lines.set(origin, line);
    return line;
  }

  /** A pause applies from its decision until its end is durable. */
  isOpen(_line: Line, { origin }: Entrant): boolean {
    return !this.isPaused(origin);
  }

  enter(): void {
    // This gate does not count admitted attempts.
  }

  leave(): void {
    // Nothing to count. Attempts that were in flight when their origin was paused leave here, too.
  }

  obstacleOf(_line: Line, { origin }: Entrant): Obstacle {
    return { gate: this.name, origin };
  }

  private isPaused(origin: string): boolean {
    return this.origins.has(origin) || this.origins.paused.durable.has(origin);
  }
}
