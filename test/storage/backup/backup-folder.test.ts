import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupFolder } from '../../../storage/backup/backup-folder.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { CopyUnderWay } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { openStore, type Store, type StoreOptions } from '../../../storage/store.js';
import { verifyStore } from '../../../storage/verify/verify-store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { rounds } from '../rounds.js';
import { directory, type OpenedSimulation, openSimulated, settle } from '../simulated-store.js';

const target = '/copy';

const options: StoreOptions = {
  now: () => 0,
  randomBytes: (length) => Buffer.alloc(length),
  after: () => () => undefined,
  fsync: 'strict',
  segmentBytes: 900,
  reserveBytes: 0,
  onFailure: (error) => {
    throw error;
  },
};

/** When things happened, in an order that all logs share. */
interface Written {
  readonly log: string;
  readonly offset: number;
  readonly appended: number;
  acknowledged: number;
}

interface Removal {
  readonly log: string;
  readonly asked: number;
  readonly until: number;
}

async function offsetsOf(log: PartitionLog): Promise<Set<number>> {
  const found = new Set<number>();
  for (let at = log.startOffset; at < log.highWatermark; ) {
    for (const batch of await log.read(at)) {
      for (const { offset, value } of batch.records()) {
        expect(value?.toString().trim()).toBe(`${log.name} ${offset}`);
        found.add(offset);
      }
      at = batch.nextOffset;
    }
  }
  return found;
}

/** A store that is being written to, and the appends that it was asked for. */
class Writing {
  readonly written: Written[] = [];
  readonly trims: Removal[] = [];
  readonly drops: Removal[] = [];
  moment = 0;
  private names = 0;

  private constructor(
    readonly disk: SimulatedDisk,
    readonly random: SeededRandom,
    public open: OpenedSimulation,
    private readonly fsync: StoreOptions['fsync'],
  ) {}

  static async start(seed: number, fsync: StoreOptions['fsync'] = 'strict'): Promise<Writing> {
    const disk = new SimulatedDisk(new SeededRandom(seed));
    const open = await openSimulated(disk, { segmentBytes: 900, fsync });
    const writing = new Writing(disk, new SeededRandom(seed + 1), open, fsync);
    for (let count = 0; count < 3; count += 1) await writing.create();
    for (let count = 0; count < 25; count += 1) await writing.append(1);
    return writing;
  }

  get store(): Store {
    return this.open.store;
  }

  async create(): Promise<void> {
    this.names += 1;
    const preparesNextSegment = this.names === 1;
    await this.store.createLog(`log-${this.names}`, { preparesNextSegment });
  }

  async append(count: number): Promise<void> {
    const log = this.random.pick([...this.store.logs()]);
    const from = log.endOffset;
    const records = Array.from({ length: count }, (_, delta) => ({
      key: Buffer.from(`key-${this.random.below(4)}`),
      value: Buffer.from(`${log.name} ${from + delta}`.padEnd(this.random.below(150))),
    }));
    this.moment += 1;
    const appended = this.moment;
    const written = records.map((_, delta) => {
      return { log: log.name, offset: from + delta, appended, acknowledged: Infinity };
    });
    this.written.push(...written);
    await log.append(records).durable;
    this.moment += 1;
    for (const record of written) record.acknowledged = this.moment;
  }

  /** A random action, often with an append or two beside it; the clock often stands still. */
  async step(areOnlyAppends: boolean): Promise<void> {
    const { random, open } = this;
    const kind = areOnlyAppends ? 0 : random.below(60);
    const log = random.pick([...this.store.logs()]);
    this.moment += 1;
    if (kind < 30 || kind >= 40)
      await Promise.all([this.append(1 + random.below(3)), this.append(1)]);
    else if (kind < 33) await log.roll();
    else if (kind < 34) await log.compact({ tombstonesBefore: 0 });
    else if (kind < 35) {
      const until = random.below(log.endOffset + 1);
      this.trims.push({ log: log.name, asked: this.moment, until });
      await log.trimTo(until);
    } else if (kind < 36) await this.create();
    else if (kind < 37 && this.store.logs().length > 2) {
      this.drops.push({ log: log.name, asked: this.moment, until: 0 });
      await this.store.dropLog(log.name);
    } else if (kind === 39) await this.reopen();
    if (random.chance(0.4)) open.timers.advance(random.pick([1, 1, 25]));
    // A clock that is set back by as much as many appends have taken.
    if (random.chance(0.05)) open.timers.time -= random.pick([1, 40, 3_600_000]);
  }

