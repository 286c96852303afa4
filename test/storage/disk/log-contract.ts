/** What every log does, on whatever disk: run by one test file per implementation of the port. */
import { join } from 'node:path';
import type { Disk } from '../../../storage/disk/disk.js';
import { OffsetOutOfRange, TooLarge } from '../../../storage/faults/storage-errors.js';
import type { LogRecord, RecordInput } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { openStore, type Store, type StoreOptions } from '../../../storage/store.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { ManualTimers } from '../simulated-store.js';

export interface DiskUnderTest {
  readonly disk: Disk;
  readonly directory: string;
}

const text = (value: string) => Buffer.from(value);
const numbered = (index: number): RecordInput => ({
  key: text(`key-${index % 3}`),
  value: Buffer.alloc(90, index),
  terms: [`third-${index % 3}`, 'all'],
  timestamp: 1000 + index * 10,
});

async function all(log: PartitionLog, from = log.startOffset): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (let at = from; at < log.highWatermark; ) {
    for (const batch of await log.read(at, { maxBytes: 400 })) {
      records.push(...batch.records());
      at = batch.nextOffset;
    }
  }
  return records;
}

async function found(log: PartitionLog, term: string, order: 'oldest' | 'newest') {
  const offsets: number[] = [];
  for await (const offset of log.find(term, { order })) offsets.push(offset);
  return offsets;
}

