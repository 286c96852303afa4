import { DiskFull } from '../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';
import type { StoreOptions } from '../../storage/store.js';
import { verifyStore } from '../../storage/verify/verify-store.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { type PlannedFailure, SimulatedDisk } from '../simulation/simulated-disk.js';
import { nextCall, stride } from './rounds.js';
import {
  directory,
  type OpenedSimulation,
  openSimulated,
  readOnly,
  settle,
} from './simulated-store.js';
import { StoreModel } from './store-model.js';

const page = 4096;
const always = Number.POSITIVE_INFINITY;

/** A store of topics on a disk that may be full: a worker that is refused goes on. */
class Topics {
  refused = 0;
  readonly model = new StoreModel();

  private constructor(
    readonly disk: SimulatedDisk,
    private readonly options: Partial<StoreOptions>,
    public open: OpenedSimulation,
  ) {}

  static async start(disk: SimulatedDisk, options: Partial<StoreOptions> = {}): Promise<Topics> {
    const all = { segmentBytes: 900, freeBytesMin: 0, ...options };
    return new Topics(disk, all, await openSimulated(disk, all));
  }

  /** Does it, unless the disk is full. */
  async attempt(work: Promise<unknown>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      if (!(error instanceof DiskFull)) throw error;
      this.refused += 1;
      return false;
    }
  }

  async create(name: string): Promise<void> {
    await this.attempt(this.model.createLog(this.open.store, name));
  }

  /** Appends two records that share a commit and supersede others. */
  async append(name: string, index: number, bytes = 150): Promise<boolean> {
    if (this.open.store.log(name) === undefined) return false;
    const key = Buffer.from(`key-${index % 2}`);
    const record = { key, value: Buffer.alloc(bytes, index + 1), terms: [`term-${index % 2}`] };
    const appends = [this.model.append(this.open.store, name, [record])];
    appends.push(this.model.append(this.open.store, name, [{ ...record, key: null }, record]));
    const done = await Promise.all(appends.map((append) => this.attempt(append)));
    expect(new Set(done).size).toBe(1);
    return done[0] ?? false;
  }

  async trim(name: string, offset: number): Promise<boolean> {
    if (this.open.store.log(name) === undefined) return false;
    return this.attempt(this.model.trimTo(this.open.store, name, offset));
  }

  async compact(name: string): Promise<void> {
    if (this.open.store.log(name) === undefined) return;
    await this.attempt(this.open.store.log(name)?.roll() ?? Promise.resolve());
    await this.attempt(this.model.compact(this.open.store, name, always));
  }

  async drop(name: string): Promise<void> {
    if (this.open.store.log(name) === undefined) return;
    await this.attempt(this.model.dropLog(this.open.store, name));
  }

  /** The store checks the space again. */
  async look(): Promise<void> {
    await settle();
    this.open.timers.advance(1000);
    for (let turn = 0; turn < 10; turn += 1) await settle();
  }

  /** There is room again: everything that a store can do is done. */
  async goesOn(): Promise<void> {
    this.refused = 0;
    await this.look();
    expect(this.open.store.freeSpace.hasRoom).toBe(true);
    for (const log of this.open.store.logs()) {
      expect(await this.append(log.name, 0, 400)).toBe(true);
      expect(await this.append(log.name, 1, 400)).toBe(true);
      await this.compact(log.name);
      expect(log.segments.every(({ isSealed }) => isSealed)).toBe(true);
    }
    const name = `later-${this.open.store.logs().length}`;
    await this.create(name);
    expect(await this.append(name, 1)).toBe(true);
    expect(this.refused).toBe(0);
    await this.holds();
  }

  async holds(): Promise<void> {
    expect(this.open.failures).toEqual([]);
    await this.model.copy().check(this.open.store);
  }

  async reopen(): Promise<void> {
    await this.open.store.close();
    await this.openOn(this.disk);
  }

  /** Another process on the state that a crash has left. */
  async openOn(disk: SimulatedDisk): Promise<void> {
    this.open = await openSimulated(disk, this.options);
    await this.model.check(this.open.store);
  }
}

/** Does a bit of everything to two logs; the first is dropped at the end. */
async function work(topics: Topics, orders = 'orders', clicks = 'clicks'): Promise<void> {
  await topics.create(orders);
  await topics.create(clicks);
  for (let index = 0; index < 6; index += 1) {
    await Promise.all([topics.append(orders, index), topics.append(clicks, index, 60)]);
    topics.open.timers.advance(25);
    await settle();
  }
  await topics.trim(orders, 5);
  await topics.compact(clicks);
  await topics.append(clicks, 7);
  await topics.drop(orders);
  await topics.append(clicks, 8);
}

