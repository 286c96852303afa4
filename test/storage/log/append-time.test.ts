import type { Store } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated } from '../simulated-store.js';

const hour = 3_600_000;
const start = 1_700_000_000_000;
const record = { key: null, value: Buffer.from('one'), terms: [] };

/** The append times of a log's batches and the timestamps of its records, oldest first. */
async function timesOf(store: Store, name: string) {
  const batches = (await store.log(name)?.read(0)) ?? [];
  return batches.map((batch) => ({
    batch: batch.timestamp,
    records: [...batch.records()].map(({ timestamp }) => timestamp),
  }));
}

describe('a clock that was set back', () => {
  it.each(['closed', 'cut off'])(
    'never makes time fall in a log, even after it was %s',
    async (how) => {
      const disk = new SimulatedDisk(new SeededRandom(3));
      const first = await openSimulated(disk);
      const log = await first.store.createLog('log');
      expect((await append(log)).timestamp).toBe(start);
      first.timers.time = start - hour;
      expect((await append(log)).timestamp).toBe(start);
      if (how === 'closed') await first.store.close();

      const { store } = await openSimulated(how === 'closed' ? disk : disk.restart(), {
        now: () => start - hour,
      });
      const again = store.log('log');
      expect(again && (await append(again)).timestamp).toBe(start);
      const times = await timesOf(store, 'log');
      expect(times.flatMap(({ records }) => records)).toEqual([start, start, start]);
      const appended = times.map(({ batch }) => batch);
      expect(appended).toHaveLength(3);
      expect(appended).toEqual([...appended].sort((one, other) => one - other));
      expect(new Set(appended).size).toBe(3);
      await store.close();
    },
  );
});

async function append(log: NonNullable<ReturnType<Store['log']>>) {
  const appended = log.append([record]);
  await appended.durable;
  return appended;
}
