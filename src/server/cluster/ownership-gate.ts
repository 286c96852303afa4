/**
 * Holds attempts back while this node cannot prove that it owns the shared log: another node might
 * be making them (ADR 63).
 */
import type { Clock } from '../../engine/clock.js';
import { type Gate, gateNames, Line } from '../../messaging/gates/gate.js';
import type { Gates } from '../../messaging/gates/gates.js';
import type { Obstacle } from '../../messaging/gates/obstacle.js';
import type { Membership } from './membership.js';

/** The next heartbeat renews the proof, so no attempt waits much longer than that. */
const checkAgainMs = 50;

/**
 * Exists only on a node of a cluster. It counts nothing, so it holds attempts back for no reason
 * other than a missing proof.
 */
export class OwnershipGate implements Gate {
  readonly name = 'ownership';
  readonly sharedBy = gateNames;
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
    // This gate limits no number of attempts.
  }

  leave(): void {
    // This gate limits no number of attempts.
  }

  obstacleOf(): Obstacle {
    return { gate: this.name };
  }

  private lookLater(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    this.clock.after(checkAgainMs, () => {
      this.isLooking = false;
      this.gates.reopen(this.line);
    });
  }
}
