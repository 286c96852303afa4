/**
 * Keys are many where each user has one: when more are known than an operator looks at, the idle
 * ones are forgotten, oldest first, so that memory follows the work in flight. However few they
 * are, those that were idle a day ago, and are now, go too.
 */
import { Inject, Injectable } from '@nestjs/common';
import { slicesOf } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import type { EventListener } from '../../engine/registration.js';
import { type ForgetFlowControl, flowControlKind } from './flow-control.commands.js';
import { FlowControls } from './flow-control.entity.js';
import type { FlowControlEvent } from './flow-control.events.js';
import { FlowControlGate } from './flow-control-gate.js';

/** While too many are known, because they are in use, the sweep comes back. */
const sweepAgainMs = 60_000;

/** What was idle at two looks in a row is forgotten; used again, it costs an event. */
const lookEveryMs = 86_400_000;

/**
 * It looks at keys a slice at a time. The decider of a key has the last word: one that messages
 * name, or that an operator has pinned or paused, stays.
 */
@Injectable()
export class KeySweep {
  /** As many keys are kept, idle or not: an operator may want to see them. */
  keptMax = 10_000;
  /** One is under way, or will come by itself. */
  private isSweeping = false;
  private isStopped = false;
  private cancel: () => void = () => undefined;
  private cancelLook: () => void = () => undefined;
  /** At the last look. */
  private idle: ReadonlySet<string> = new Set();

  constructor(
    private readonly engine: Engine,
    private readonly keys: FlowControls,
    private readonly gate: FlowControlGate,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** Sweeps when a new key is one too many. */
  readonly listener: EventListener<FlowControlEvent> = (envelopes) => {
    if (this.isSweeping || this.keys.size <= this.keptMax) return;
    if (envelopes.some(({ sequence }) => sequence === 0)) this.begin();
  };

  /** Looks for idle keys from now on, once a day. */
  start(): void {
    if (this.isStopped) return;
    this.cancelLook = this.clock.after(lookEveryMs, () => {
      // The engine reports a defect to its watch.
      const end = () => this.start();
      this.look().then(end, end);
    });
  }

  /** No sweep begins after this. */
  stop(): void {
    this.isStopped = true;
    this.cancel();
    this.cancelLook();
  }

  private begin(): void {
    if (this.isStopped) return;
    this.isSweeping = true;
    const end = () => {
      if (this.keys.size <= this.keptMax) this.isSweeping = false;
      else this.cancel = this.clock.after(sweepAgainMs, () => this.begin());
    };
    // The engine reports a defect to its watch.
    this.sweep().then(end, end);
  }

  /** Down to half of what may be kept, so that not every new key begins another sweep. */
  private async sweep(): Promise<void> {
    for (const keys of slicesOf([...this.keys.actors.ids()])) {
      await this.forget(keys.filter((key) => this.gate.isIdle(key)));
      if (this.keys.size <= this.keptMax / 2) return;
    }
  }

  private async look(): Promise<void> {
    const idle = new Set<string>();
    for (const keys of slicesOf([...this.keys.actors.ids()])) {
      if (this.isStopped) return;
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
    // Where nothing was forgotten nothing was waited for: others come first all the same.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
