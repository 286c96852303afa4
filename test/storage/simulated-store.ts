/** Opens a store on a simulated disk: seeded ids, a clock that only moves when it is set. */
import type { StorageError } from '../../storage/faults/storage-errors.js';
import { openStore, type Store, type StoreOptions } from '../../storage/store.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import type { SimulatedDisk } from '../simulation/simulated-disk.js';

export const directory = '/data';

/** Timers that fire when a test says so. */
export class ManualTimers {
  time = 1_700_000_000_000;
  private readonly due = new Set<{ readonly at: number; readonly callback: () => void }>();

  readonly after = (delayMs: number, callback: () => void): (() => void) => {
    const timer = { at: this.time + delayMs, callback };
    this.due.add(timer);
    return () => this.due.delete(timer);
  };

  /** How many will fire, unless they are cancelled. */
  get waiting(): number {
    return this.due.size;
  }

  /** Moves the clock and fires what is due by then. */
  advance(milliseconds: number): void {
    this.time += milliseconds;
    for (const timer of [...this.due].sort((one, two) => one.at - two.at)) {
      if (timer.at <= this.time && this.due.delete(timer)) timer.callback();
    }
  }
}

/** Options of a store that is only read. */
export const readOnly: StoreOptions = {
  now: () => 0,
  randomBytes: (length) => Buffer.alloc(length),
  after: () => () => undefined,
  fsync: 'strict',
  readOnly: true,
  onFailure: (error) => {
    throw error;
  },
};

export interface OpenedSimulation {
  readonly store: Store;
  readonly timers: ManualTimers;
  /** The errors that the store passed to `onFailure`. */
  readonly failures: StorageError[];
}

/** Small segments and writes, no reserve file; an unexpected failure shows in `failures`. */
export async function openSimulated(
  disk: SimulatedDisk,
  options: Partial<StoreOptions> = {},
  folder = directory,
): Promise<OpenedSimulation> {
  const timers = new ManualTimers();
  const failures: StorageError[] = [];
  const random = new SeededRandom(7);
  const store = await openStore(disk, folder, {
    now: () => timers.time,
    randomBytes: (length) => random.bytes(length),
    after: timers.after,
    fsync: 'strict',
    segmentBytes: 1500,
    reserveBytes: 0,
    writeAheadBytes: 0,
    writtenBytesMax: 600,
    onFailure: (error) => failures.push(error),
    ...options,
  });
  return { store, timers, failures };
}

/** Lets everything happen that needs no timer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
