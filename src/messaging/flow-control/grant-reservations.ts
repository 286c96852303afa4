/**
 * Reserves grants in the journal, many keys at a time: all requests of one tick go into the same
 * turns, so that a thousand keys whose windows begin together cost a few commits.
 */

import { slicesOf } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import {
  flowControlKind,
  type ReservedGrants,
  type ReserveGrants,
} from './flow-control.commands.js';
import type { KeyTraffic } from './key-traffic.js';

/** `grants` are durable; null: they could not be had, for now. */
export type Granted = (traffic: KeyTraffic, grants: ReservedGrants | null) => void;

/**
 * Of the gate alone. What a crash leaves reserved counts as spent: a rate is never exceeded for it.
 */
export class GrantReservations {
  private wanted: KeyTraffic[] = [];
  private isStopped = false;

  constructor(
    private readonly engine: Pick<Engine, 'dispatch'>,
    private readonly clock: Clock,
    private readonly granted: Granted,
  ) {}

  /** Reserves what the key's line is short of, unless that is under way. */
  request(traffic: KeyTraffic): void {
    if (traffic.isReserving) return;
    traffic.isReserving = true;
    if (this.wanted.push(traffic) === 1) queueMicrotask(() => this.reserveAll());
  }

  /** Nothing is reserved any more. */
  stop(): void {
    this.isStopped = true;
  }

  private reserveAll(): void {
    const wanted = this.wanted;
    this.wanted = [];
    if (this.isStopped) return;
    for (const slice of slicesOf(wanted)) void this.reserve(slice);
  }

  private async reserve(wanted: readonly KeyTraffic[]): Promise<void> {
    const at = this.clock.now();
    const commands = wanted.map(
      ({ key, line }): ReserveGrants => ({
        type: 'ReserveGrants',
        kind: flowControlKind,
        id: key,
        at,
        waiting: line.length,
      }),
    );
    // The engine reports the defect to its watch.
    const outcomes = await this.engine.dispatch(commands).catch(() => null);
    for (const [index, traffic] of wanted.entries()) {
      traffic.isReserving = false;
      const outcome = outcomes?.[index];
      this.granted(traffic, outcome?.ok === true ? outcome.value : null);
    }
  }
}
