/** Pauses and resumes all queues, or all flow-control keys, at once. */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchMany } from '../../engine/bulk/bulk-action.js';
import type { Clock } from '../../engine/clock.js';
import type { Command } from '../../engine/decider.js';
import { Engine } from '../../engine/engine.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { flowControlKind } from '../flow-control/flow-control.commands.js';
import { FlowControls } from '../flow-control/flow-control.entity.js';
import { queueKind } from '../queues/queue.commands.js';
import { Queues } from '../queues/queue.entity.js';

/** How many are examined per tick: states may have to be unpacked. */
const itemsPerTick = 256;

/**
 * Works in turns of at most 256 commands: queues or keys created meanwhile may be missed, and a
 * crash leaves the work partly done.
 */
@Injectable()
export class Pausing {
  constructor(
    private readonly engine: Engine,
    private readonly queues: Queues,
    private readonly keys: FlowControls,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** Pauses or resumes all queues; returns how many changed. */
  queuesTo(isPaused: boolean, by: Principal): Promise<number> {
    return this.all(this.queueCommands(isPaused), by);
  }

  /** Like `queuesTo`, for the flow-control keys that are known now. */
  keysTo(isPaused: boolean, by: Principal): Promise<number> {
    return this.all(this.keyCommands(isPaused), by);
  }

  private all(commands: AsyncIterable<Command>, by: Principal): Promise<number> {
    return dispatchMany(this.engine, this.clock, commands, Number.POSITIVE_INFINITY, by);
  }

  private async *queueCommands(isPaused: boolean): AsyncGenerator<Command> {
    const type = isPaused ? 'PauseQueue' : 'ResumeQueue';
    for await (const { id, actor } of this.queues.actors.walk(itemsPerTick)) {
      if (actor.state === null || actor.state.isPaused === isPaused) continue;
      yield { type, kind: queueKind, id, at: this.clock.now() };
    }
  }

  private async *keyCommands(isPaused: boolean): AsyncGenerator<Command> {
    const type = isPaused ? 'PauseFlowControl' : 'ResumeFlowControl';
    for await (const { id, actor } of this.keys.actors.walk(itemsPerTick)) {
      if (actor.state === null || actor.state.isPaused === isPaused) continue;
      yield { type, kind: flowControlKind, id, at: this.clock.now() };
    }
  }
}
