/** Actions on many streams: short turns with pauses between them, so that others hardly wait. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { type Clock, sleep } from '../clock.js';
import type { Command } from '../decider.js';
import type { Engine } from '../engine.js';
import type { Principal } from '../principal/principal.js';
import { turnCommandsMax } from '../turn.js';

/** How many turns may be decided but not durable yet: they share commits with each other. */
const turnsAheadMax = 8;

/** Turns get shorter if they take longer than this, because commands differ in their cost. */
const turnMsMax = 2;
const turnCommandsMin = 8;

/**
 * A pause is this many times as long as the work before it. So most of the time the action does no
 * work and has no commit that another request would wait for.
 */
const pauseFactor = 2;

/**
 * Dispatches commands as they come until `countMax` of them were accepted or there are no more.
 * Returns how many were accepted, once all of them are durable. Takes a third of the process's time
 * at most, including the making of the commands, and the memory of a few turns. `by` is who caused
 * it.
 */
export async function dispatchMany(
  engine: Engine,
  clock: Clock,
  commands: AsyncIterable<Command> | Iterable<Command>,
  countMax: number,
  by: Principal | null = null,
): Promise<number> {
  const action = new BulkAction(engine, clock, countMax, by);
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
  /** Commands that the next turn may have. */
  private lengthMax = turnCommandsMax;
  /** When the last pause ended, monotonic. */
  private workingSince: number;

  constructor(
    private readonly engine: Engine,
    private readonly clock: Clock,
    private readonly countMax: number,
    private readonly by: Principal | null,
  ) {
    this.workingSince = clock.monotonic();
  }

  /** Adds a command; returns whether enough were accepted. */
  async add(command: Command): Promise<boolean> {
    this.turn.push(command);
    // All commands under way may be accepted: dispatch no more than are still needed.
    const room = this.countMax - this.accepted - this.undecided;
    if (this.turn.length < Math.min(this.lengthMax, room)) return false;
    this.dispatch();
    await this.pause();
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
    const { turn, clock } = this;
    this.turn = [];
    this.undecided += turn.length;
    const begun = clock.monotonic();
    const dispatched = this.engine.dispatch(turn, this.by);
    const fitting = Math.floor((turn.length * turnMsMax) / (clock.monotonic() - begun));
    this.lengthMax = Math.max(turnCommandsMin, Math.min(fitting, turnCommandsMax));
    const settled = dispatched.then((outcomes) => {
      this.undecided -= turn.length;
      this.accepted += outcomes.filter(({ ok: accepted }) => accepted).length;
    });
    // The caller that awaits the turn meets the error; until then it must not count as unhandled.
    settled.catch(() => undefined);
    this.ahead.push(settled);
  }

  /** Waits one tick at least: a pause by a clock that stands still would never end. */
  private async pause(): Promise<void> {
    const { clock } = this;
    const ms = (clock.monotonic() - this.workingSince) * pauseFactor;
    if (ms < 1) await nextTick();
    else await sleep(clock, ms);
    this.workingSince = clock.monotonic();
  }
}
