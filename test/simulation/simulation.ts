/**
 * A long day of the server in a second: commands as the seed says, destinations in bad moods, power
 * cuts at any change of the disk. What it has seen is for the test to judge.
 */
import type { Command } from '../../src/engine/decider.js';
import type { Outcome } from '../../src/engine/turn.js';
import { Past } from './past.js';
import { SeededRandom } from './seeded-random.js';
import { SimulatedDisk } from './simulated-disk.js';
import type { SimulatedWorld } from './simulated-endpoints.js';
import { PlannedCrash, SimulatedServer, settled } from './simulated-server.js';

const startsAt = 1_767_000_000_000;
const second = 1000;
const minute = 60 * second;

/**
 * Live states of a kind in every other life of the server: all others are packed, and what is woken
 * must be what a life remembers that packs none.
 */
const few = 2;

/** A command that was acknowledged: whatever happens later, it has happened. */
export interface Acknowledged {
  readonly command: Command;
  readonly result: unknown;
  /** When the answer came, Unix milliseconds, and how many calls the world had seen by then. */
  readonly at: number;
  readonly callsBefore: number;
}

/** What the users of a simulated day ask. */
export interface CommandDice {
  /** What has to be there before the day begins. */
  setUp(): readonly Command[];
  /** Commands for the server as it stands, asked in one turn; their `at` is set by the asker. */
  roll(server: SimulatedServer, acknowledged: readonly Acknowledged[]): readonly Command[];
}

/** What may go wrong on a simulated day, beside what its world does. */
export interface Faults {
  readonly powerCuts: boolean;
  /** The machine sleeps now and then, or its wall clock is set ahead. */
  readonly clockLeaps: boolean;
}

export class Simulation<World extends SimulatedWorld = SimulatedWorld> {
  readonly world: World;
  readonly acknowledged: Acknowledged[] = [];
  /** Every command as it was asked: `callsBefore` is what the world had seen by then. */
  readonly sent: Omit<Acknowledged, 'result'>[] = [];
  /** What the journal has held, all lives together. */
  readonly past = new Past();
  crashes = 0;
  private readonly random: SeededRandom;
  private current: SimulatedServer | null = null;
  private planned: PlannedCrash | null = null;

  constructor(
    readonly seed: number,
    world: (random: SeededRandom) => World,
    private readonly dice: (random: SeededRandom, world: World) => CommandDice,
    private readonly faults: Faults = { powerCuts: true, clockLeaps: false },
  ) {
    this.random = new SeededRandom(seed);
    this.world = world(new SeededRandom(seed + 1));
    this.world.isDark = () => this.isDead;
  }

  get server(): SimulatedServer {
    if (this.current === null) throw new Error('the simulation has not started');
    return this.current;
  }

  /** `steps` rounds of commands with time between them, and a power cut now and then. */
  async run(steps: number): Promise<void> {
    const { random } = this;
    const dice = this.dice(random, this.world);
    await this.start(new SimulatedDisk(new SeededRandom(this.seed + 2)), startsAt);
    void this.ask(dice.setUp());
    await settled();
    for (let step = 0; step < steps; step += 1) {
      if (this.faults.powerCuts && this.planned === null && random.chance(0.15)) {
        this.planned = new PlannedCrash(this.server.disk, random, 1 + random.below(60));
      }
      void this.ask(dice.roll(this.server, this.acknowledged));
      await this.server.pass(random.pick([0, 5, second, 10 * second]), () => this.isDead);
      if (this.faults.clockLeaps && random.chance(0.1)) await this.leap();
      if (this.isDead) await this.restart(random.pick([0, second, 10 * minute]));
    }
    this.planned = null;
    this.server.disk.afterChange = null;
  }

  /**
   * All is well from now on: no more faults, nothing paused, and three days at most until nothing
   * is left to do. An hour passes then: what begins by itself would show.
   */
  async comeToRest(commands: readonly Command[], isAtRest: () => boolean): Promise<void> {
    this.world.isMoody = false;
    void this.ask(commands);
    await settled();
    for (let passed = 0; passed < 3 * 24 * 60 && !isAtRest(); passed += 1) {
      await this.server.leap(minute);
    }
    for (let passed = 0; passed < 60; passed += 1) await this.server.leap(minute);
  }

  /** All is well from now on, and as much time passes as it takes, but a day at most. */
  async finish(isAtRest: () => boolean): Promise<void> {
    this.world.isMoody = false;
    for (let passed = 0; passed < 24 * 60 && !isAtRest(); passed += 1) {
      await this.server.pass(minute);
    }
  }

  /** Ends this life in an instant and begins another one on what the disk holds. */
  async restart(downMs: number): Promise<void> {
    const { server } = this;
    const disk = this.planned?.image ?? server.disk.restart();
    this.crashes += 1;
    this.planned = null;
    await this.start(disk, server.clock.now() + downMs);
  }

  private get isDead(): boolean {
    return this.planned?.hasHappened === true;
  }

  private async start(disk: SimulatedDisk, at: number): Promise<void> {
    const seed = this.random.below(2 ** 31);
    const { world, past } = this;
    const options = { past, ...(this.crashes % 2 === 0 && { liveStates: few }) };
    this.current = await SimulatedServer.start(disk, world, at, seed, options);
  }

  /**
   * Asks in one turn. The answer is the outcomes, whatever becomes of this life afterwards; it
   * never comes when the server dies before.
   */
  ask(commands: readonly Command[], together = false): Promise<readonly Outcome[]> {
    const { server } = this;
    if (this.isDead) return new Promise(() => undefined);
    const stamped = commands.map((command) => ({ ...command, at: server.clock.now() }));
    for (const command of stamped) {
      this.sent.push({ command, at: command.at, callsBefore: this.world.calls.length });
    }
    const { engine } = server;
    const answer = together ? engine.dispatchTogether(stamped) : engine.dispatch(stamped);
    return this.heard(answer).then((outcomes) => {
      this.acknowledge(server, stamped, outcomes);
      return outcomes;
    });
  }

  /** What this life of the server answers: an answer after its end is never heard. */
  heard<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { server } = this;
    return new Promise((resolve) => {
      void answer.then((answered) => {
        if (this.current === server && !this.isDead) resolve(answered);
      });
    });
  }

  private acknowledge(
    server: SimulatedServer,
    commands: readonly Command[],
    outcomes: readonly Outcome[],
  ): void {
    const [at, callsBefore] = [server.clock.now(), this.world.calls.length];
    for (const [index, outcome] of outcomes.entries()) {
      const command = commands[index];
      if (!outcome.ok || command === undefined) continue;
      this.acknowledged.push({ command, result: outcome.value, at, callsBefore });
    }
  }

  private async leap(): Promise<void> {
    const { server, random } = this;
    if (this.isDead) return;
    const durationMs = random.pick([10 * second, 10 * minute]);
    if (random.chance(0.5)) await server.leap(durationMs);
    else server.clock.set(server.clock.now() + durationMs);
  }
}
