/** A store that is to be salvaged, and how its logs are made whole. */
import type { DamagedStore } from '../../../storage/salvage/salvage-folder.js';
import type { Store } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated, readOnly, settle } from '../simulated-store.js';

export const options = { ...readOnly, readOnly: false, segmentBytes: 900, reserveBytes: 0 };

/** A store with sealed segments and one that grows. */
export async function written(seed: number): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(new SeededRandom(seed));
  const { store, timers } = await openSimulated(disk, { segmentBytes: 900 });
  for (const name of ['events', 'orders']) {
    const log = await store.createLog(name, { preparesNextSegment: name === 'events' });
    for (let count = 0; count < 15; count += 1) {
      await log.append([{ key: null, value: Buffer.from(`${name} ${count}`.padEnd(150)) }]).durable;
    }
  }
  timers.advance(25);
  await settle();
  return disk;
}

async function healed({ store, segments }: DamagedStore): Promise<void> {
  for (const log of store.logs()) {
    await log.sweep({
      until: log.endOffset,
      keeps: () => true,
      settled: async () => undefined,
      healing: { segments: segments.get(log.name) ?? new Set(), filler: () => null },
    });
  }
}

export const settings = {
  known: { first: { name: 'events', settings: { preparesNextSegment: true } } },
  repair: healed,
  names: ['note'],
  make: () => new Map([['note', Buffer.from('!')]]),
};

export async function offsetsIn(store: Store): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {};
  for (const log of store.logs()) {
    const offsets: number[] = [];
    for (let at = log.startOffset; at < log.highWatermark; ) {
      for (const batch of await log.read(at)) {
        for (const { offset } of batch.records()) offsets.push(offset);
        at = batch.nextOffset;
      }
    }
    found[log.name] = offsets;
  }
  return found;
}
