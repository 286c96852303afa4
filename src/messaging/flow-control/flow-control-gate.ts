/**
 * Lets attempts start within the limits of their flow-control key. Parallelism counts the attempts
 * of this process that are in flight. A rate spends only grants that are already in the journal, so
 * that even after a crash no window has more starts than its rate (messaging.md 8). The backlog of
 * a key waits in its own line and delays no other key.
 */

import { Inject, Injectable } from '@nestjs/common';
import { AlarmClock } from '../../engine/alarm-clock.js';
import { type Clock, monotonicClock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import type { EventListener } from '../../engine/registration.js';
import type { Entrant, Gate, Line } from '../gates/gate.js';
import { Gates } from '../gates/gates.js';
import type { Obstacle } from '../gates/obstacle.js';
import type { ReservedGrants } from './flow-control.commands.js';
import { FlowControls } from './flow-control.entity.js';
import type { FlowControlEvent } from './flow-control.events.js';
import type { FlowControl, FlowControlState } from './flow-control.state.js';
import { GrantReservations } from './grant-reservations.js';
import { KeyTraffic } from './key-traffic.js';
import { endOf, isOver } from './rate-window.js';

/** How long a key waits after a failed reservation before the next one. */
const reserveAgainMs = 1000;

/** A key checks for its next window at least this often: clocks are set, and machines sleep. */
const checkAgainMs = 60_000;

/** The current traffic of a key. */
export interface Traffic {
  /** Attempts that wait under the key. */
  readonly waiting: number;
  /** Attempts in flight. */
  readonly running: number;
  /** Starts that the current window has spent; 0 if no window is open. */
  readonly spent: number;
}

/** One instance per server. Its counts begin with the process; spent grants are in the journal. */
@Injectable()
export class FlowControlGate implements Gate {
  readonly name = 'flowControl';
  readonly sharedBy = [];
  readonly concerns = 'flowControlKey';
  private readonly keys = new Map<string, KeyTraffic>();
  private readonly alarms: AlarmClock<KeyTraffic>;
  private readonly reservations: GrantReservations;

  constructor(
    engine: Engine,
    private readonly controls: FlowControls,
    private readonly gates: Gates,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {
    // A window is a period of time: setting the wall clock must not lengthen the wait for it.
    this.alarms = new AlarmClock(monotonicClock(clock), ({ line }) => gates.reopen(line));
    this.reservations = new GrantReservations(engine, clock, (traffic, grants) =>
      this.granted(traffic, grants),
    );
  }

  lineOf({ flowControlKey }: Entrant): Line | null {
    return flowControlKey === null ? null : this.trafficOf(flowControlKey).line;
  }

  /** If only grants or time are missing, this ensures that the line is tried again. */
  isOpen(line: Line, { flowControlKey }: Entrant): boolean {
    const control = flowControlKey === null ? null : this.controlOf(flowControlKey);
    if (flowControlKey === null || control === null) return true;
    if (control.isPaused) return false;
    if (control.parallelism !== null && line.used >= control.parallelism) return false;
    if (control.rate === null) return true;
    return this.hasGrant(this.trafficOf(flowControlKey), control, control.rate);
  }

  enter(line: Line, { flowControlKey }: Entrant): void {
    line.used += 1;
    if (flowControlKey === null) return;
    const isLimited = (this.controlOf(flowControlKey)?.rate ?? null) !== null;
    if (isLimited) this.trafficOf(flowControlKey).spend();
  }

  leave(line: Line): void {
    line.used -= 1;
  }

  obstacleOf({ used }: Line, { flowControlKey }: Entrant): Obstacle {
    const control = flowControlKey === null ? null : this.controlOf(flowControlKey);
    if (flowControlKey === null || control === null) {
      throw new Error('no key holds back what has none');
    }
    const { isPaused, parallelism, rate, periodSeconds, window } = control;
    const isOpen = !isOver(window, periodSeconds, this.clock.now());
    return {
      gate: this.name,
      key: flowControlKey,
      isPaused,
      parallelism,
      running: used,
      rate,
      periodSeconds,
      spent: this.spentOf(control, this.keys.get(flowControlKey)),
      windowEndsAt: isOpen ? endOf(window, periodSeconds) : null,
    };
  }

  /** Tries the lines of keys whose limits have changed. */
  readonly listener: EventListener<FlowControlEvent> = (envelopes) => {
    for (const { id, event } of envelopes) {
      if (event.type === 'GrantsReserved') continue;
      const traffic = this.keys.get(id);
      if (traffic !== undefined) this.gates.reopen(traffic.line);
    }
  };

  /** The current traffic of `key`. */
  look(key: string): Traffic {
    const traffic = this.keys.get(key);
    const control = this.controlOf(key);
    return {
      waiting: traffic?.line.length ?? 0,
      running: traffic?.line.used ?? 0,
      spent: control === null ? 0 : this.spentOf(control, traffic),
    };
  }

  /** The ids of the first messages that wait under `key`, in order. */
  waiting(key: string, count: number): readonly string[] {
    const first = this.keys.get(key)?.line.first(count) ?? [];
    return first.map(({ entrant }) => entrant.messageId);
  }

  /** Whether nothing runs, waits or is being reserved under `key`. */
  isIdle(key: string): boolean {
    return this.keys.get(key)?.isIdle ?? true;
  }

  /** Forgets an idle `key`. */
  forget(key: string): void {
    const traffic = this.keys.get(key);
    if (traffic !== undefined) this.alarms.cancel(traffic);
    this.keys.delete(key);
  }

  /** Makes no more reservations and wakes no key. */
  stop(): void {
    this.alarms.stop();
    this.reservations.stop();
  }

  private trafficOf(key: string): KeyTraffic {
    const known = this.keys.get(key);
    if (known !== undefined) return known;
    const traffic = new KeyTraffic(key, this);
    this.keys.set(key, traffic);
    return traffic;
  }

  private controlOf(key: string): FlowControlState {
    return this.controls.stateOf(key);
  }

  private spentOf({ window, periodSeconds }: FlowControl, traffic: KeyTraffic | undefined): number {
    if (isOver(window, periodSeconds, this.clock.now())) return 0;
    return traffic?.spentOf(window) ?? window.reserved;
  }

  private hasGrant(traffic: KeyTraffic, control: FlowControl, rate: number): boolean {
    const { window, periodSeconds } = control;
    const now = this.clock.now();
    const lateMs = (traffic.lateUntil(window) ?? 0) - this.clock.monotonic();
    const isLate = lateMs > 0;
    const isOpen = !isOver(window, periodSeconds, now);
    const isSpent = traffic.spentOf(window) >= rate;
    if ((isOpen || isLate) && !isSpent && traffic.hasGrant(window)) return true;
    if (isLate) {
      this.wake(traffic, lateMs);
    } else if (isOpen && (isSpent || window.reserved >= rate)) {
      this.wake(traffic, endOf(window, periodSeconds) - now);
    } else {
      this.reservations.request(traffic);
    }
    return false;
  }

  private granted(traffic: KeyTraffic, grants: ReservedGrants | null): void {
    if (grants === null) {
      this.wake(traffic, reserveAgainMs);
      return;
    }
    traffic.take(grants, this.lateUntil(traffic.key));
    this.gates.reopen(traffic.line);
  }

  /**
   * Until when a window stays open whose grants arrived after its end, by the monotonic clock; null
   * = it has not ended. If the disk takes longer to store grants than their window lasts, the same
   * may happen in every window. Such a window begins when its grants arrive; otherwise nothing
   * would ever start.
   */
  private lateUntil(key: string): number | null {
    const control = this.controlOf(key);
    if (control === null || !isOver(control.window, control.periodSeconds, this.clock.now())) {
      return null;
    }
    return this.clock.monotonic() + control.periodSeconds * 1000;
  }

  /** An alarm that rings too early only finds the gate still closed and is set again. */
  private wake(traffic: KeyTraffic, delayMs: number): void {
    const at = this.clock.monotonic() + Math.min(delayMs, checkAgainMs);
    if ((this.alarms.timeOf(traffic) ?? at) >= at) this.alarms.set(traffic, at);
  }
}