/** The suite; `make` returns an empty place on a disk. */
export function itIsALog(make: () => Promise<DiskUnderTest>): void {
  let place: DiskUnderTest;
  let timers: ManualTimers;

  const open = (options: Partial<StoreOptions> = {}): Promise<Store> => {
    const random = new SeededRandom(11);
    return openStore(place.disk, place.directory, {
      now: () => timers.time,
      randomBytes: (length) => random.bytes(length),
      after: timers.after,
      fsync: 'strict',
      segmentBytes: 1200,
      reserveBytes: 0,
      freeBytesMin: 0,
      onFailure: (error) => {
        throw error;
      },
      ...options,
    });
  };

  const filled = async (store: Store, count: number): Promise<PartitionLog> => {
    const log = await store.createLog('orders');
    for (let index = 0; index < count; index += 1) await log.append([numbered(index)]).durable;
    return log;
  };

  beforeEach(async () => {
    place = await make();
    timers = new ManualTimers();
  });

  it('assigns offsets at once and shows records once they are durable', async () => {
    const store = await open();
    const log = await store.createLog('orders');
    const first = log.append([numbered(0), numbered(1)]);
    const second = log.append([numbered(2)]);
    expect([first.baseOffset, first.nextOffset, second.baseOffset]).toEqual([0, 2, 2]);
    expect([log.highWatermark, log.endOffset]).toEqual([0, 3]);
    expect(second.durable).toBe(first.durable);
    await first.durable;
    expect(log.highWatermark).toBe(3);
    await store.close();
  });

  it('returns every byte, null, header, term and timestamp as it was given', async () => {
    const store = await open();
    const log = await store.createLog('orders');
    const records: RecordInput[] = [
      { key: null, value: null },
      { key: Buffer.alloc(0), value: Buffer.alloc(0), timestamp: 0 },
      {
        key: text('k'),
        value: Buffer.from([0, 255, 1]),
        timestamp: -62_135_596_800_000,
        headers: [
          { name: 'a', value: null },
          { name: 'a', value: text('') },
          { name: 'ü', value: Buffer.from([7]) },
        ],
        terms: ['x', '', 'ключ'],
      },
      { key: null, value: text('future'), timestamp: 8_640_000_000_000_000 },
    ];
    const { timestamp, durable } = log.append(records);
    await durable;
    const read = await all(log);
    expect(read.map((record) => record.timestamp)).toEqual([
      timestamp,
      0,
      -62_135_596_800_000,
      8_640_000_000_000_000,
    ]);
    for (const [index, record] of records.entries()) {
      expect(read[index]).toMatchObject({
        offset: index,
        key: record.key,
        value: record.value,
        headers: record.headers ?? [],
        terms: record.terms ?? [],
      });
    }
    await store.close();
  });

  it('reads from any offset, up to any offset, in both directions', async () => {
    const store = await open();
    const log = await filled(store, 40);
    const offsets = async (from: number, options: object) =>
      (await log.read(from, options)).flatMap((batch) => batch.records()).map((r) => r.offset);
    for (let from = 0; from <= 40; from += 1) {
      const until = Math.min(40, from + 7);
      const forwards = Array.from({ length: until - from }, (_, delta) => from + delta);
      expect(await offsets(from, { until })).toEqual(forwards);
      expect(await offsets(from, { maxRecords: 7 })).toEqual(forwards);
      const low = Math.max(0, from - 7);
      const backwards = Array.from({ length: from - low }, (_, delta) => from - 1 - delta);
      expect(await offsets(from, { backwards: true, until: low })).toEqual(backwards);
      expect(await offsets(from, { backwards: true, maxRecords: 7 })).toEqual(backwards);
    }
    expect(await log.read(0, { maxBytes: 1 })).toHaveLength(1);
    await store.close();
  });

  it('ends a read that is to read once with the result of its first read', async () => {
    const store = await open();
    const log = await store.createLog('orders');
    const value = Buffer.alloc(1000, 7);
    for (let count = 0; count < 100; count += 1) await log.append([{ key: null, value }]).durable;
    const seen: number[] = [];
    for (let from = 0; from < log.highWatermark; ) {
      const batches = await log.read(from, { maxBytes: 40_000, once: true });
      seen.push(...batches.flatMap((batch) => batch.records().map(({ offset }) => offset)));
      from = batches.at(-1)?.nextOffset ?? Number.NaN;
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, offset) => offset));
    const [once, more] = await Promise.all([
      log.read(10, { maxBytes: 40_000, once: true }),
      log.read(10, { maxBytes: 40_000 }),
    ]);
    expect(once.length).toBeLessThan(more.length);
    await store.close();
  });

  it('refuses an offset outside the log, and names the valid range', async () => {
    const store = await open();
    const log = await filled(store, 3);
    await expect(log.read(4)).rejects.toBeInstanceOf(OffsetOutOfRange);
    await expect(log.read(4)).rejects.toMatchObject({ startOffset: 0, endOffset: 3 });
    expect(await log.read(3)).toEqual([]);
    await store.close();
  });

  it('finds the first offset at or after a time, whatever the order of the times', async () => {
    const store = await open();
    const log = await store.createLog('orders');
    const times = [50, 10, 90, 20, 90, 5, 200, 100];
    for (const timestamp of times) {
      await log.append([{ key: null, value: Buffer.alloc(200), timestamp }]).durable;
    }
    for (const time of [0, 5, 11, 50, 51, 90, 91, 150, 200, 91, 51, 11, 0]) {
      expect(await log.offsetFor(time)).toBe(times.findIndex((other) => other >= time));
    }
    expect(await log.offsetFor(201)).toBe(8);
    await store.close();
  });

  it('finds records by index term in either order, before and after a restart', async () => {
    let store = await open();
    await filled(store, 30);
    const expected = Array.from({ length: 10 }, (_, index) => index * 3 + 1);
    for (let round = 0; round < 2; round += 1) {
      const log = store.log('orders') ?? (await store.createLog('orders'));
      expect(await found(log, 'third-1', 'oldest')).toEqual(expected);
      expect(await found(log, 'third-1', 'newest')).toEqual([...expected].reverse());
      expect(await found(log, 'third-', 'oldest')).toEqual([]);
      await store.close();
      store = await open();
    }
    await store.close();
  });

  it('gives one record of a batch by its offset, and none of another', async () => {
    const store = await open();
    const log = await store.createLog('orders');
    await log.append([numbered(0), numbered(1), numbered(2)]).durable;
    const [batch] = await log.read(1, { maxRecords: 1 });
    expect(batch?.record(1)?.value).toEqual(numbered(1).value);
    expect([batch?.record(0), batch?.record(2)]).toEqual([null, null]);
    await store.close();
  });

  it('finds where one of each of several terms may be, before and after a restart', async () => {
    let store = await open();
    await filled(store, 30);
    for (let round = 0; round < 2; round += 1) {
      const log = store.log('orders') ?? (await store.createLog('orders'));
      const places = async (terms: string[][], order: 'oldest' | 'newest' = 'oldest') => {
        const offsets: number[] = [];
        const range = { from: 5, until: 15, order };
        for await (const offset of log.candidates(terms, range)) offsets.push(offset);
        return offsets;
      };
      expect(await places([['third-1', 'third-2', 'third-1']])).toEqual([5, 7, 8, 10, 11, 13, 14]);
      expect(await places([['all'], ['none', 'third-1']], 'newest')).toEqual([13, 10, 7]);
      expect(await places([['third-1'], ['third-2']])).toEqual([]);
      expect(await places([[]])).toEqual([]);
      await store.close();
      store = await open();
    }
    await store.close();
  });

  it('wakes a waiter once, when a record is durable or the log stops', async () => {
    const store = await open();
    const log = await filled(store, 1);
    const woken: string[] = [];
    const wait = (offset: number, name: string) =>
      log.whenBeyond(offset, () => woken.push(`${name} at ${log.highWatermark}`));
    wait(0, 'one who need not wait');
    expect(woken).toEqual([]);
    await Promise.resolve();
    expect(woken.splice(0)).toEqual(['one who need not wait at 1']);
    wait(1, 'the next record');
    wait(2, 'the one after it');
    wait(9, 'the end');
    await log.append([numbered(1)]).durable;
    expect(woken.splice(0)).toEqual(['the next record at 2']);
    await log.append([numbered(2), numbered(3)]).durable;
    expect(woken.splice(0)).toEqual(['the one after it at 4']);
    await store.close();
    wait(9, 'one who came late');
    await Promise.resolve();
    expect(woken).toEqual(['the end at 4', 'one who came late at 4']);
  });

  it('wakes no waiter that has cancelled, not even one whose turn has come', async () => {
    const store = await open();
    const log = await filled(store, 1);
    const woken: string[] = [];
    log.whenBeyond(0, () => woken.push('cancelled in time'))();
    const cancelLater = log.whenBeyond(1, () => woken.push('cancelled before the append'));
    cancelLater();
    cancelLater();
    await log.append([numbered(1)]).durable;
    await store.close();
    expect(woken).toEqual([]);
  });

  it('describes its segments, the same after a restart, and how late each one is', async () => {
    let store = await open();
    await filled(store, 10);
    timers.advance(1000);
    await store.log('orders')?.append([{ ...numbered(10), timestamp: 253_402_300_799_000 }])
      .durable;
    await store.log('orders')?.roll();
    await store.log('orders')?.append([numbered(11)]).durable;
    const spans = store.log('orders')?.segments ?? [];
    expect(spans.map(({ isSealed }) => isSealed).lastIndexOf(true)).toBe(spans.length - 2);
    expect(spans.map(({ baseOffset }) => baseOffset)).toEqual([
      0,
      ...spans.slice(0, -1).map(({ nextOffset }) => nextOffset),
    ]);
    // The records claim 1970, and the future: only the append time counts.
    const appended = timers.time - 1000;
    expect(spans[0]?.latestTime).toBe(appended);
    expect(spans.at(-2)?.latestTime).toBe(timers.time);
    expect(spans.at(-1)).toMatchObject({ latestTime: timers.time, isSealed: false });
    const sum = spans.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
    expect(store.log('orders')?.byteLength).toBe(sum);
    await store.close();
    store = await open();
    expect(store.log('orders')?.segments).toEqual(spans);
    await store.close();
  });

  it('never gives a record an earlier append time, not even after a restart', async () => {
    let store = await open();
    await filled(store, 1);
    await store.close();
    timers.time -= 60_000;
    store = await open();
    const log = store.log('orders');
    expect(log?.append([numbered(1)]).timestamp).toBe(timers.time + 60_000);
    await store.close();
  });

  it('seals the growing segment on request, and can then be trimmed to its end', async () => {
    let store = await open();
    const log = await filled(store, 3);
    await log.roll();
    await log.roll();
    expect(log.segments).toMatchObject([{ baseOffset: 0, nextOffset: 3, isSealed: true }]);
    const { durable } = log.append([numbered(3)]);
    await log.roll();
    await durable;
    expect(log.segments).toMatchObject([{ nextOffset: 3 }, { nextOffset: 4, isSealed: true }]);
    expect(await log.trimTo(4)).toBe(4);
    expect(log.segments).toEqual([]);
    await store.close();
    store = await open();
    expect([store.log('orders')?.startOffset, store.log('orders')?.endOffset]).toEqual([4, 4]);
    expect(store.log('orders')?.append([numbered(4)]).baseOffset).toBe(4);
    await store.close();
    await expect(log.roll()).rejects.toMatchObject({ code: 'closed' });
  });

  it('rolls between two groups while others append', async () => {
    const store = await open();
    const log = await store.createLog('orders');
    const waiting: Promise<void>[] = [];
    for (let index = 0; index < 30; index += 1) {
      waiting.push(log.append([numbered(index)]).durable);
      if (index % 3 === 0) waiting.push(log.roll());
      if (index % 5 === 0) await new Promise((next) => setImmediate(next));
    }
    await Promise.all(waiting);
    expect((await all(log)).map(({ offset }) => offset)).toEqual(
      Array.from({ length: 30 }, (_, i) => i),
    );
    expect(log.segments.length).toBeGreaterThan(1);
    await log.verify();
    await store.close();
  });

  it('hides offsets before one in the middle of a segment, until it closes', async () => {
    const store = await open();
    const log = await filled(store, 40);
    log.hideBelow(25);
    log.hideBelow(7);
    expect(log.startOffset).toBe(25);
    expect((await all(log)).map(({ offset }) => offset)[0]).toBe(25);
    await expect(log.read(24)).rejects.toMatchObject({ startOffset: 25 });
    expect(await log.offsetFor(0)).toBe(25);
    expect(await found(log, 'all', 'newest')).toHaveLength(15);
    expect(await log.trimTo(25)).toBe(25);
    log.hideBelow(1000);
    expect(log.startOffset).toBe(40);
    expect(log.append([numbered(40)]).baseOffset).toBe(40);
    await store.close();
    const again = await open();
    expect(again.log('orders')?.startOffset).toBeLessThanOrEqual(25);
    await again.close();
  });

  it('removes whole sealed segments and keeps the rest', async () => {
    const store = await open();
    const log = await filled(store, 40);
    const start = await log.trimTo(25);
    expect(start).toBeGreaterThan(0);
    expect(start).toBeLessThanOrEqual(25);
    expect((await all(log)).map(({ offset }) => offset)[0]).toBe(start);
    await expect(log.read(start - 1)).rejects.toMatchObject({ startOffset: start });
    expect(await found(log, 'all', 'oldest')).toHaveLength(40 - start);
    await store.close();
    const again = await open();
    expect(again.log('orders')?.startOffset).toBe(start);
    expect(again.log('orders')?.endOffset).toBe(40);
    await again.close();
  });

  it('drops a log for good and can reuse its name for a new one', async () => {
    const store = await open();
    await filled(store, 20);
    expect(await store.dropLog('orders')).toBe(true);
    expect(await store.dropLog('orders')).toBe(false);
    const log = await store.createLog('orders');
    expect(log.endOffset).toBe(0);
    await log.append([numbered(0)]).durable;
    await store.close();
    const again = await open();
    expect(again.logs().map(({ name, endOffset }) => [name, endOffset])).toEqual([['orders', 1]]);
    await again.close();
  });

  it('continues after a clean stop without reading the log again', async () => {
    let store = await open();
    await filled(store, 25);
    await store.close();
    for (let round = 0; round < 3; round += 1) {
      store = await open();
      expect(store.report.wasClean).toBe(true);
      expect(store.report.logs[0]).toMatchObject({ scannedBytes: 0, nextOffset: 25 + round });
      const log = store.log('orders');
      await log?.append([numbered(25 + round)]).durable;
      expect(log === undefined ? [] : await all(log)).toHaveLength(26 + round);
      await store.close();
    }
  });

  it('refuses an append that no batch can hold, and keeps nothing of it', async () => {
    const store = await open({ segmentBytes: 1 << 20 });
    const log = await store.createLog('orders');
    const tooMuch = Buffer.alloc(17 * 1024 * 1024);
    const records = [
      { key: null, value: tooMuch },
      { key: null, value: tooMuch },
    ];
    expect(() => log.append(records)).toThrow(TooLarge);
    expect(() => log.append([])).toThrow(RangeError);
    expect(log.endOffset).toBe(0);
    const large = { key: null, value: Buffer.alloc(3 * 1024 * 1024, 9) };
    await log.append([large]).durable;
    expect((await log.read(0, { maxBytes: 10 }))[0]?.records()[0]?.value?.length).toBe(3 << 20);
    await store.close();
  });

  it('can be read beside a running writer, without a lock, up to what is certified', async () => {
    const store = await open();
    const log = await filled(store, 20);
    timers.advance(25);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const reader = await open({ readOnly: true });
    const copy = reader.log('orders');
    expect(copy === undefined ? [] : await all(copy)).toHaveLength(20);
    await expect(reader.createLog('other')).rejects.toMatchObject({ code: 'closed' });
    expect(() => copy?.append([numbered(0)])).toThrow(/reading only/);
    await reader.close();
    await log.append([numbered(20)]).durable;
    await store.close();
  });

  it('lets only one process write', async () => {
    const store = await open();
    await expect(open()).rejects.toMatchObject({ code: 'in_use', exitCode: 75 });
    await store.close();
    const next = await open();
    await next.close();
  });

  it('reports whether there is room, and keeps a reserve to get out of a full disk', async () => {
    const store = await open({ freeBytesMin: 2 ** 60, reserveBytes: 5000 });
    const log = await store.createLog('orders');
    await log.append([numbered(0)]).durable;
    expect(store.freeSpace.hasRoom).toBe(false);
    await store.close();
    const roomy = await open({ reserveBytes: 5000 });
    const names = () => place.disk.list(place.directory);
    timers.advance(1000);
    while (!(await names()).includes('RESERVE')) await new Promise((next) => setImmediate(next));
    expect(roomy.freeSpace.hasRoom).toBe(true);
    await roomy.close();
  });

  it('lies on a disk that tells files whose bytes have another name', async () => {
    const store = await open();
    await filled(store, 1);
    await store.close();
    const { disk, directory } = place;
    const [manifest, other] = [join(directory, 'MANIFEST'), join(directory, 'other')];
    expect(await disk.hasOtherNames(manifest)).toBe(false);
    await disk.link(manifest, other);
    expect(await disk.hasOtherNames(manifest)).toBe(true);
    await disk.remove(manifest);
    expect(await disk.hasOtherNames(other)).toBe(false);
  });
}
