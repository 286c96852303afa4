/**
 * Keys are many where each user has one: when more are known than anybody looks at, the idle ones
 * are forgotten, oldest first, so that memory follows the work in flight.
 */
import type { ActorDirectory } from '../../engine/actor-directory.js';
import type { Clock } from '../../engine/clock.js';
import { type Engine, turnCommandsMax } from '../../engine/engine.js';
import type { EventListener } from '../../engine/subscribers.js';
import { type ForgetFlowControl, flowControlKind } from './flow-control.commands.js';
import type { FlowControlGate } from './flow-control-gate.js';

/** As many keys are kept, idle or not: an operator may want to see them. */
export const keysKeptMax = 10_000;

/** While too many are known, because they are in use, the sweep comes back. */
const sweepAgainMs = 60_000;

export class KeySweep {
  /** One is under way, or will come by itself. */
  private isSweeping = false;
  private isStopped = false;
  private cancel: () => void = () => undefined;

  /** `keptMax` as `keysKeptMax`. */
  constructor(
    private readonly engine: Pick<Engine, 'actors' | 'dispatch'>,
    private readonly gate: Pick<FlowControlGate, 'isIdle' | 'forget'>,
    private readonly clock: Clock,
    private readonly keptMax: number = keysKeptMax,
  ) {}

  /** Sweeps when a new key is one too many. */
  readonly listener: EventListener = (envelopes) => {
    if (this.isSweeping || this.known.size <= this.keptMax) return;
    if (envelopes.some(({ sequence }) => sequence === 0)) this.begin();
  };

  /** No sweep begins after this. */
  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  private get known(): ActorDirectory {
    return this.engine.actors(flowControlKind);
  }

  private begin(): void {
    if (this.isStopped) return;
    this.isSweeping = true;
    const end = () => {
      if (this.known.size <= this.keptMax) this.isSweeping = false;
      else this.cancel = this.clock.after(sweepAgainMs, () => this.begin());
    };
    // The engine reports a defect to its watch.
    this.sweep().then(end, end);
  }

  /** Down to half of what may be kept, so that not every new key begins another sweep. */
  private async sweep(): Promise<void> {
    let unseen = this.known.size;
    let keys: string[] = [];
    for (const key of this.known.ids()) {
      unseen -= 1;
      keys.push(key);
      if (keys.length < turnCommandsMax && unseen > 0) continue;
      await this.forget(keys.filter((each) => this.gate.isIdle(each)));
      if (unseen <= 0 || this.known.size <= this.keptMax / 2) return;
      keys = [];
    }
  }

  private async forget(keys: readonly string[]): Promise<void> {
    const at = this.clock.now();
    const commands = keys.map(
      (id): ForgetFlowControl => ({ type: 'ForgetFlowControl', kind: flowControlKind, id, at }),
    );
    const decided = this.engine.dispatch(commands);
    for (const key of keys) if (this.known.find(key) === undefined) this.gate.forget(key);
    await decided;
    // Where nothing was forgotten nothing was waited for: others come first all the same.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
