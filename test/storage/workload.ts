/** Random work on a store, reported to a model: the same seed does the same work. */
import type { RecordInput } from '../../storage/format/record.js';
import type { StoreOptions } from '../../storage/store.js';
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { SimulatedDisk } from '../simulation/simulated-disk.js';
import { type OpenedSimulation, openSimulated, settle } from './simulated-store.js';
import { StoreModel } from './store-model.js';

export const logNames = ['journal', 'orders', 'clicks'] as const;

/** A record of up to `length` bytes, often with a known key, sometimes a tombstone, with terms. */
export function randomRecord(random: SeededRandom, length: number): RecordInput {
  const size = random.below(length);
  return {
    key: random.chance(0.3) ? null : random.bytes(random.below(12)).fill(random.below(2)),
    value: random.chance(0.2) ? null : Buffer.alloc(size, random.below(256)),
    terms: random.chance(0.5) ? [`term-${random.below(4)}`] : [],
  };
}

/** A record of one of three keys, often a tombstone. */
function contested(random: SeededRandom): RecordInput {
  const value = random.chance(0.4) ? null : Buffer.alloc(random.below(200), random.below(256));
  return { key: Buffer.from(`key-${random.below(3)}`), value, terms: ['contested'] };
}

/** A store that is open and working, beside its promises. */
export class Workload {
  readonly model = new StoreModel();
  private running: OpenedSimulation | null = null;
  private known = new Set<string>();

  constructor(
    private readonly disk: SimulatedDisk,
    private readonly random: SeededRandom,
    private readonly options: Partial<StoreOptions> = {},
  ) {}

  /** Opens the store, creates one log and does `steps` random things; leaves the store open. */
  async run(steps: number): Promise<void> {
    this.running = await openSimulated(this.disk, this.options);
    await this.createLog('journal');
    for (let step = 0; step < steps; step += 1) await this.step();
    await settle();
  }

  /** Opens the store and makes `rounds` random steps on one log that concern compaction. */
  async runCompacting(rounds: number): Promise<void> {
    this.running = await openSimulated(this.disk, this.options);
    const { random } = this;
    await this.createLog('orders');
    for (let round = 0; round < rounds; round += 1) {
      for (let count = 2 + random.below(6); count > 0; count -= 1) {
        const records = Array.from({ length: 1 + random.below(2) }, () => contested(random));
        await this.model.append(this.open.store, 'orders', records);
        if (random.chance(0.2)) await this.open.store.log('orders')?.roll();
        this.open.timers.advance(random.below(800));
      }
      if (random.chance(0.3)) await this.trim('orders');
      await this.compact('orders');
      if (random.chance(0.3)) await this.reopen();
    }
    await settle();
  }

  /** Opens the store and appends to several logs at the same time, `steps` times. */
  async runTogether(steps: number): Promise<void> {
    this.running = await openSimulated(this.disk, this.options);
    const { random } = this;
    for (const name of ['orders', 'clicks', 'views']) await this.createLog(name);
    for (let step = 0; step < steps; step += 1) {
      const kind = random.below(20);
      if (kind < 15) await this.appendSeveral();
      else if (kind < 16) await this.open.store.log('orders')?.roll();
      else if (kind < 17) await Promise.all([this.compact('clicks'), this.appendSeveral()]);
      else if (kind < 18) await Promise.all([this.trim('orders'), this.appendSeveral()]);
      else if (kind < 19 && this.known.has('views')) await this.dropLog('views');
      else this.open.timers.advance(random.pick([25, 1200]));
      if (random.chance(0.04)) await this.reopen();
    }
    await settle();
  }

  private get open(): OpenedSimulation {
    if (this.running === null) throw new Error('the store is not open');
    return this.running;
  }

  private async step(): Promise<void> {
    const { random } = this;
    const name = random.pick([...this.known]);
    const kind = random.below(25);
    if (kind < 10) await this.append(name, 1 + random.below(3), 60);
    else if (kind < 13) await this.appendSeveral();
    else if (kind < 15) await this.append(name, 2 + random.below(3), 900);
    else if (kind < 16) this.open.timers.advance(random.pick([25, 1200]));
    else if (kind < 17) await Promise.all([this.trim(name), this.appendSeveral()]);
    else if (kind < 18) await this.createLog(random.pick(logNames));
    else if (kind < 19 && name !== 'journal') await this.dropLog(name);
    else if (kind < 20) await this.reopen();
    else if (kind < 22) await this.open.store.log(name)?.roll();
    else if (kind < 24) await this.compact(name);
    else await Promise.all([this.compact(name), this.appendSeveral()]);
  }

  private async createLog(name: string): Promise<void> {
    if (this.known.has(name)) return;
    await this.model.createLog(this.open.store, name, name === 'journal');
    this.known.add(name);
  }

  private append(name: string, count: number, length: number): Promise<void> {
    const records = Array.from({ length: count }, () => randomRecord(this.random, length));
    return this.model.append(this.open.store, name, records);
  }

  /** Appends that share a group, over all logs. */
  private async appendSeveral(): Promise<void> {
    const appends: Promise<void>[] = [];
    for (let count = 2 + this.random.below(4); count > 0; count -= 1) {
      appends.push(this.append(this.random.pick([...this.known]), 1, 100));
    }
    await Promise.all(appends);
  }

  private async trim(name: string): Promise<void> {
    const end = this.open.store.log(name)?.endOffset ?? 0;
    await this.model.trimTo(this.open.store, name, this.random.below(end + 1));
  }

  /** All, some or none of the tombstones are old enough to be removed. */
  private async compact(name: string): Promise<void> {
    const { store, timers } = this.open;
    await store.log(name)?.roll();
    const tombstonesBefore = this.random.pick([0, timers.time - 1000, timers.time + 1]);
    await this.model.compact(store, name, tombstonesBefore);
  }

  private async dropLog(name: string): Promise<void> {
    this.known.delete(name);
    await this.model.dropLog(this.open.store, name);
    // The name of a dropped log is not reused here: the model identifies logs by name.
  }

  private async reopen(): Promise<void> {
    await this.open.store.close();
    this.running = await openSimulated(this.disk, this.options);
  }
}
