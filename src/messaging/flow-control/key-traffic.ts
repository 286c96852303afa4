/**
 * The traffic of one flow-control key in this process: waiting attempts, attempts in flight, and
 * available grants.
 */
import type { Gate } from '../gates/gate.js';
import { Line } from '../gates/gate.js';
import type { ReservedGrants } from './flow-control.commands.js';
import type { RateWindow } from './rate-window.js';

/** Created for the first attempt under a key, and dropped when the key is forgotten. */
export class KeyTraffic {
  readonly line: Line;
  /** Grants are being written to disk. */
  isReserving = false;
  /** Grants of the window `ordinal`: those below `spent` are used, [spent, end) are available. */
  private grants: Grants = noGrants;

  constructor(
    readonly key: string,
    gate: Gate,
  ) {
    this.line = new Line(gate);
  }

  /** Nothing waits, is in flight or is being reserved. */
  get isIdle(): boolean {
    return this.line.isIdle && !this.isReserving;
  }

  /**
   * How many starts `window` has spent. Grants reserved before this process knew the window count
   * as spent: a process that crashed may have used them.
   */
  spentOf(window: RateWindow): number {
    return this.grants.ordinal === window.ordinal ? this.grants.spent : window.reserved;
  }

  /** Whether a reserved start of `window` is available. */
  hasGrant(window: RateWindow): boolean {
    const { ordinal, spent, end } = this.grants;
    return ordinal === window.ordinal && spent < end;
  }

  /** Until when a window is open that had ended when its grants arrived, by the monotonic clock. */
  lateUntil({ ordinal }: RateWindow): number | null {
    return this.grants.ordinal === ordinal ? this.grants.lateUntil : null;
  }

  /**
   * Takes over reserved grants. `end` is greater than `first`, unless the window had none left.
   * `lateUntil` is null if the window has not ended yet.
   */
  take({ ordinal, first, end }: ReservedGrants, lateUntil: number | null): void {
    const spent = ordinal === this.grants.ordinal ? this.grants.spent : first;
    this.grants = { ordinal, spent, end, lateUntil };
  }

  /** Uses one grant; check `hasGrant` first. */
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
