import { StorageError } from '../../storage/faults/storage-errors.js';
import type { Store } from '../../storage/store.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import {
  crashPolicies,
  type Operation,
  type PlannedFailure,
  SimulatedDisk,
} from '../simulation/simulated-disk.js';
import { nextCall } from './rounds.js';
import { openSimulated, settle } from './simulated-store.js';
import { StoreModel } from './store-model.js';

const operations: readonly Operation[] = [
  'makeDirectory',
  'list',
  'open',
  'close',
  'size',
  'read',
  'write',
  'truncate',
  'sync',
  'syncDirectory',
  'rename',
  'remove',
  'removeDirectory',
  'lock',
];

interface Outcome {
  readonly disk: SimulatedDisk;
  readonly model: StoreModel;
  /** What ended the work; null if nothing did. */
  readonly error: unknown;
  readonly fired: boolean;
}

/** Logs beside the journal and the orders; three groups at once are written ahead. */
const others = ['clicks', 'views'] as const;
const ahead = { writeAheadBytes: 1600, syncsApart: 0, freeBytesMin: 0 };

async function work(store: Store, model: StoreModel, more: readonly string[]): Promise<void> {
  await model.createLog(store, 'journal', true);
  await model.createLog(store, 'orders');
  for (const name of more) await model.createLog(store, name);
  for (let index = 0; index < 5; index += 1) {
    const value = Buffer.alloc(150, index + 1);
    const key = index === 4 ? null : Buffer.from(`key-${index % 2}`);
    const record = { key, value, terms: [`term-${index % 2}`] };
    const appends = [model.append(store, 'journal', [record])];
    appends.push(model.append(store, 'orders', [record, record]));
    for (const name of more) appends.push(model.append(store, name, [record]));
    await Promise.all(appends);
  }
  await settle();
  await model.trimTo(store, 'journal', 3);
  await model.append(store, 'orders', [{ key: Buffer.from('key-1'), value: null }]);
  await store.log('orders')?.roll();
  await model.compact(store, 'orders', Number.POSITIVE_INFINITY);
  await model.append(store, 'orders', [{ key: Buffer.from('key-0'), value: null }]);
  await model.dropLog(store, 'orders');
}

/** Opens, works, closes and opens again on a disk where one call fails. */
async function runWith(failure: PlannedFailure, isAhead = false): Promise<Outcome> {
  const disk = new SimulatedDisk(new SeededRandom(3));
  disk.failures = [failure];
  const model = new StoreModel();
  let error: unknown = null;
  const options = { segmentBytes: 900, ...(isAhead ? ahead : {}) };
  try {
    const { store, timers } = await openSimulated(disk, options);
    try {
      await work(store, model, isAhead ? others : []);
      timers.advance(1500);
      await settle();
    } finally {
      await store.close();
    }
    const again = await openSimulated(disk, options);
    await model.check(again.store);
    await again.store.close();
  } catch (caught) {
    error = caught;
  }
  await settle();
  const fired = (disk.calls.get(failure.operation) ?? 0) >= failure.nth;
  disk.failures = [];
  return { disk, model, error, fired };
}

async function recoversFrom({ disk, model: promised }: Outcome): Promise<void> {
  const model = promised.copy();
  const { store, failures } = await openSimulated(disk);
  await model.check(store);
  for (const log of store.logs()) {
    await model.append(store, log.name, [{ key: null, value: Buffer.from('after') }]);
  }
  expect(failures).toEqual([]);
  await store.close();
}

/** Fails one call after another until a run needs fewer calls than that. */
async function failEveryCall(failure: Omit<PlannedFailure, 'nth'>, isAhead = false) {
  for (let nth = 1; ; nth = nextCall(nth)) {
    const outcome = await runWith({ ...failure, nth }, isAhead);
    if (!outcome.fired) return nth - 1;
    const where = `${failure.operation} ${nth} ${failure.code}: ${outcome.error}`;
    try {
      if (outcome.error !== null && !(outcome.error instanceof StorageError)) throw outcome.error;
      await recoversFrom({ ...outcome, disk: outcome.disk.restart() });
      await recoversFrom({ ...outcome, disk: outcome.disk.crash('nothing', nth) });
    } catch (error) {
      throw new Error(`${where}: ${error instanceof Error ? error.stack : error}`);
    }
  }
}

