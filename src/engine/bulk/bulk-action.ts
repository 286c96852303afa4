/** Actions on many streams: many turns, so that none of them holds the event loop (ADR 2). */
import type { Command } from '../decider.js';
import { type Engine, turnCommandsMax } from '../engine.js';
import type { Principal } from '../principal/principal.js';

/** Turns that are decided and not durable yet: they share commits with each other. */
const turnsAheadMax = 8;

/**
 * Dispatches commands as they come, a turn per tick, until `countMax` of them were accepted or
 * there are no more. Answers how many were, once all of that is durable. Costs the memory of a few
 * turns. `by` caused it.
 */
export async function dispatchMany(
  engine: Engine,
  commands: AsyncIterable<Command> | Iterable<Command>,
  countMax: number,
  by: Principal | null = null,
): Promise<number> {
  const action = new BulkAction(engine, countMax, by);
  for await (const command of commands) {
    if (await action.add(command)) break;
  }
  return action.end();
}

class BulkAction {
  private turn: Command[] = [];
  private accepted = 0;
  /** Commands of turns whose outcome is not known. */
  private undecided = 0;
  private readonly ahead: Promise<void>[] = [];

  constructor(
    private readonly engine: Engine,
    private readonly countMax: number,
    private readonly by: Principal | null,
  ) {}

  /** Whether there are enough. */
  async add(command: Command): Promise<boolean> {
    this.turn.push(command);
    // All that is under way may be accepted: no more are dispatched than are wanted.
    const room = this.countMax - this.accepted - this.undecided;
    if (this.turn.length < Math.min(turnCommandsMax, room)) return false;
    this.dispatch();
    await new Promise((resolve) => setImmediate(resolve));
    while (this.ahead.length > 0 && (this.isFull || this.ahead.length >= turnsAheadMax)) {
      await this.ahead.shift();
    }
    return this.accepted >= this.countMax;
  }

  async end(): Promise<number> {
    if (this.turn.length > 0) this.dispatch();
    await Promise.all(this.ahead);
    return this.accepted;
  }

  private get isFull(): boolean {
    return this.accepted + this.undecided >= this.countMax;
  }

  private dispatch(): void {
    const { turn } = this;
    this.turn = [];
    this.undecided += turn.length;
    const settled = this.engine.dispatch(turn, this.by).then((outcomes) => {
      this.undecided -= turn.length;
      this.accepted += outcomes.filter(({ ok: accepted }) => accepted).length;
    });
    // The call that waits for the turn meets the error; until then it is not unhandled.
    settled.catch(() => undefined);
    this.ahead.push(settled);
  }
}
