import { salvageFolder } from '../../../storage/salvage/salvage-folder.js';
import { openStore } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { directory, openSimulated } from '../simulated-store.js';
import { offsetsIn, options, settings, written } from './salvaged-store.js';

const all = Array.from({ length: 15 }, (_, offset) => offset);
const folder = `${directory}/logs/0000000001`;

/** The segment of the second log that holds its last record. */
function lastSegment(disk: SimulatedDisk): string {
  const logs = [...disk.files()].filter(([path, bytes]) => {
    return path.startsWith(folder) && path.endsWith('.log') && bytes.some((byte) => byte !== 0);
  });
  return logs.at(-1)?.[0] ?? '';
}

/** A store after a kill or a clean stop. */
async function stopped(stop: 'kill' | 'cleanly', seed: number): Promise<SimulatedDisk> {
  const disk = await written(seed);
  if (stop === 'cleanly') {
    const { store } = await openSimulated(disk.restart(), { segmentBytes: 900 });
    await store.close();
  }
  return disk.restart();
}

/** The disk does not open a file any more. */
function shut(disk: SimulatedDisk, file: string): void {
  const open = disk.open.bind(disk);
  disk.open = (path, mode) =>
    path === file
      ? Promise.reject(Object.assign(new Error(`EIO: ${path}`), { code: 'EIO' }))
      : open(path, mode);
}

/** What a salvage says, and what the store has that it made. */
async function salvaged(disk: SimulatedDisk) {
  const { damages } = await salvageFolder(disk, directory, '/good', options, settings);
  const store = await openStore(disk, '/good', options);
  const offsets = await offsetsIn(store);
  const end = store.log('orders')?.endOffset;
  await store.close();
  return { damages, offsets, end };
}

describe.each(['MANIFEST', 'MANIFEST.copy', 'WATERMARKS'])('a %s', (name) => {
  const said = [`${name}: the disk does not read it, or not all of it`];

  it('that the disk does not read costs no record, and is named', async () => {
    const disk = await stopped('kill', 8);
    disk.spoil(`${directory}/${name}`, { from: 0, to: 4096 });
    const { damages, offsets } = await salvaged(disk);
    expect(damages).toEqual(said);
    expect(offsets).toEqual({ events: all, orders: all });
  });

  it('that the disk does not open costs no record, and is named', async () => {
    const disk = await stopped('cleanly', 8);
    shut(disk, `${directory}/${name}`);
    const { damages, offsets } = await salvaged(disk);
    expect(damages).toEqual(said);
    expect(offsets).toEqual({ events: all, orders: all });
  });
});

describe.each(['kill', 'cleanly'] as const)('the segment that grew before a %s', (stop) => {
  it.each(['not read', 'not opened', 'gone'] as const)(
    'and is %s is lost alone, which is said, and no offset of it is used again',
    async (fault) => {
      const disk = await stopped(stop, 9);
      const file = lastSegment(disk);
      if (fault === 'not read') disk.spoil(file, { from: 0, to: 4096 });
      else if (fault === 'gone') await disk.remove(file);
      else shut(disk, file);
      const { damages, offsets, end } = await salvaged(disk);
      const { events, orders = [] } = offsets;
      expect(damages.filter((damage) => damage.includes('logs/0000000001/'))).not.toEqual([]);
      expect(events).toEqual(all);
      expect(orders).toEqual(all.slice(0, orders.length));
      expect(orders.length).toBeGreaterThan(8);
      expect(orders.length).toBeLessThan(all.length);
      expect(end).toBe(all.length);
    },
  );
});

it.each(['not read', 'not opened', 'gone'] as const)(
  'a segment that nothing says anything of and that is %s is named',
  async (fault) => {
    const running = new SimulatedDisk(new SeededRandom(1));
    const { store } = await openSimulated(running);
    await (await store.createLog('events')).append([{ key: null, value: null }]).durable;
    const disk = running.restart();
    const file = `${directory}/logs/0000000000/0000000000.log`;
    if (fault === 'not read') disk.spoil(file, { from: 0, to: 4096 });
    else if (fault === 'gone') await disk.remove(file);
    else shut(disk, file);
    const { damages } = await salvageFolder(disk, directory, '/good', options, settings);
    expect(damages).toEqual([expect.stringMatching(/0000000000\.log: .*may have held records/)]);
  },
);
