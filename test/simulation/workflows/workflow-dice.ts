/** What starters, notifiers and operators of workflow runs may ask next, as the seed says. */
import type { Command } from '../../../src/engine/decider.js';
import type { CancelMessage } from '../../../src/messaging/messages/message.commands.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import type { StartReceipt } from '../../../src/workflows/run-state/run.commands.js';
import type { SeededRandom } from '../seeded-random.js';
import type { SimulatedServer } from '../simulated-server.js';
import type { Acknowledged, CommandDice } from '../simulation.js';
import { cancelRun } from './workflow-commands.js';
import { awaitedBy, events, randomProgram } from './workflow-program.js';
import type { WorkflowWorld } from './workflow-world.js';

/** A run that was started is known for ten minutes, whether it has ended or not. */
const knownMs = 600_000;

/** Of so many runs, most have not ended. */
const latelyMax = 10;

export class WorkflowDice implements CommandDice {
  constructor(
    private readonly random: SeededRandom,
    private readonly world: WorkflowWorld,
    /** Operators take runs and messages back now and then, and bring failed ones to life again. */
    private readonly isOperated: boolean,
  ) {}

  setUp(): readonly Command[] {
    return [];
  }

  roll(server: SimulatedServer, acknowledged: readonly Acknowledged[]): readonly Command[] {
    const { random, world } = this;
    const now = server.clock.now();
    if (random.chance(0.2)) {
      void world.notify(random.pick(events), null);
      return [];
    }
    const lately = [...world.starts.keys()].slice(-latelyMax);
    if (lately.length > 0 && random.chance(0.2)) {
      const listening = lately.filter((runId) => this.awaitedBy(runId).length > 1);
      const isSelected = listening.length > 0 && random.chance(0.5);
      const runId = random.pick(isSelected ? listening : lately);
      void world.notify(this.eventFor(runId), runId);
      return [];
    }
    if (this.isOperated && random.chance(0.3)) return this.operate(server, lately);
    if (random.chance(0.05)) return this.startAgain(acknowledged, now);
    return Array.from({ length: 1 + random.below(2) }, () =>
      world.begin('wfr', randomProgram(random), now),
    );
  }

  /** A client that notifies one run alone mostly knows what it waits for, or will. */
  private eventFor(runId: string): string {
    const { random } = this;
    const awaited = this.awaitedBy(runId);
    return awaited.length > 0 && random.chance(0.7) ? random.pick(awaited) : random.pick(events);
  }

  private awaitedBy(runId: string): readonly string[] {
    const program = this.world.starts.get(runId)?.program;
    return program === undefined ? [] : awaitedBy(program);
  }

  private operate(server: SimulatedServer, lately: readonly string[]): readonly Command[] {
    const { random } = this;
    const { operator } = this.world;
    if (random.chance(0.2)) return this.takeBack(server);
    if (lately.length > 0 && random.chance(0.3)) return [cancelRun(random.pick(lately))];
    if (operator.letters.length > 0) operator.revive();
    return [];
  }

  /** An operator cancels a message, and does not look what it is for. */
  private takeBack({ engine }: SimulatedServer): readonly CancelMessage[] {
    const pending = [...engine.actors(messageKind).ids()];
    if (pending.length === 0) return [];
    const id = this.random.pick(pending);
    return [{ type: 'CancelMessage', kind: messageKind, id, at: 0, terms: [] }];
  }

  /** A client has not heard that its run has begun. */
  private startAgain(acknowledged: readonly Acknowledged[], now: number): readonly Command[] {
    const begun = acknowledged.filter(
      ({ command, result }) =>
        command.type === 'StartRun' && now - (result as StartReceipt).createdAt < knownMs,
    );
    if (begun.length === 0) return [];
    const { command } = this.random.pick(begun);
    return [{ ...command, messageId: `msg_again_${now}_${command.id}` } as Command];
  }
}
