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
  private grants: { ordinal: number; spent: number; end: number } = noGrants;

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

  /** `end` is past `first`, unless the window had nothing left. */
  take({ ordinal, first, end }: ReservedGrants): void {
    const spent = ordinal === this.grants.ordinal ? this.grants.spent : first;
    this.grants = { ordinal, spent, end };
  }

  /** One grant is used; ask `hasGrant` first. */
  spend(): void {
    this.grants.spent += 1;
  }
}

const noGrants = Object.freeze({ ordinal: -1, spent: 0, end: 0 });