/** One call of `operation` after another meets a full disk, until the work needs fewer calls. */
async function fillEveryCall(
  failure: Omit<PlannedFailure, 'nth' | 'code'>,
  options: Partial<StoreOptions>,
): Promise<{ readonly calls: number; readonly refused: number }> {
  let refused = 0;
  for (let nth = 1; ; nth = nextCall(nth)) {
    const disk = new SimulatedDisk(new SeededRandom(nth));
    disk.interleaves = nth % 2 === 0;
    const topics = await Topics.start(disk, options);
    // The disk becomes full while the store works: a store that cannot be opened is another matter.
    const planned = { ...failure, nth, code: 'ENOSPC' };
    disk.failures = [planned];
    await work(topics);
    const hasFired = disk.hasFired(planned);
    disk.failures = [];
    if (!hasFired) return { calls: nth - 1, refused };
    try {
      refused += topics.refused;
      await topics.holds();
      for (const policy of ['nothing', 'sectors'] as const) {
        const crashed = topics.model.copy();
        const again = await openSimulated(disk.crash(policy, nth), options);
        await crashed.check(again.store, options.fsync !== 'strict');
      }
      await topics.goesOn();
      await topics.reopen();
      await topics.open.store.close();
      expect(disk.openPaths).toEqual([]);
      expect(await disk.list('/data/tmp')).toEqual([]);
      expect((await verifyStore(disk, directory, readOnly)).damages).toEqual([]);
    } catch (error) {
      const where = `${failure.operation} ${nth}, lasting: ${failure.lasting}`;
      throw new Error(`${where}: ${error instanceof Error ? error.stack : error}`);
    }
  }
}

describe('a call that meets a full disk', () => {
  // A file needs room for its bytes and for its name; one that replaces another needs no new name.
  const calls: readonly Pick<PlannedFailure, 'operation' | 'under'>[] = [
    { operation: 'write', under: '/data' },
    { operation: 'open', under: '/data/tmp/' },
    { operation: 'rename', under: '/data/tmp/segment' },
    { operation: 'rename', under: '/data/tmp/index' },
    { operation: 'makeDirectory', under: '/data/logs/' },
    { operation: 'truncate', under: '/data/logs/' },
  ];
  for (const call of calls) {
    for (const lasting of [false, true]) {
      const how = lasting ? 'and all after it' : 'once';
      it(`is refused and costs nothing else: ${call.operation} ${call.under}, ${how}`, async () => {
        for (const fsync of ['strict', { intervalMs: 500 }] as const) {
          const failure = { ...call, lasting, partially: call.operation === 'write' };
          const options = { fsync, leaseOffsets: 6, manifestBytesMax: 3000 };
          const { calls, refused } = await fillEveryCall(failure, options);
          expect(calls).toBeGreaterThan(0);
          expect(refused).toBeGreaterThan(0);
        }
      }, 120_000);
    }
  }
});

describe('a power cut on a full disk', () => {
  it('loses nothing acknowledged and revives nothing refused, after any change', async () => {
    for (let seed = 1; seed <= 6; seed += stride(2)) {
      const disk = new SimulatedDisk(new SeededRandom(seed));
      disk.interleaves = seed % 2 === 0;
      const options = { reserveBytes: seed % 3 === 0 ? 2 * page : 0, manifestBytesMax: 3000 };
      const topics = await Topics.start(disk, options);
      await topics.look();
      const seen: { readonly disk: SimulatedDisk; readonly model: StoreModel }[] = [];
      disk.afterChange = () => {
        seen.push({ disk: disk.copy(), model: topics.model.copy() });
      };
      for (let round = 0; round < 3; round += 1) {
        disk.capacityBytes = disk.usedBytes + page * (seed + round * 3);
        await work(topics, `orders-${round}`, `clicks-${round}`);
        // Of two batches, only the first is written completely.
        disk.capacityBytes = disk.usedBytes + page * 8;
        await topics.look();
        await topics.append(`clicks-${round}`, 9, 17_000);
        disk.capacityBytes = disk.usedBytes + page * 100;
        await topics.look();
      }
      disk.afterChange = null;
      expect(topics.refused).toBeGreaterThan(0);
      for (const [at, moment] of seen.entries()) {
        for (const policy of ['nothing', 'sectors'] as const) {
          const left = moment.disk.crash(policy, seed * 1000 + at);
          try {
            const { store } = await openSimulated(left, options);
            await moment.model.copy().check(store);
          } catch (error) {
            const where = `seed ${seed}, change ${at} of ${seen.length}, ${policy}`;
            throw new Error(`${where}: ${error instanceof Error ? error.stack : error}`);
          }
        }
      }
      await topics.holds();
      await topics.open.store.close();
    }
  }, 120_000);
});

