/**
 * Reserves grants in the journal, for many keys at a time: all requests of one tick go into the
 * same turns, so that a thousand keys whose windows begin together cost only a few commits.
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

/** Receives durable `grants`; null = they could not be reserved for now. */
export type Granted = (traffic: KeyTraffic, grants: ReservedGrants | null) => void;

/** Used only by the gate. Reserved grants count as spent after a crash: no rate is exceeded. */
export class GrantReservations {
  private wanted: KeyTraffic[] = [];
  private isStopped = false;

  constructor(
    private readonly engine: Pick<Engine, 'dispatch'>,
    private readonly clock: Clock,
    private readonly granted: Granted,
  ) {}

  /** Reserves the grants that the line of the key lacks, unless that is already under way. */
  request(traffic: KeyTraffic): void {
    if (traffic.isReserving) return;
    traffic.isReserving = true;
    if (this.wanted.push(traffic) === 1) queueMicrotask(() => this.reserveAll());
  }

  /** Makes no more reservations. */
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
    // The engine reports the defect to its `EngineWatch`.
    const outcomes = await this.engine.dispatch(commands).catch(() => null);
    for (const [index, traffic] of wanted.entries()) {
      traffic.isReserving = false;
      const outcome = outcomes?.[index];
      this.granted(traffic, outcome?.ok === true ? outcome.value : null);
    }
  }
}
