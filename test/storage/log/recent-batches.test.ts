import { RecentBatches } from '../../../storage/log/recent-batches.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated } from '../simulated-store.js';

const kibibyte = 1024;

it('batches read last are found by their offsets, up to 256 KiB', async () => {
  const { store } = await openSimulated(new SimulatedDisk(new SeededRandom(1)));
  const log = await store.createLog('log');
  for (let batch = 0; batch < 10; batch += 1) {
    const record = { key: null, value: Buffer.alloc(50 * kibibyte, batch) };
    await log.append([record, record]).durable;
  }
  const recent = new RecentBatches();
  for (let offset = 0; offset < 20; offset += 2) {
    recent.add(await log.read(offset, { until: offset + 2 }));
  }
  const found = Array.from({ length: 21 }, (_, offset) => recent.find(offset)?.record(offset));
  expect(found.map((record) => record?.offset)).toEqual([
    ...Array.from({ length: 16 }, () => undefined),
    16,
    17,
    18,
    19,
    undefined,
  ]);
  expect(found[19]?.value?.[0]).toBe(9);
  await store.close();
});
