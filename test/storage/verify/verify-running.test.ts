import { verifyStore } from '../../../storage/verify/verify-store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { append } from '../damaged-topic.js';
import { directory, openSimulated, readOnly, settle } from '../simulated-store.js';

const topicFolder = `${directory}/logs/0000000001`;

/** A journal of one record, and a topic of ten segments; both are open. */
async function running() {
  const disk = new SimulatedDisk(new SeededRandom(1));
  const { store, timers } = await openSimulated(disk, { segmentBytes: 530 });
  await append(await store.createLog('journal'), 0);
  const log = await store.createLog('topic');
  for (let offset = 0; offset < 30; offset += 1) await append(log, offset);
  const mark = async () => {
    timers.advance(1000);
    await settle();
  };
  await mark();
  return { disk, store, log, mark };
}

/** Verifies; each time the journal is reached, which is before the topic is, `change` happens. */
function verifiedBeside(disk: SimulatedDisk, change: (times: number) => Promise<unknown>) {
  const open = disk.open.bind(disk);
  let times = 0;
  let isChanging = false;
  disk.open = async (path, mode) => {
    if (path.includes('/logs/0000000000/') && !isChanging) {
      isChanging = true;
      await change(times);
      isChanging = false;
      times += 1;
    }
    return open(path, mode);
  };
  return verifyStore(disk, directory, readOnly);
}

describe('a verification beside a server', () => {
  it('finds no damage in what is trimmed meanwhile, however often', async () => {
    const { disk, store, log } = await running();
    const { damages, logs } = await verifiedBeside(disk, (times) => log.trimTo((times + 1) * 3));
    expect(damages).toEqual([]);
    expect(logs).toMatchObject([{ records: 1 }, { isDamaged: false, lost: [] }]);
    await store.close();
  });

  it('finds no damage in segments that are begun meanwhile, and reads them', async () => {
    const { disk, store, log, mark } = await running();
    const { damages, logs } = await verifiedBeside(disk, async () => {
      for (let offset = 30; offset < 40; offset += 1) await append(log, offset);
      await mark();
    });
    expect(damages).toEqual([]);
    expect(logs[1]?.records).toBe(log.endOffset);
    await store.close();
  });

  it('finds no damage in a log that is dropped meanwhile', async () => {
    const { disk, store } = await running();
    const { damages, logs } = await verifiedBeside(disk, () => store.dropLog('topic'));
    expect(damages).toEqual([]);
    expect(logs.map(({ name }) => name)).toEqual(['journal']);
    await store.close();
  });

  it('still finds what is damaged', async () => {
    const { disk, store, log } = await running();
    disk.damage(`${topicFolder}/0000000006.log`, (bytes) => {
      bytes[300] = (bytes[300] ?? 0) ^ 1;
      return bytes;
    });
    const { damages, logs } = await verifiedBeside(disk, async (times) => {
      if (times < 4) await log.trimTo((times + 1) * 3);
    });
    expect(damages.map(({ range }) => range.file)).toEqual([`${topicFolder}/0000000006.log`]);
    expect(logs[1]).toMatchObject({ isDamaged: true, lost: [{ from: 19, until: 20 }] });
    await store.close();
  });
});

it('a folder without watermarks is verified, and they are named once', async () => {
  const { disk: worked, store } = await running();
  await store.close();
  const disk = worked.restart();
  await disk.remove(`${directory}/WATERMARKS`);
  const { damages, logs } = await verifyStore(disk, directory, readOnly);
  expect(damages.map(({ range }) => range.file)).toEqual([`${directory}/WATERMARKS`]);
  expect(logs.map(({ records }) => records)).toEqual([1, 30]);
  disk.damage(`${topicFolder}/0000000006.log`, (bytes) => {
    bytes[300] = (bytes[300] ?? 0) ^ 1;
    return bytes;
  });
  expect((await verifyStore(disk, directory, readOnly)).damages).toHaveLength(2);
});
