import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { logOf } from '../damaged-topic.js';
import { directory, openSimulated, settle } from '../simulated-store.js';

const recordCount = 40;
const indexPath = `${directory}/logs/0000000000/0000000000.index`;

/** A log whose first segment is sealed; its index was used, and its file is closed. */
async function open() {
  const disk = new SimulatedDisk();
  const { store, failures } = await openSimulated(disk, { segmentBytes: 4000, openFilesMax: 1 });
  const log = await store.createLog('log');
  for (let offset = 0; offset < recordCount; offset += 1) {
    const terms = [`odd-${offset % 2}`, `own-${offset}`];
    await log.append([{ key: null, value: Buffer.alloc(50), terms }]).durable;
  }
  await settle();
  const [{ nextOffset } = { nextOffset: 0 }] = log.segments;
  const find = async (term: string) => {
    const found: number[] = [];
    for await (const offset of logOf(store, 'log').find(term, { until: nextOffset })) {
      found.push(offset);
    }
    return found;
  };
  const odd = Array.from({ length: nextOffset }, (_, offset) => offset).filter((at) => at % 2 > 0);
  expect(odd.length).toBeGreaterThan(8);
  expect(await find('odd-1')).toEqual(odd);
  return { disk, store, log, find, odd, failures };
}

describe('the index of a sealed segment that was used before', () => {
  it.each<[string, (disk: SimulatedDisk) => unknown]>([
    ['removed', (disk) => disk.remove(indexPath)],
    ['not read by the disk', (disk) => disk.spoil(indexPath, { from: 0, to: 2 ** 32 })],
    ['not opened by the disk', fails('open')],
    ['emptied', (disk) => disk.damage(indexPath, () => Buffer.alloc(0))],
    ['cut short', (disk) => disk.damage(indexPath, (bytes) => bytes.subarray(0, -40))],
    ['overwritten', (disk) => disk.damage(indexPath, (bytes) => Buffer.alloc(bytes.length, 0xff))],
  ])('is rebuilt from the records if it is %s', async (_, lose) => {
    const { disk, store, log, find, odd, failures } = await open();
    // Another file takes the only place among the open files.
    await log.read(0, { maxRecords: 1 });
    await lose(disk);
    expect(await Promise.all([find('odd-1'), find('odd-1')])).toEqual([odd, odd]);
    for (const offset of odd) expect(await find(`own-${offset}`)).toEqual([offset]);
    expect(failures).toEqual([]);
    await store.close();
    expect(disk.openPaths).toEqual([]);
  });
});

function fails(operation: 'open'): (disk: SimulatedDisk) => void {
  return (disk) => {
    disk.failures = [{ operation, nth: 1, lasting: true, under: indexPath, code: 'EIO' }];
  };
}
