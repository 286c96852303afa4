import fc from 'fast-check';
import { CommittedOffsets } from '../../../src/topics/offsets/committed-offsets.js';
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated, settle } from '../../storage/simulated-store.js';

async function openLog(): Promise<PartitionLog> {
  const { store } = await openSimulated(new SimulatedDisk(new SeededRandom(3)));
  return store.createLog('offsets');
}

/** The disk always has space here. */
const never = () => undefined;

const at = (partition: number, offset: number, topic = 'rides') => ({ topic, partition, offset });
const place = (partition: number, topic = 'rides') => ({ topic, partition });

describe('committed offsets', () => {
  it('are read back as they were committed, at once', async () => {
    const offsets = await CommittedOffsets.open(await openLog(), never);
    offsets.commit('g', [at(0, 5), at(1, 7)], 9);
    expect(offsets.find('g', place(0))).toEqual({ committed: 5, start: null, at: 9 });
    expect(offsets.find('g', place(2))).toBeUndefined();
    expect(offsets.find('other', place(0))).toBeUndefined();
  });

  it('stay when a start is stored beside them, which the next commit removes', async () => {
    const offsets = await CommittedOffsets.open(await openLog(), never);
    offsets.keepStart('g', [at(0, 3)], 1);
    expect(offsets.find('g', place(0))).toEqual({ committed: null, start: 3, at: 1 });
    offsets.commit('g', [at(0, 5)], 2);
    offsets.keepStart('g', [at(0, 1)], 3);
    expect(offsets.find('g', place(0))).toEqual({ committed: 5, start: 1, at: 3 });
    offsets.commit('g', [at(0, 6)], 4);
    expect(offsets.find('g', place(0))).toEqual({ committed: 6, start: null, at: 4 });
  });

  it('are deleted with their group, or with their topic in all groups', async () => {
    const log = await openLog();
    const offsets = await CommittedOffsets.open(log, never);
    offsets.commit('g', [at(0, 1), at(0, 2, 'fares')], 1);
    offsets.commit('h', [at(0, 3)], 1);
    await offsets.forgetTopic('rides');
    expect([offsets.of('g').length, offsets.of('h').length]).toEqual([1, 0]);
    expect([[...offsets.topicsOf('g')], [...offsets.topicsOf('h')]]).toEqual([['fares'], []]);
    await offsets.forgetGroup('g');
    const again = await CommittedOffsets.open(log, never);
    expect([again.of('g'), again.of('h')]).toEqual([[], []]);
  });

  it('are deleted with a topic that more groups have read than one append can hold', async () => {
    const log = await openLog();
    const offsets = await CommittedOffsets.open(log, never);
    // As large as thousands of normal names: 40 MB of keys.
    const groups = Array.from({ length: 400 }, (_, number) => `${number}`.padEnd(100_000, 'g'));
    for (const group of groups) offsets.commit(group, [at(0, 1)], 1);
    offsets.commit('g', [at(0, 2, 'fares')], 1);
    await offsets.forgetTopic('rides');
    const again = await CommittedOffsets.open(log, never);
    expect([...again.all()].map(({ group, topic }) => [group, topic])).toEqual([['g', 'fares']]);
  });

  it('are distinguished from those of similar names', async () => {
    const offsets = await CommittedOffsets.open(await openLog(), never);
    offsets.commit('a/b', [at(1, 1, 'c')], 1);
    offsets.commit('a', [at(1, 2, 'b.c')], 1);
    expect(offsets.find('a/b', place(1, 'c'))?.committed).toBe(1);
    expect(offsets.find('a', place(1, 'b.c'))?.committed).toBe(2);
    expect(offsets.of('a/b')).toEqual([place(1, 'c')]);
  });

  it('are the same after a restart, whatever was done', async () => {
    const group = fc.constantFrom('g', 'h', 'ü/1');
    const topic = fc.constantFrom('rides', 'fares');
    const step = fc.record({
      type: fc.constantFrom('commit', 'keepStart', 'forgetGroup', 'forgetTopic'),
      group,
      topic,
      partition: fc.nat(2),
      offset: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const log = await openLog();
        const offsets = await CommittedOffsets.open(log, never);
        for (const { type, offset, partition, ...names } of steps) {
          const positions = [at(partition, offset, names.topic)];
          if (type === 'commit') offsets.commit(names.group, positions, 1);
          else if (type === 'keepStart') offsets.keepStart(names.group, positions, 2);
          else if (type === 'forgetGroup') await offsets.forgetGroup(names.group);
          else await offsets.forgetTopic(names.topic);
        }
        await offsets.durable();
        const again = await CommittedOffsets.open(log, never);
        const shown = (all: CommittedOffsets) =>
          ['g', 'h', 'ü/1'].map((name) =>
            all
              .of(name)
              .map((each) => JSON.stringify(each))
              .sort(),
          );
        expect(shown(again)).toEqual(shown(offsets));
      }),
      { numRuns: 50 },
    );
  });

  it('are refused on a full disk, and are written once there is space', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { store, timers, failures } = await openSimulated(disk);
    const log = await store.createLog('offsets');
    const whenRoom = (wake: () => void) => store.freeSpace.whenRoom(wake);
    const offsets = await CommittedOffsets.open(log, whenRoom);
    offsets.commit('g', [at(0, 1), at(1, 1)], 1);
    offsets.commit('h', [at(0, 1)], 1);
    await offsets.durable();
    disk.failures = [{ operation: 'write', code: 'ENOSPC', nth: 1, lasting: true, under: '/data' }];
    // The first write is in flight when the second comes, and the third is refused at once.
    offsets.commit('g', [at(0, 2)], 2);
    await new Promise((next) => process.nextTick(next));
    offsets.commit('g', [at(0, 3), at(2, 3)], 3);
    await expect(offsets.durable()).rejects.toBeInstanceOf(DiskFull);
    offsets.commit('g', [at(1, 4)], 4);
    await expect(offsets.durable()).rejects.toBeInstanceOf(DiskFull);
    let isForgotten = false;
    const forgotten = offsets.forgetGroup('h').then(() => {
      isForgotten = true;
    });
    await settle();
    expect(isForgotten).toBe(false);
    expect(offsets.find('g', place(0))?.committed).toBe(3);

    disk.failures = [];
    timers.advance(1000);
    await settle();
    await forgotten;
    await offsets.durable();
    const again = await CommittedOffsets.open(log, whenRoom);
    const committed = (group: string) =>
      again
        .of(group)
        .map((place) => [place.partition, again.find(group, place)?.committed])
        .sort();
    expect(committed('g')).toEqual([
      [0, 3],
      [1, 4],
      [2, 3],
    ]);
    expect(committed('h')).toEqual([]);
    expect(failures).toEqual([]);
    await store.close();
  });
});