  private async reopen(): Promise<void> {
    await this.store.close();
    const { time } = this.open.timers;
    this.open = await openSimulated(this.disk, { segmentBytes: 900, fsync: this.fsync });
    this.open.timers.time = time;
  }
}

const endsOf = (store: Store) =>
  new Map(store.logs().map(({ name, endOffset }) => [name, endOffset]));

/** The copy shows one moment: nothing in it relies on anything that it lacks. */
async function expectMoment(
  writing: Writing,
  begun: number,
  copy: Store,
  ends: ReadonlyMap<string, number>,
): Promise<void> {
  const { written, drops, trims } = writing;
  const gone = drops.filter(({ log }) => !ends.has(log));
  const dropped = new Set(gone.map(({ log }) => log));
  const numberOf = (name: string) => Number(name.slice('log-'.length));
  const newest = Math.max(...[...ends.keys()].map(numberOf));
  const isCopied = ({ log, offset }: Written) => offset < (ends.get(log) ?? 0);
  // The latest thing that the copy knows of.
  const known = Math.max(
    begun,
    ...written.filter(isCopied).map(({ appended }) => appended),
    // A newer one may have been created after the moment.
    ...gone.filter(({ log }) => numberOf(log) < newest).map(({ asked }) => asked),
    ...copy.logs().map(({ name, startOffset }) => {
      const trim = trims.find(({ log, until }) => log === name && until >= startOffset);
      return startOffset === 0 ? 0 : (trim?.asked ?? 0);
    }),
  );
  const missing = written.filter(
    (record) => record.acknowledged < known && !isCopied(record) && !dropped.has(record.log),
  );
  expect(missing).toEqual([]);
  for (const log of copy.logs()) {
    const found = await offsetsOf(log);
    const given = written.filter((record) => record.log === log.name && isCopied(record));
    expect(found.size).toBeLessThanOrEqual(given.length);
    expect(Math.max(-1, ...found)).toBeLessThan(log.highWatermark);
    await log.verify();
  }
}

