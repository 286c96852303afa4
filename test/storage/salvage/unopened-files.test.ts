import { salvageFolder } from '../../../storage/salvage/salvage-folder.js';
import { openStore } from '../../../storage/store.js';
import { verifyStore } from '../../../storage/verify/verify-store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { directory, openSimulated, readOnly } from '../simulated-store.js';

const options = { ...readOnly, readOnly: false, segmentBytes: 900, reserveBytes: 0 };
const index = '/data/logs/0000000000/0000000001.index';

/** A closed store in which the disk can no longer open one index. */
async function unopened(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(new SeededRandom(1));
  const { store } = await openSimulated(disk, { segmentBytes: 900 });
  const log = await store.createLog('events');
  for (let count = 0; count < 15; count += 1) {
    await log.append([{ key: null, value: Buffer.from(`${count}`.padEnd(150)) }]).durable;
  }
  await store.close();
  expect(disk.files().has(index)).toBe(true);
  disk.failures = [{ operation: 'open', under: index, nth: 1, lasting: true, code: 'EIO' }];
  return disk;
}

describe('an index that the disk cannot open', () => {
  it('is reported as damage, and everything else is verified', async () => {
    const { logs, damages } = await verifyStore(await unopened(), directory, readOnly);
    expect(damages.map(({ range }) => range.file)).toEqual([index]);
    expect(logs).toHaveLength(1);
  });

  it('is left out of a salvaged folder, and no record is lost', async () => {
    const disk = await unopened();
    const { damages } = await salvageFolder(disk, directory, '/good', options, {
      known: { first: { name: 'events', settings: {} } },
      repair: async () => undefined,
      names: [],
      make: () => new Map(),
    });
    expect(damages).toEqual([`${index}: the disk does not open the file`]);
    const store = await openStore(disk, '/good', options);
    expect(store.log('events')).toMatchObject({ startOffset: 0, endOffset: 15 });
    await store.close();
  });
});
