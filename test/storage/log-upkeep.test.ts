import { SeededRandom } from '../simulation/seeded-random.js';
import { SimulatedDisk } from '../simulation/simulated-disk.js';
import { openSimulated } from './simulated-store.js';

/** Fills a segment. */
const value = Buffer.alloc(1400);
const appends = 200;

const aMoment = () => new Promise((resolve) => setImmediate(resolve));

describe('what is done to the sealed part of a log', () => {
  it('is done while segments are left behind faster than they are sealed', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { store } = await openSimulated(disk);
    const log = await store.createLog('busy');
    let appended = 0;
    const open = disk.open.bind(disk);
    disk.open = async (path, mode) => {
      // Sealing one takes as long as appending two.
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
});
