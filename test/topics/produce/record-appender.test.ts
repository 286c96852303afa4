import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { systemClock } from '../../../src/engine/clock.js';
import { Refusal } from '../../../src/grammar/result.js';
import type { ProduceRecord } from '../../../src/topics/produce/produce.request.js';
import {
  diskFull,
  idempotencyWindowMs,
  type ProduceResult,
  RecordAppender,
} from '../../../src/topics/produce/record-appender.js';
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated, settle } from '../../storage/simulated-store.js';
import { topicLogs as logsOf, openTopicStore, storeFolder } from '../../support/topic-store.js';

let directory: string;
let now = 1_767_000_000_000;

beforeEach(async () => {
  directory = await storeFolder();
});

const clock = { ...systemClock, now: () => now, monotonic: () => now };

const open = (): Promise<Store> => openTopicStore(directory, () => now);

async function valuesIn(log: PartitionLog): Promise<string[]> {
  const batches = await log.read(0, { maxBytes: Number.POSITIVE_INFINITY });
  return batches.flatMap((batch) => batch.records().map(({ value }) => String(value)));
}

const record = (value: string, partition: number | null = null): ProduceRecord => ({
  topic: 't',
  partition,
  key: null,
  value: Buffer.from(value),
  headers: [],
  timestamp: null,
});

async function plan(appender: RecordAppender, logs: PartitionLog[], records: ProduceRecord[]) {
  const planned = await appender.planOnce('t', logs, records, 'key');
  if (planned instanceof Refusal) throw new Error(planned.message);
  return planned;
}

function storedOf(outcomes: readonly object[]): ProduceResult[] {
  expect(outcomes.filter((outcome) => outcome instanceof Refusal)).toEqual([]);
  return outcomes as ProduceResult[];
}

describe('records of which some find the disk full', () => {
  it('are answered with those that are not stored, which a repeated request stores', async () => {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { store, timers, failures } = await openSimulated(disk);
    timers.time = now;
    const logs = await logsOf(store, 2);
    const appender = new RecordAppender(clock);
    const records = [record('a', 0), record('b', 1), record('c', 0)];
    // Both logs have their files by now; only the write of the second one fails.
    await appender.append(appender.plan('t', logs, [record('x', 0), record('y', 1)]));
    const under = '/data/logs/0000000001/';
    disk.failures = [{ operation: 'write', code: 'ENOSPC', nth: 1, under, partially: true }];
    const results = await appender.append(await plan(appender, logs, records));
    expect(results).toEqual([
      expect.objectContaining({ partition: 0, offset: 1 }),
      diskFull,
      expect.objectContaining({ partition: 0, offset: 2 }),
    ]);
    const again = await plan(appender, logs, records);
    await expect(appender.append(again)).rejects.toBeInstanceOf(DiskFull);
    timers.advance(1000);
    await settle();
    const completed = storedOf(await appender.append(again));
    expect(completed.map(({ partition, offset }) => [partition, offset])).toEqual([
      [0, 1],
      [1, 2],
      [0, 2],
    ]);
    expect(await Promise.all(logs.map(valuesIn))).toEqual([
      ['x', 'a', 'c'],
      ['y', 'b'],
    ]);
    expect(failures).toEqual([]);
    await store.close();
  });
});

describe('records with an idempotency key', () => {
  it('that a crash stored partly are completed, with the time of the first request', async () => {
    const records = [record('a', 0), record('b', 1), record('c', 0), record('d', 2)];
    let store = await open();
    let logs = await logsOf(store, 3);
    const whole = await plan(new RecordAppender(clock), logs, records);
    // The process ends when only the first of three parts is on disk.
    await new RecordAppender(clock).append({ ...whole, parts: whole.parts.slice(0, 1) });
    await store.close();
    const firstAt = now;
    now += 60_000;
    store = await open();
    logs = await logsOf(store, 3);
    const results = storedOf(
      await new RecordAppender(clock).append(await plan(new RecordAppender(clock), logs, records)),
    );
    expect(results.map(({ partition, offset }) => [partition, offset])).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [2, 0],
    ]);
    expect(new Set(results.map(({ timestamp }) => timestamp))).toEqual(new Set([firstAt]));
    expect(await Promise.all(logs.map(valuesIn))).toEqual([['a', 'c'], ['b'], ['d']]);
    await store.close();
  });

  it('are assigned as the first time, even if the topic has grown meanwhile', async () => {
    const store = await open();
    const records = ['a', 'b', 'c', 'd'].map((value) => ({
      ...record(value),
      key: Buffer.from(value),
    }));
    const appender = new RecordAppender(clock);
    const before = await logsOf(store, 2);
    const first = await appender.append(await plan(appender, before, records));
    const after = await logsOf(store, 7);
    expect(await appender.append(await plan(appender, after, records))).toEqual(first);
    await store.close();
  });

  it('count as other records after a day', async () => {
    const store = await open();
    const logs = await logsOf(store, 1);
    const appender = new RecordAppender(clock);
    await appender.append(await plan(appender, logs, [record('old')]));
    now += idempotencyWindowMs;
    expect(await appender.planOnce('t', logs, [record('new')], 'key')).toMatchObject({
      code: 'conflict',
    });
    now += 1;
    await appender.append(await plan(appender, logs, [record('new')]));
    expect(await valuesIn(logs[0] as PartitionLog)).toEqual(['old', 'new']);
    await store.close();
  });

  it('are found by the time of their append, whatever their timestamps', async () => {
    const store = await open();
    const logs = await logsOf(store, 1);
    const appender = new RecordAppender(clock);
    const old = [{ ...record('a'), timestamp: 5 }, record('b')];
    const first = storedOf(await appender.append(await plan(appender, logs, old)));
    expect(first.map(({ timestamp }) => timestamp)).toEqual([5, now]);
    now += 1000;
    expect(await appender.append(await plan(appender, logs, old))).toEqual(first);
    await store.close();
  });

  it('are stored once, however often and wherever the server crashes', async () => {
    const values = fc.array(fc.nat(2), { minLength: 1, maxLength: 6 });
    const crashes = fc.array(fc.nat(3), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(values, crashes, fc.array(fc.string()), async (partitions, tries, noise) => {
        const records = partitions.map((partition, index) => record(`v${index}`, partition));
        for (const kept of [...tries, 3]) {
          const store = await open();
          const logs = await logsOf(store, 3);
          const whole = await plan(new RecordAppender(clock), logs, records);
          await new RecordAppender(clock).append({ ...whole, parts: whole.parts.slice(0, kept) });
          const others = noise.map((text) => record(`noise ${text}`, 0));
          const appender = new RecordAppender(clock);
          if (others.length > 0) await appender.append(appender.plan('t', logs, others));
          await store.close();
          now += 1000;
        }
        const store = await open();
        const found = await Promise.all((await logsOf(store, 3)).map(valuesIn));
        await store.close();
        await rm(directory, { recursive: true });
        const own = found.map((all) => all.filter((value) => !value.startsWith('noise')));
        const wanted = [0, 1, 2].map((partition) =>
          [...partitions.keys()]
            .filter((index) => partitions[index] === partition)
            .map((index) => `v${index}`),
        );
        expect(own).toEqual(wanted);
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});
