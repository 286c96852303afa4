/**
 * A long day of the messaging service in a second: commands as the seed says, destinations in bad
 * moods, power cuts at any change of the disk. What it has seen is for the test to judge.
 */
import type { Command } from '../../src/engine/decider.js';
import type { Outcome } from '../../src/engine/turn.js';
import { type CommandDice, setUp } from './command-dice.js';
import { SeededRandom } from './seeded-random.js';
import { SimulatedDisk } from './simulated-disk.js';
import { SimulatedWorld } from './simulated-endpoints.js';
import { PlannedCrash, SimulatedServer, settled } from './simulated-server.js';

const startsAt = 1_767_000_000_000;
const second = 1000;
const minute = 60 * second;

/** A command that was acknowledged: whatever happens later, it has happened. */
export interface Acknowledged {
  readonly command: Command;
  readonly result: unknown;
  /** When the answer came, Unix milliseconds, and how many calls the world had seen by then. */
  readonly at: number;
  readonly callsBefore: number;
}

export class MessagingSimulation {
  readonly world: SimulatedWorld;
  readonly acknowledged: Acknowledged[] = [];
  /** Every command as it was asked: `callsBefore` is what the world had seen by then. */
  readonly asked: Omit<Acknowledged, 'result'>[] = [];
  crashes = 0;
  private readonly random: SeededRandom;
  private current: SimulatedServer | null = null;
  private planned: PlannedCrash | null = null;

  constructor(
    readonly seed: number,
    private readonly dice: (random: SeededRandom) => CommandDice,
  ) {
    this.random = new SeededRandom(seed);
    this.world = new SimulatedWorld(new SeededRandom(seed + 1));
    this.world.isDark = () => this.isDead;
  }

  get server(): SimulatedServer {
    if (this.current === null) throw new Error('the simulation has not started');
    return this.current;
  }

  /** `steps` rounds of commands with time between them, and a power cut now and then. */
  async run(steps: number): Promise<void> {
    const { random } = this;
    const dice = this.dice(random);
    await this.start(new SimulatedDisk(new SeededRandom(this.seed + 2)), startsAt);
    this.ask(setUp());
    await settled();
    for (let step = 0; step < steps; step += 1) {
      if (this.planned === null && random.chance(0.15)) {
        this.planned = new PlannedCrash(this.server.disk, random, 1 + random.below(60));
      }
      this.ask(dice.roll(this.server, this.acknowledged));
      await this.server.pass(random.pick([0, 5, second, 10 * second]), () => this.isDead);
      if (this.isDead) await this.restart(random.pick([0, second, 10 * minute]));
    }
    this.planned = null;
    this.server.disk.afterChange = null;
  }

  /** All is well from now on: no more faults, nothing paused, and all the time in the world. */
  async comeToRest(commands: readonly Command[], days = 3): Promise<void> {
    this.world.isMoody = false;
    this.ask(commands);
    await settled();
    for (let leap = 0; leap < days * 24 * 60; leap += 1) await this.server.leap(minute);
  }

  /** Ends this life in an instant and begins another one on what the disk holds. */
  async restart(downMs: number): Promise<void> {
    const { server } = this;
    const disk = this.planned?.image ?? server.disk.restart();
    server.abandon();
    this.crashes += 1;
    this.planned = null;
    await this.start(disk, server.clock.now() + downMs);
  }

  private get isDead(): boolean {
    return this.planned?.hasHappened === true;
  }

  private async start(disk: SimulatedDisk, at: number): Promise<void> {
    this.current = await SimulatedServer.start(disk, this.world, at, this.random.below(2 ** 31));
  }

  /** Asks without waiting: what is answered before the server dies is acknowledged. */
  private ask(commands: readonly Command[]): void {
    if (commands.length === 0) return;
    const { server } = this;
    const stamped = commands.map((command) => ({ ...command, at: server.clock.now() }));
    for (const command of stamped) {
      this.asked.push({ command, at: command.at, callsBefore: this.world.calls.length });
    }
    void server.engine.dispatch(stamped).then((outcomes: readonly Outcome[]) => {
      if (this.current !== server || this.isDead) return;
      const [at, callsBefore] = [server.clock.now(), this.world.calls.length];
      for (const [index, outcome] of outcomes.entries()) {
        const command = stamped[index];
        if (!outcome.accepted || command === undefined) continue;
        this.acknowledged.push({ command, result: outcome.result, at, callsBefore });
      }
    });
  }
}