describe('a full disk', () => {
  it('cuts refused records off durably before it answers', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const topics = await Topics.start(disk);
    await topics.create('orders');
    expect(await topics.append('orders', 0)).toBe(true);
    disk.capacityBytes = disk.usedBytes + page * 8;
    expect(await topics.append('orders', 1, 17_000)).toBe(false);
    // Wherever the power is cut in the sequence of all changes so far.
    for (let seed = 0; seed < 400; seed += stride(4)) {
      const { store } = await openSimulated(disk.crash('prefix', seed));
      await topics.model.copy().check(store);
    }
    await topics.open.store.close();
  });

  const record = (text: string) => ({ key: null, value: Buffer.from(text) });
  const texts = async (log: PartitionLog) =>
    (await log.read(log.startOffset)).flatMap((batch) =>
      batch.records().map(({ offset, value }) => `${offset} ${value}`),
    );

  it('refuses groups behind a failed one, and reuses none of their offsets', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { store, timers, failures } = await openSimulated(disk, { freeBytesMin: 0 });
    const log = await store.createLog('orders');
    const other = await store.createLog('clicks');
    await log.append([record('zero')]).durable;
    disk.failures = [
      { operation: 'write', code: 'ENOSPC', nth: 1, under: '/data', partially: true },
    ];
    const failed = log.append([record('one'), record('two')]);
    await new Promise((next) => process.nextTick(next));
    const behind = log.append([record('three')]);
    const found = Promise.allSettled([failed.durable, behind.durable]);
    for (const { status, reason } of (await found) as PromiseRejectedResult[]) {
      expect([status, reason]).toEqual(['rejected', expect.any(DiskFull)]);
    }
    expect(store.freeSpace.hasRoom).toBe(false);
    expect(() => log.append([record('x')])).toThrow(DiskFull);
    expect(() => other.append([record('x')])).toThrow(DiskFull);
    expect([log.highWatermark, log.endOffset]).toEqual([1, 4]);
    const woken = new Promise<void>((wake) => store.freeSpace.whenRoom(wake));
    const passed = new Promise<void>((wake) => log.whenBeyond(1, wake));
    timers.advance(1000);
    await woken;
    expect(store.freeSpace.hasRoom).toBe(true);
    await log.append([record('four')]).durable;
    await passed;
    expect(await texts(log)).toEqual(['0 zero', '4 four']);
    expect((await log.read(1)).map(({ baseOffset }) => baseOffset)).toEqual([4]);
    expect((await log.read(4, { backwards: true })).map(({ baseOffset }) => baseOffset)).toEqual([
      0,
    ]);
    await store.close();
    const again = await openSimulated(disk);
    expect(await texts(again.store.log('orders') as PartitionLog)).toEqual(['0 zero', '4 four']);
    expect(failures).toEqual([]);
  });

  it('ends the store if a partial write cannot be cut off again', async () => {
    for (const operation of ['truncate', 'sync'] as const) {
      const disk = new SimulatedDisk(new SeededRandom(1));
      const { store, failures } = await openSimulated(disk, { freeBytesMin: 0 });
      const log = await store.createLog('orders');
      await log.append([record('zero')]).durable;
      disk.failures = [
        { operation: 'write', code: 'ENOSPC', nth: 1, under: '/data/logs/', partially: true },
        { operation, code: 'EIO', nth: 1, under: '/data/logs/' },
      ];
      const { durable } = log.append([record('one')]);
      await expect(durable).rejects.toMatchObject({ code: 'disk_failure', exitCode: 74 });
      await expect(durable).rejects.toBe(failures[0]);
      await expect(store.close()).rejects.toBe(failures[0]);
    }
  });

  it('ends the store if an fdatasync reports it: nothing is known about the bytes', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { store, failures } = await openSimulated(disk);
    const log = await store.createLog('orders');
    await log.append([record('zero')]).durable;
    disk.failures = [{ operation: 'sync', code: 'ENOSPC', nth: 1, under: '/data/logs/' }];
    const { durable } = log.append([record('one')]);
    await expect(durable).rejects.toMatchObject({ code: 'disk_failure', exitCode: 74 });
    await expect(durable).rejects.toBe(failures[0]);
    await store.close().catch(() => undefined);
  });

  it('can be filled and freed ten times: nothing is lost, and no restart is needed', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const topics = await Topics.start(disk, { segmentBytes: 9000, reserveBytes: 40 * page });
    await topics.look();
    await topics.create('orders');
    await topics.create('clicks');
    for (let cycle = 0; cycle < 10; cycle += 1) {
      disk.capacityBytes = disk.usedBytes + page * (30 + cycle);
      topics.refused = 0;
      for (let index = 0; topics.refused < 6; index += 1) {
        await Promise.all([
          topics.append('orders', index, 700),
          topics.append('clicks', index, 300 + cycle * 200),
        ]);
        if (index % 3 === 2) await topics.look();
      }
      await topics.compact('clicks');
      await topics.holds();
      // Another program takes the little that is left, so that only the reserve remains.
      disk.capacityBytes = disk.usedBytes;
      const before = disk.usedBytes;
      expect(await topics.trim('orders', topics.open.store.log('orders')?.highWatermark ?? 0)).toBe(
        true,
      );
      expect(disk.usedBytes).toBeLessThan(before);
      if (cycle % 3 === 0) await topics.reopen();
      disk.capacityBytes = disk.usedBytes + 200 * page;
      await topics.look();
      expect(disk.files().get('/data/RESERVE')?.length).toBe(40 * page);
      await topics.goesOn();
    }
    await topics.open.store.close();
    expect(disk.openPaths).toEqual([]);
  });

  it('spends a piece of its reserve to record an edit that frees more', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const topics = await Topics.start(disk, { reserveBytes: 8192, freeBytesMin: 5 * page });
    await topics.look();
    await topics.create('orders');
    for (let index = 0; index < 60; index += 1) await topics.append('orders', index);
    disk.capacityBytes = disk.usedBytes;
    await topics.look();
    const manifest = () => disk.files().get('/data/MANIFEST')?.length ?? 0;
    // Edits take no room as long as they fit into the last page.
    const edited = manifest();
    disk.failures = [{ operation: 'write', code: 'ENOSPC', nth: 1, under: '/data/MANIFEST' }];
    expect(await topics.trim('orders', 30)).toBe(true);
    expect(manifest()).toBeGreaterThan(edited);
    expect(disk.files().get('/data/RESERVE')?.length).toBe(0);
    await topics.drop('orders');
    expect(topics.refused).toBe(0);
    disk.capacityBytes = disk.usedBytes + 20 * page;
    await topics.look();
    await topics.holds();
    expect(disk.files().get('/data/RESERVE')?.length).toBe(8192);
  });

  it('lets a store be closed, without the marker of a clean stop', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const topics = await Topics.start(disk);
    await topics.create('orders');
    for (let index = 0; index < 5; index += 1) await topics.append('orders', index);
    disk.failures = [{ operation: 'write', code: 'ENOSPC', nth: 1, lasting: true, under: '/data' }];
    await topics.open.store.close();
    expect(topics.open.failures).toEqual([]);
    disk.failures = [];
    await topics.openOn(disk);
    expect(topics.open.store.report.wasClean).toBe(false);
    await topics.goesOn();
  });

  it('lets a log that prepares its segments continue without zeros, to the very end', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const options = { segmentBytes: 64 * 1024, freeBytesMin: 0 };
    const { store, timers, failures } = await openSimulated(disk, options);
    const journal = await store.createLog('journal', { preparesNextSegment: true });
    const topic = await store.createLog('orders');
    const large = { key: null, value: Buffer.alloc(9000, 7) };
    await topic.append([large]).durable;
    // The growing segment has its room; none is left for the zeros of another one.
    disk.capacityBytes = disk.usedBytes + 8 * page;
    const durable: number[] = [];
    while (failures.length === 0) {
      const { baseOffset, durable: settled } = journal.append([large]);
      await settled.then(
        () => durable.push(baseOffset),
        () => undefined,
      );
      if (journal.segments.length === 1 && journal.byteLength > 40_000) {
        await settle();
        expect(store.freeSpace.hasRoom).toBe(false);
        expect(() => topic.append([large])).toThrow(DiskFull);
      }
    }
    expect(journal.segments).toHaveLength(2);
    expect(failures).toEqual([expect.objectContaining({ code: 'disk_failure', exitCode: 74 })]);
    expect(() => journal.append([large])).toThrow(failures[0]);
    await store.close().catch(() => undefined);
    timers.advance(1000);

    const restarted = disk.restart();
    restarted.capacityBytes = restarted.usedBytes + 20 * page;
    const again = await openSimulated(restarted, options);
    const log = again.store.log('journal') as PartitionLog;
    const found: number[] = [];
    for (let at = 0; at < log.highWatermark; ) {
      for (const batch of await log.read(at)) {
        found.push(...batch.records().map(({ offset }) => offset));
        at = batch.nextOffset;
      }
    }
    expect(found.slice(0, durable.length)).toEqual(durable);
    await log.append([large]).durable;
    expect(again.failures).toEqual([]);
  });
});