describe('a copy of a folder', () => {
  it('that is at rest holds everything, and is a store of its own', async () => {
    for (const isClosed of [true, false]) {
      const writing = await Writing.start(1);
      await writing.store.log('log-2')?.roll();
      await writing.store.log('log-1')?.trimTo(4);
      const ends = endsOf(writing.store);
      if (isClosed) await writing.store.close();
      const { disk } = writing;
      const before = disk.files();
      const report = await backupFolder(disk, directory, target, options);
      expect(report.until).toEqual(ends);
      expect(report.logs).toBe(3);
      expect(report.linkedBytes).toBeGreaterThan(0);
      expect(report.copiedBytes).toBeGreaterThan(0);
      for (const [path, bytes] of before) expect(disk.files().get(path)).toEqual(bytes);
      const copy = await openStore(disk, target, options);
      await expectMoment(writing, writing.moment, copy, report.until);
      const log = copy.log('log-1');
      await log?.append([{ key: null, value: Buffer.from(`log-1 ${log.endOffset}`) }]).durable;
      await copy.close();
      for (const [path, bytes] of before) expect(disk.files().get(path)).toEqual(bytes);
      const again = await openStore(disk, target, options);
      expect(again.report.wasClean).toBe(true);
      await again.close();
    }
  });

  it('shows one moment, whatever is done to the source meanwhile', async () => {
    for (let seed = 1; seed <= 40 * rounds; seed += 1) {
      const fsync = seed % 5 === 0 ? { intervalMs: 50 } : 'strict';
      const writing = await Writing.start(seed, fsync);
      const { disk } = writing;
      if (seed % 4 === 0) {
        disk.failures = [{ operation: 'link', nth: 1, lasting: true, code: 'EXDEV' }];
      }
      disk.interleaves = true;
      const begun = writing.moment;
      let isOver = false;
      const working = (async () => {
        // At the end nothing prevents a copy any more.
        for (let steps = 0; !isOver; steps += 1) await writing.step(steps > 120);
      })();
      try {
        const report = await backupFolder(disk, directory, target, options).finally(() => {
          isOver = true;
        });
        await working;
        expect(report.linkedBytes > 0).toBe(seed % 4 !== 0);
        disk.interleaves = false;
        expect(await disk.list('/')).toEqual(['copy', 'data']);
        const copied = disk.copy();
        const copy = await openStore(copied, target, options);
        if (fsync === 'strict') expect(endsOf(copy)).toEqual(report.until);
        await expectMoment(writing, begun, copy, report.until);
        await copy.close();
        expect(writing.open.failures).toEqual([]);
      } catch (error) {
        throw new Error(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
      }
    }
  }, 600_000);

  it('waits for no lock, and for no clock if nothing is written', async () => {
    const writing = await Writing.start(3);
    const { disk } = writing;
    await backupFolder(disk, directory, target, options);
    await writing.append(2);
    await backupFolder(disk, directory, '/second/', options);
    await expect(backupFolder(disk, directory, '/second', options)).rejects.toMatchObject({
      code: 'not_empty',
    });
    await expect(backupFolder(disk, '/second', '/third', options)).resolves.toMatchObject({
      logs: 3,
    });
  });

  it('is made on the disk of this machine', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'stepwell-'));
    const path = join(parent, 'data');
    const store = await openStore(nodeDisk, path, options);
    const log = await store.createLog('events', { preparesNextSegment: true });
    for (let count = 0; count < 30; count += 1) {
      await log.append([{ key: null, value: Buffer.from(`events ${count}`.padEnd(90)) }]).durable;
    }
    const report = await backupFolder(nodeDisk, path, join(parent, 'copy'), options);
    expect(report.until).toEqual(new Map([['events', 30]]));
    expect(report.linkedBytes).toBeGreaterThan(1000);
    await store.close();
    await rm(path, { recursive: true });
    const copy = await openStore(nodeDisk, join(parent, 'copy'), options);
    expect([...(await offsetsOf(copy.logs()[0] as PartitionLog))]).toHaveLength(30);
    await copy.close();
    expect(await readdir(parent)).toEqual(['copy']);
    await rm(parent, { recursive: true });
  });

  it('goes into an empty folder, and replaces a copy that was not finished', async () => {
    const { disk } = await Writing.start(4);
    await disk.makeDirectory(target);
    await disk.makeDirectory(`${target}.partial`);
    await disk.makeDirectory(`${target}.partial/logs`);
    await disk.makeDirectory(`${target}.partial/logs/0000000009`);
    await backupFolder(disk, directory, target, options);
    expect(await disk.list('/')).toEqual(['copy', 'data']);
    expect(await disk.list(target)).not.toContain('copy.partial');
    const { damages } = await verifyStore(disk, target, { ...options, readOnly: true });
    expect(damages).toEqual([]);
  });

  it('is refused while another one with its name is made, and leaves that as it is', async () => {
    const { disk } = await Writing.start(4);
    let second: Promise<unknown> | null = null;
    disk.afterChange = () => {
      const isUnderWay = [...disk.files().keys()].some((path) => path.includes('.partial/logs'));
      if (!isUnderWay) return;
      second ??= backupFolder(disk, directory, target, options).catch((error: unknown) => error);
    };
    await backupFolder(disk, directory, target, options);
    expect(await second).toBeInstanceOf(CopyUnderWay);
    expect(await disk.list('/')).toEqual(['copy', 'data']);
    expect(await disk.list(target)).not.toContain('COPYING');
    const { damages } = await verifyStore(disk, target, { ...options, readOnly: true });
    expect(damages).toEqual([]);
  });

  it('is complete whenever another one with its name begins', async () => {
    let changes = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= changes; at += 1) {
      const { disk } = await Writing.start(4);
      let second: Promise<unknown> | null = null;
      let seen = 0;
      disk.afterChange = () => {
        seen += 1;
        if (seen !== at) return;
        second = backupFolder(disk, directory, target, options).catch((error: unknown) => error);
      };
      const first = await backupFolder(disk, directory, target, options).catch(
        (error: unknown) => error,
      );
      if (second === null) changes = seen;
      const refusals = [first, await second].filter((outcome) => outcome instanceof Error);
      for (const refusal of refusals) {
        expect([CopyUnderWay.name, 'FolderNotEmpty']).toContain(refusal.constructor.name);
      }
      expect(await disk.list('/')).toEqual(['copy', 'data']);
      expect(await disk.list(target)).not.toContain('COPYING');
      const { damages } = await verifyStore(disk, target, { ...options, readOnly: true });
      expect(damages).toEqual([]);
    }
  });

  it('goes into the root of a volume, and stays on its disk', async () => {
    const { disk } = await Writing.start(4);
    await disk.makeDirectory(target);
    await disk.makeDirectory(`${target}/lost+found`);
    await disk.makeDirectory(`${target}/copy.partial`);
    await disk.makeDirectory(`${target}/copy.partial/logs`);
    const made: string[] = [];
    disk.afterChange = () => made.push(...[...disk.files()].map(([path]) => path));
    await backupFolder(disk, directory, target, options);
    expect(made.filter((path) => !/^\/(data|copy)\//.test(path))).toEqual([]);
    expect(await disk.list(target)).toContain('lost+found');
    const { damages } = await verifyStore(disk, target, { ...options, readOnly: true });
    expect(damages).toEqual([]);
  });
});

