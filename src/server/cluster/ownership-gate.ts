/**
 * Holds attempts back while this node cannot prove that it owns the shared log: another one may
 * make them (ADR 63).
 */
import type { Clock } from '../../engine/clock.js';
import { type Gate, Line } from '../../messaging/gates/gate.js';
import type { Gates } from '../../messaging/gates/gates.js';
import type { Obstacle } from '../../messaging/gates/obstacle.js';
import type { Membership } from './membership.js';

/** A proof comes back with the next beat; no attempt waits much longer than that. */
const lookAgainMs = 50;

/**
 * There is none on a server that is no node. It counts nothing, so that it never holds attempts
 * back for another reason than the proof.
 */
export class OwnershipGate implements Gate {
  readonly name = 'ownership';
  readonly isShared = true;
  private readonly line = new Line(this);
  private isLooking = false;

  constructor(
    private readonly membership: Pick<Membership, 'mayAct'>,
    private readonly gates: Pick<Gates, 'reopen'>,
    private readonly clock: Clock,
  ) {}

  lineOf(): Line {
    return this.line;
  }

  isOpen(): boolean {
    const { mayAct } = this.membership;
    if (!mayAct) this.lookLater();
    return mayAct;
  }

  enter(): void {
    // It limits no number.
  }

  leave(): void {
    // As above.
  }

  obstacleOf(): Obstacle {
    return { gate: this.name };
  }

  private lookLater(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    this.clock.after(lookAgainMs, () => {
      this.isLooking = false;
      this.gates.reopen(this.line);
    });
  }
}