describe('a file operation that fails', () => {
  for (const operation of operations) {
    it(`loses nothing acknowledged and ends in a typed error: ${operation}`, async () => {
      for (const how of [{ code: 'EIO' }, { code: 'EIO', lasting: true }, { code: 'EMFILE' }]) {
        expect(await failEveryCall({ operation, ...how })).toBeGreaterThan(0);
      }
    }, 600_000);
  }

  for (const operation of ['open', 'write', 'sync', 'syncDirectory', 'rename', 'remove'] as const) {
    it(`loses nothing that is written ahead: ${operation}`, async () => {
      for (const how of [{ code: 'EIO', lasting: true }, { code: 'ENOSPC' }]) {
        expect(await failEveryCall({ operation, ...how }, true)).toBeGreaterThan(0);
      }
    }, 600_000);
  }

  it('that is only a short write is continued', async () => {
    for (let nth = 1; ; nth += 1) {
      const outcome = await runWith({ operation: 'write', code: '', nth });
      if (!outcome.fired) break;
      expect(`${nth}: ${outcome.error}`).toBe(`${nth}: null`);
    }
  }, 600_000);

  it('is reported as a full disk after half a write', async () => {
    let full = 0;
    for (let nth = 1; ; nth += 1) {
      const failure = { operation: 'write', code: 'ENOSPC', partially: true } as const;
      const outcome = await runWith({ ...failure, nth, lasting: true });
      if (!outcome.fired) break;
      if (outcome.error instanceof StorageError && outcome.error.code === 'disk_full') full += 1;
      await recoversFrom({ ...outcome, disk: outcome.disk.restart() });
    }
    expect(full).toBeGreaterThan(10);
  }, 600_000);
});

describe('a full disk', () => {
  it('gets its reserve back at a start, and a new one when there is room', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { store, timers } = await openSimulated(disk, { reserveBytes: 4000 });
    timers.advance(1000);
    await settle();
    await store.close();
    disk.freeBytes = 100;
    const full = await openSimulated(disk, { reserveBytes: 4000, freeBytesMin: 50_000 });
    await settle();
    expect(full.store.freeSpace.hasRoom).toBe(false);
    await full.store.close();
    expect([...disk.files().keys()]).not.toContain('/data/RESERVE');
    disk.freeBytes = 2 ** 30;
    const roomy = await openSimulated(disk, { reserveBytes: 4000, freeBytesMin: 50_000 });
    await settle();
    // The writes of a start come first.
    expect([...disk.files().keys()]).not.toContain('/data/RESERVE');
    roomy.timers.advance(1000);
    await settle();
    expect(roomy.store.freeSpace.hasRoom).toBe(true);
    await roomy.store.close();
    expect(disk.files().get('/data/RESERVE')?.length).toBe(4000);
  });
});

describe('an fdatasync that fails', () => {
  for (const syncFailure of ['cached', 'reverted'] as const) {
    it(`loses nothing acknowledged, whatever the cache holds then: ${syncFailure}`, async () => {
      for (let nth = 1; ; nth += 1) {
        const failure = { operation: 'sync', code: 'EIO', syncFailure } as const;
        const outcome = await runWith({ ...failure, nth }, nth % 2 === 0);
        if (!outcome.fired) break;
        expect(outcome.error).toBeInstanceOf(StorageError);
        // The page cache may show bytes that never reached the disk: they are rewritten or not
        // trusted.
        const restarted = outcome.disk.restart();
        const model = outcome.model.copy();
        const { store } = await openSimulated(restarted);
        await model.check(store);
        for (const policy of crashPolicies) {
          const { store: again } = await openSimulated(restarted.crash(policy, nth));
          await model.copy().check(again);
        }
      }
    }, 600_000);
  }

  it('is never tried again', async () => {
    for (let nth = 1; ; nth += 1) {
      const failure = { operation: 'sync', code: 'EIO', syncFailure: 'cached' } as const;
      const outcome = await runWith({ ...failure, nth }, nth % 2 === 0);
      if (!outcome.fired) break;
      expect(outcome.disk.retriedSyncs).toEqual([]);
    }
  }, 600_000);

  it('ends the store if it is reported late, and a restart reads everything', async () => {
    for (let nth = 1; ; nth += 1) {
      const failure = { operation: 'sync', code: 'EIO', syncFailure: 'late' } as const;
      const outcome = await runWith({ ...failure, nth });
      if (!outcome.fired) break;
      // An error not reported yet meets the next process, which ends and is started again.
      const restarted = outcome.disk.restart();
      await openSimulated(restarted).then(settle, settle);
      await recoversFrom({ ...outcome, disk: restarted.restart() });
    }
  }, 600_000);

  it('fences the store at once: later appends are refused with the same error', async () => {
    const disk = new SimulatedDisk(new SeededRandom(3));
    const { store, failures } = await openSimulated(disk);
    const log = await store.createLog('journal');
    await log.append([{ key: null, value: Buffer.from('one') }]).durable;
    disk.failures = [{ operation: 'sync', code: 'EIO', nth: (disk.calls.get('sync') ?? 0) + 1 }];
    const first = log.append([{ key: null, value: Buffer.from('two') }]);
    const waiting = new Promise<number>((wake) => {
      log.whenBeyond(1, () => wake(log.highWatermark));
    });
    await expect(first.durable).rejects.toMatchObject({ code: 'disk_failure', exitCode: 74 });
    expect(() => log.append([{ key: null, value: Buffer.from('three') }])).toThrow(failures[0]);
    expect(await waiting).toBe(1);
    expect(failures).toHaveLength(1);
    expect(log.highWatermark).toBe(1);
    await expect(store.close()).rejects.toBe(failures[0]);
  });
});