describe('a copy that is not finished', () => {
  it('leaves the source as it is, and no folder of its name, wherever a crash comes', async () => {
    const { disk } = await Writing.start(5);
    await settle();
    await disk.syncDirectory('/');
    const source = [...disk.files()];
    const ends: (readonly [SimulatedDisk, boolean])[] = [];
    disk.afterChange = () => ends.push([disk.copy(), false]);
    const { until } = await backupFolder(disk, directory, target, options);
    disk.afterChange = null;
    ends.push([disk.copy(), true]);
    expect(ends.length).toBeGreaterThan(20);
    for (const [at, [image, isDone]] of ends.entries()) {
      for (const policy of crashPolicies) {
        const crashed = image.crash(policy, at);
        const files = crashed.files();
        for (const [path, bytes] of source) {
          if (path.startsWith('/data/logs/')) expect(files.get(path)).toEqual(bytes);
        }
        const exists = (await crashed.list('/')).includes('copy');
        if (isDone) expect(exists).toBe(true);
        if (!exists) continue;
        const copy = await openStore(crashed, target, options);
        expect(endsOf(copy)).toEqual(until);
        for (const log of copy.logs()) await log.verify();
      }
    }
  }, 600_000);

  it('is not taken for a complete one in an existing folder, wherever a crash comes', async () => {
    const { disk } = await Writing.start(8);
    await disk.makeDirectory(target);
    await settle();
    await disk.syncDirectory('/');
    const images: SimulatedDisk[] = [];
    disk.afterChange = () => images.push(disk.copy());
    const note = Buffer.from('of a copy');
    const beside = { names: ['note'], make: () => new Map([['note', note]]) };
    const { until } = await backupFolder(disk, directory, target, options, { beside });
    disk.afterChange = null;
    const names = ['MANIFEST', 'MANIFEST.copy', 'WATERMARKS', 'logs', 'note', 'tmp'];
    expect(await disk.list(target)).toEqual(names);
    let whole = 0;
    for (const [at, image] of [...images, disk].entries()) {
      for (const policy of crashPolicies) {
        const crashed = image.crash(policy, at);
        const there = await crashed.list(target);
        const isServed = there.some((name) => name.startsWith('MANIFEST'));
        if (!isServed) {
          expect(there.length === 0 || there.includes('copy.partial')).toBe(true);
          continue;
        }
        whole += 1;
        expect(there).toContain('note');
        const copy = await openStore(crashed, target, options);
        expect(endsOf(copy)).toEqual(until);
        for (const log of copy.logs()) await log.verify();
      }
    }
    expect(whole).toBeGreaterThan(crashPolicies.length);
  }, 600_000);

  it('is reported, and leaves nothing, if an operation fails', async () => {
    const operations = ['write', 'sync', 'link', 'rename', 'syncDirectory', 'read'] as const;
    for (const operation of operations) {
      for (let nth = 1; nth < 40; nth += 6) {
        const { disk } = await Writing.start(6);
        const source = disk.files();
        const done = disk.calls.get(operation) ?? 0;
        disk.failures = [{ operation, nth: done + nth, code: nth % 2 === 1 ? 'ENOSPC' : 'EIO' }];
        const error = await backupFolder(disk, directory, target, options).then(
          () => null,
          (caught: unknown) => caught,
        );
        disk.failures = [];
        for (const [path, bytes] of source) expect(disk.files().get(path)).toEqual(bytes);
        const names = await disk.list('/');
        expect(names).toEqual(error === null ? ['copy', 'data'] : ['data']);
      }
    }
  });

  it('leaves an existing folder as it was if an operation fails', async () => {
    for (let nth = 1; nth < 8; nth += 1) {
      const { disk } = await Writing.start(6);
      await disk.makeDirectory(target);
      const done = disk.calls.get('rename') ?? 0;
      disk.failures = [{ operation: 'rename', nth: done + nth, code: 'EIO' }];
      const copying = backupFolder(disk, directory, target, options);
      const error = await copying.then(
        () => null,
        (caught: unknown) => caught,
      );
      disk.failures = [];
      expect((await disk.list(target)).length > 0).toBe(error === null);
      if (error !== null) await backupFolder(disk, directory, target, options);
    }
  });

  it('is refused if the source is damaged, or is not a store', async () => {
    for (const number of [0, 1]) {
      const writing = await Writing.start(7);
      await writing.store.log('log-2')?.roll();
      const { disk } = writing;
      const log = writing.store.log('log-2');
      expect(log?.segments.length).toBeGreaterThan(1);
      disk.damage(`/data/logs/0000000001/000000000${number}.log`, (bytes) => {
        bytes[130] = (bytes[130] ?? 0) ^ 1;
        return bytes;
      });
      await expect(backupFolder(disk, directory, target, options)).rejects.toMatchObject({
        code: 'damaged',
      });
      expect(await disk.list('/')).toEqual(['data']);
    }
    const growing = await Writing.start(7);
    growing.open.timers.advance(25);
    await settle();
    const grown = [...growing.disk.files()].findLast(
      ([path, bytes]) => /^\/data\/logs\/0000000001\/.*log$/.test(path) && bytes.length > 300,
    );
    growing.disk.damage(grown?.[0] ?? '', (bytes) => {
      bytes[130] = (bytes[130] ?? 0) ^ 1;
      return bytes;
    });
    await expect(backupFolder(growing.disk, directory, target, options)).rejects.toMatchObject({
      code: 'damaged',
    });
    await growing.disk.remove(grown?.[0] ?? '');
    await expect(backupFolder(growing.disk, directory, target, options)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('the file is missing'),
    });
    const disk = new SimulatedDisk();
    await disk.makeDirectory('/none');
    await expect(backupFolder(disk, '/none', target, options)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('/none/MANIFEST bytes 0 to 0: the file is missing'),
    });
  });
});
