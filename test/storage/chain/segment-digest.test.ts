import { type ChainWork, chainWork } from '../../../storage/chain/chain-work.js';
import type { DigestQuestion } from '../../../storage/segment/segment-digest.js';
import { verifyStore } from '../../../storage/verify/verify-store.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { directory, openSimulated, readOnly, settle } from '../simulated-store.js';

const segmentBytes = 9 * 1024 * 1024;
const value = Buffer.alloc(1024 * 1024, 7);

/** Writes a segment and a bit, and closes; `digest` stands for the other thread. */
async function sealed(disk: SimulatedDisk, digest: ChainWork['digest']): Promise<void> {
  const chain = { covers: () => false, work: { ...chainWork(disk), digest } };
  const { store, failures } = await openSimulated(disk, { segmentBytes, chain });
  const log = await store.createLog('events');
  for (let left = 10; left > 0; left -= 1) await log.append([{ key: null, value }]).durable;
  while (log.segments[0]?.isSealed !== true) await settle();
  await log.roll();
  expect(failures).toEqual([]);
  await store.close();
  // Compares each segment with its digest.
  const { damages } = await verifyStore(disk, directory, readOnly);
  expect(damages).toEqual([]);
}

describe('the work for a chain', () => {
  it('lets its thread rest between two hashes', async () => {
    const disk = new SimulatedDisk();
    let rests = 0;
    const work = chainWork(disk, () => {
      rests += 1;
    });
    const chain = { covers: () => true, work };
    const { store } = await openSimulated(disk, { segmentBytes, chain });
    const log = await store.createLog('events');
    for (let left = 8; left > 0; left -= 1) await log.append([{ key: null, value }]).durable;
    await log.roll();
    await settle();
    await store.close();
    // Eight records, the seven nodes above them, and each MiB of the segment for its digest.
    expect(rests).toBe(8 + 7 + 9);
  });
});

describe('the digest of a segment', () => {
  it('is asked of the other thread if the segment is large', async () => {
    const disk = new SimulatedDisk();
    const asked: DigestQuestion[] = [];
    await sealed(disk, (question) => {
      asked.push(question);
      return chainWork(disk).digest(question);
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.end).toBeGreaterThan(8 * value.length);
  });

  it('is made in this thread if the other one fails', async () => {
    const digest = () => Promise.reject(new Error('the thread was ended'));
    await sealed(new SimulatedDisk(), digest);
  });
});
