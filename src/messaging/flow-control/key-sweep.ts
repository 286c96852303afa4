/**
 * Forgets idle keys. There are many keys if each user has one: when more are known than an operator
 * would look at, idle keys are forgotten, oldest first, so that memory follows the work in flight.
 * Regardless of their number, keys that are idle now and were idle a day ago are forgotten, too.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { slicesOf } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { RepeatedWork } from '../../engine/lifecycle/repeated-work.js';
import { provided } from '../../engine/provided.js';
import type { EventListener } from '../../engine/registration.js';
import { type ForgetFlowControl, flowControlKind } from './flow-control.commands.js';
import { FlowControls } from './flow-control.entity.js';
import type { FlowControlEvent } from './flow-control.events.js';
import { FlowControlGate } from './flow-control-gate.js';

/** How soon the sweep repeats while too many keys are known because they are in use. */
const sweepAgainMs = 60_000;

/** Keys idle at two checks in a row are forgotten; using a forgotten key again costs an event. */
const lookEveryMs = 86_400_000;

/**
 * It examines keys a slice at a time. The decider of a key has the final say: a key that messages
 * name, or that an operator has pinned or paused, stays.
 */
@Injectable()
export class KeySweep {
  /** This many keys are kept, idle or not, because an operator may want to see them. */
  keptMax = 10_000;
  /** A sweep is running, or the next one is already scheduled. */
  private isSweeping = false;
  private cancel: () => void = () => undefined;
  private readonly looks: RepeatedWork;
  /** The keys that were idle at the last check. */
  private idle: ReadonlySet<string> = new Set();

  constructor(
    private readonly engine: Engine,
    private readonly keys: FlowControls,
    private readonly gate: FlowControlGate,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {
    // The engine reports a defect to its `EngineWatch`.
    this.looks = new RepeatedWork(clock, lookEveryMs, () => this.look());
  }

  /** Begins a sweep when a new key exceeds the limit. */
  readonly listener: EventListener<FlowControlEvent> = (envelopes) => {
    if (this.isSweeping || this.keys.size <= this.keptMax) return;
    if (envelopes.some(({ sequence }) => sequence === 0)) this.begin();
  };

  /** Checks for idle keys once a day from now on. */
  start(): void {
    this.looks.start();
  }

  /** Ends the checks: no sweep begins after this. */
  stop(): void {
    this.cancel();
    void this.looks.stop();
  }

  private begin(): void {
    if (this.looks.isStopped) return;
    this.isSweeping = true;
    const end = () => {
      if (this.keys.size <= this.keptMax) this.isSweeping = false;
      else this.cancel = this.clock.after(sweepAgainMs, () => this.begin());
    };
    // The engine reports a defect to its `EngineWatch`.
    this.sweep().then(end, end);
  }

  /** Sweeps down to half of the limit, so that not every new key begins another sweep. */
  private async sweep(): Promise<void> {
    for (const keys of slicesOf([...this.keys.actors.ids()])) {
      await this.forget(keys.filter((key) => this.gate.isIdle(key)));
      if (this.keys.size <= this.keptMax / 2) return;
    }
  }

  private async look(): Promise<void> {
    const idle = new Set<string>();
    for (const keys of slicesOf([...this.keys.actors.ids()])) {
      if (this.looks.isStopped) return;
      for (const key of keys) if (this.gate.isIdle(key)) idle.add(key);
      await this.forget(keys.filter((key) => idle.has(key) && this.idle.has(key)));
    }
    this.idle = new Set([...idle].filter((key) => this.keys.has(key)));
  }

  private async forget(keys: readonly string[]): Promise<void> {
    const at = this.clock.now();
    const commands = keys.map(
      (id): ForgetFlowControl => ({ type: 'ForgetFlowControl', kind: flowControlKind, id, at }),
    );
    const decided = this.engine.dispatch(commands);
    for (const key of keys) if (!this.keys.has(key)) this.gate.forget(key);
    await decided;
    // If nothing was forgotten, nothing was awaited; still let other work go first.
    await nextTick();
  }
}
