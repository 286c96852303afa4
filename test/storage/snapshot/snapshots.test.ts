import fc from 'fast-check';
import type { SkippedSnapshot, SnapshotPart } from '../../../storage/snapshot/snapshots.js';
import type { Store } from '../../../storage/store.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { directory, openSimulated } from '../simulated-store.js';

const folder = `${directory}/snapshots`;
const partsOf = (text: string): SnapshotPart[] => [
  { name: 'streams', data: Buffer.from(text.repeat(500)) },
  { name: 'nothing', data: Buffer.alloc(0) },
  { name: 'streams', data: Buffer.from(text) },
];

async function open(disk: SimulatedDisk): Promise<Store> {
  return (await openSimulated(disk)).store;
}

/** The snapshot that is found, with all of its parts. */
async function found({ snapshots }: Store, label = 'a', until = 1000) {
  const passed: SkippedSnapshot[] = [];
  const latest = await snapshots.latest(label, until, (each) => passed.push(each));
  const parts: SnapshotPart[] = [];
  if (latest !== null)
    for await (const { name, data } of latest.parts())
      parts.push({ name, data: Buffer.from(data) });
  return { offset: latest?.offset ?? null, parts, reasons: passed.map(({ reason }) => reason) };
}

describe('snapshots', () => {
  it('are found by their label, the latest first, up to an offset', async () => {
    const store = await open(new SimulatedDisk());
    expect(await found(store)).toEqual({ offset: null, parts: [], reasons: [] });
    await store.snapshots.write({ offset: 10, label: 'a' }, partsOf('x'));
    await store.snapshots.write({ offset: 20, label: 'a' }, partsOf('y'));
    expect(await found(store)).toEqual({ offset: 20, parts: partsOf('y'), reasons: [] });
    const earlier = await found(store, 'a', 19);
    expect(earlier.offset).toBe(10);
    expect(earlier.reasons).toEqual(['the log ends at 19, before it']);
    const other = await found(store, 'b');
    expect(other.offset).toBeNull();
    expect(new Set(other.reasons)).toEqual(
      new Set(['it was made by another version or with other settings']),
    );
  });

  it('hold parts of every length, and are synced while they are written', async () => {
    const disk = new SimulatedDisk();
    const store = await open(disk);
    const lengths = [9 * 1024 * 1024 + 3, 0, 65_535, 65_536, 65_541, 1, 80_001];
    const parts = lengths.map((length) => ({ name: `p${length}`, data: Buffer.alloc(length, 7) }));
    const before = disk.calls.get('sync') ?? 0;
    await store.snapshots.write({ offset: 10, label: 'a' }, parts);
    // One behind the large part, and one at the end.
    expect((disk.calls.get('sync') ?? 0) - before).toBe(2);
    expect(await found(await open(disk.crash('nothing', 1)))).toEqual({
      offset: 10,
      parts,
      reasons: [],
    });
  });

  it('are two at most, and are removed with the records below them', async () => {
    const disk = new SimulatedDisk();
    const store = await open(disk);
    for (const offset of [10, 20, 30]) {
      await store.snapshots.write({ offset, label: 'a' }, partsOf(`${offset}`));
    }
    expect(await disk.list(folder)).toHaveLength(2);
    await store.snapshots.removeBefore(30);
    expect((await disk.list(folder)).map((name) => Number.parseInt(name, 10))).toEqual([30]);
    await store.snapshots.removeBefore(31);
    expect(await found(await open(disk.crash('nothing', 1)))).toEqual({
      offset: null,
      parts: [],
      reasons: [],
    });
  });

  it('do not count as removed if the folder cannot be listed', async () => {
    const disk = new SimulatedDisk();
    const { snapshots } = await open(disk);
    await expect(snapshots.removeBefore(20)).resolves.toBeUndefined();
    await snapshots.write({ offset: 10, label: 'a' }, partsOf('x'));
    disk.failures = [{ operation: 'list', nth: 1, code: 'EMFILE', under: folder }];
    await expect(snapshots.removeBefore(20)).rejects.toThrow('EMFILE');
    await snapshots.removeBefore(20);
    expect(await disk.list(folder)).toEqual([]);
  });

  it('are skipped if they are of another folder', async () => {
    const disk = new SimulatedDisk();
    const first = await open(disk);
    await first.snapshots.write({ offset: 10, label: 'a' }, partsOf('x'));
    await first.close();
    for (const name of ['MANIFEST', 'MANIFEST.copy', 'WATERMARKS']) {
      await disk.remove(`${directory}/${name}`);
    }
    const randomBytes = (length: number) => Buffer.alloc(length, 9);
    const { store } = await openSimulated(disk, { randomBytes });
    expect(await found(store)).toEqual({
      offset: null,
      parts: [],
      reasons: ['it is of another data folder'],
    });
  });

  it('leave the earlier one or the new one, complete, whenever a crash comes', async () => {
    let steps = 0;
    const counting = new SimulatedDisk();
    const first = await open(counting);
    await first.snapshots.write({ offset: 10, label: 'a' }, partsOf('x'));
    counting.afterChange = () => {
      steps += 1;
    };
    await first.snapshots.write({ offset: 20, label: 'a' }, partsOf('y'));
    expect(steps).toBeGreaterThan(8);
    const offsets = new Set<number | null>();
    for (const policy of crashPolicies) {
      for (let step = 1; step <= steps; step += 1) {
        const disk = new SimulatedDisk();
        const store = await open(disk);
        await store.snapshots.write({ offset: 10, label: 'a' }, partsOf('x'));
        let changes = 0;
        const crashes: SimulatedDisk[] = [];
        disk.afterChange = () => {
          changes += 1;
          if (changes === step) crashes.push(disk.crash(policy, step));
        };
        await store.snapshots.write({ offset: 20, label: 'a' }, partsOf('y'));
        const [crashed] = crashes;
        if (crashed === undefined) throw new Error('there was no crash');
        const left = await found(await open(crashed));
        offsets.add(left.offset);
        expect(left.parts).toEqual(partsOf(left.offset === 20 ? 'y' : 'x'));
        expect(left.reasons).toEqual([]);
      }
    }
    expect(offsets).toEqual(new Set([10, 20]));
  });

  it('are not used if any byte of them has changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const disk = new SimulatedDisk();
        const store = await open(disk);
        await store.snapshots.write({ offset: 10, label: 'a' }, partsOf('x'));
        await store.snapshots.write({ offset: 20, label: 'a' }, partsOf('y'));
        const [, name = ''] = await disk.list(folder);
        const file = await disk.open(`${folder}/${name}`, 'write');
        const at = place % (await disk.size(file));
        const byte = Buffer.alloc(1);
        await disk.read(file, byte, at);
        await disk.write(file, Buffer.from([(byte[0] ?? 0) ^ change]), at);
        await disk.close(file);
        const left = await found(store);
        // Zeros between parts mean nothing.
        expect([10, 20]).toContain(left.offset);
        expect(left.parts).toEqual(partsOf(left.offset === 20 ? 'y' : 'x'));
        expect(left.reasons).toHaveLength(left.offset === 20 ? 0 : 1);
      }),
      { numRuns: 200 },
    );
  });

  it('leave the store as it is if they cannot be written', async () => {
    const disk = new SimulatedDisk();
    const { store, failures } = await openSimulated(disk);
    await store.snapshots.write({ offset: 10, label: 'a' }, partsOf('x'));
    for (const operation of ['write', 'sync', 'rename'] as const) {
      disk.failures.push({ operation, nth: 1, code: 'EIO', under: `${directory}/tmp` });
      await expect(store.snapshots.write({ offset: 20, label: 'a' }, partsOf('y'))).rejects.toThrow(
        'snapshot',
      );
      expect((await found(store)).offset).toBe(10);
      expect(await disk.list(`${directory}/tmp`)).toEqual([]);
    }
    expect(failures).toEqual([]);
    const log = await store.createLog('orders');
    await log.append([{ key: null, value: Buffer.from('a') }]).durable;
  });
});
