/** The traffic of one flow-control key in this process: who waits and runs, the grants at hand. */
import type { Gate } from '../gates/gate.js';
import { Line } from '../gates/gate.js';
import type { ReservedGrants } from './flow-control.commands.js';
import type { RateWindow } from './rate-window.js';

/** Made for the first attempt under a key, and dropped when its key is forgotten. */
export class KeyTraffic {
  readonly line: Line;
  /** Grants are on their way to disk. */
  isReserving = false;
  /** Of the window `ordinal`, [spent, end) may still be started; below `spent` they have been. */
  private grants: Grants = noGrants;

  constructor(
    readonly key: string,
    gate: Gate,
  ) {
    this.line = new Line(gate);
  }

  /** Nothing waits, runs or is being reserved. */
  get isIdle(): boolean {
    return this.line.isIdle && !this.isReserving;
  }

  /**
   * Starts that `window` has spent. What was reserved before this process knew the window may have
   * been started by one that crashed.
   */
  spentOf(window: RateWindow): number {
    return this.grants.ordinal === window.ordinal ? this.grants.spent : window.reserved;
  }

  /** Whether a start of `window` is reserved and free. */
  hasGrant(window: RateWindow): boolean {
    const { ordinal, spent, end } = this.grants;
    return ordinal === window.ordinal && spent < end;
  }

  /** Until when a window is open that was over when its grants came, by the monotonic clock. */
  lateUntil({ ordinal }: RateWindow): number | null {
    return this.grants.ordinal === ordinal ? this.grants.lateUntil : null;
  }

  /**
   * `end` is past `first`, unless the window had nothing left. `lateUntil` is null where the window
   * is not over yet.
   */
  take({ ordinal, first, end }: ReservedGrants, lateUntil: number | null): void {
    const spent = ordinal === this.grants.ordinal ? this.grants.spent : first;
    this.grants = { ordinal, spent, end, lateUntil };
  }

  /** One grant is used; ask `hasGrant` first. */
  spend(): void {
    this.grants.spent += 1;
  }
}

interface Grants {
  readonly ordinal: number;
  spent: number;
  readonly end: number;
  readonly lateUntil: number | null;
}

const noGrants = Object.freeze({ ordinal: -1, spent: 0, end: 0, lateUntil: null });
