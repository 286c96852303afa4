import { SeededRandom } from '../simulation/seeded-random.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { openSimulated, settle } from './simulated-store.js';

/** Fills a segment. */
const value = Buffer.alloc(1400);
const appends = 200;

const aMoment = () => new Promise((resolve) => setImmediate(resolve));

describe('the upkeep of the sealed part of a log', () => {
  it('works while segments are finished faster than they are sealed', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { store } = await openSimulated(disk);
    const log = await store.createLog('busy');
    let appended = 0;
    const open = disk.open.bind(disk);
    disk.open = async (path, mode) => {
      // Sealing one segment takes as long as appending two.
      const until = /index-/.test(path) ? Math.min(appends, appended + 2) : 0;
      while (appended < until) await aMoment();
      return open(path, mode);
    };
    const grow = async () => {
      for (; appended < appends; appended += 1) {
        await log.append([{ key: null, value }]).durable;
        await aMoment();
      }
    };
    const growing = grow();
    while (appended < 10) await aMoment();
    await log.trimTo(5);
    expect(appended).toBeLessThan(appends);
    await growing;
    await store.close();
  });

  it('waits after a crash until the user of the store has time for it', async () => {
    const { store } = await openSimulated(await crashed(), { upkeepWaits: true });
    const sealed = () => store.log('left')?.segments.map(({ isSealed }) => isSealed);
    await settle();
    expect(sealed()).toEqual([false, false]);
    store.beginUpkeep();
    await settle();
    expect(sealed()).toEqual([true, false]);
    await store.close();
  });

  it('does not wait for that if a trim, or the end of the store, needs it', async () => {
    const disk = await crashed();
    const { store } = await openSimulated(disk, { upkeepWaits: true });
    expect(await store.log('left')?.trimTo(1)).toBe(1);
    await store.close();
    const { store: next } = await openSimulated(disk);
    expect(next.report.wasClean).toBe(true);
    await next.close();
  });
});

/** A log of two segments, the first of which is complete: its second record was not proven. */
async function crashed(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(new SeededRandom(1));
  const { store } = await openSimulated(disk);
  const log = await store.createLog('left');
  for (let count = 0; count < 2; count += 1) {
    await log.append([{ key: null, value: Buffer.alloc(10) }]).durable;
  }
  return disk.restart();
}
