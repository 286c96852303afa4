import { join } from 'node:path';
import { pino } from 'pino';
import { printedLines } from '../../../src/cli/journal/journal-print.js';
import { readJournal } from '../../../src/cli/journal/journal-reader.js';
import { Engine } from '../../../src/engine/engine.js';
import { LogCompactions } from '../../../src/topics/topics/log-compactions.js';
import { dayMs } from '../../../src/topics/topics/retention.policy.js';
import { RetentionKeeper } from '../../../src/topics/topics/retention-keeper.js';
import { TopicLogs } from '../../../src/topics/topics/topic-logs.js';
import type { Disk } from '../../../storage/disk/disk.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { Store } from '../../../storage/store.js';
import { readersWait } from '../../support/clients/log-waits.js';
import { ManualClock } from '../../support/manual-clock.js';
import { flipByte } from '../../support/program/flipped-byte.js';
import { startServer, type TestServer } from '../../support/server.js';

const minute = 60_000;
const hour = 60 * minute;

let clock: ManualClock;
let server: TestServer;
/** The errors that the server logs, in order. */
let logged: string[];

/** Whether the disk accepts segments that do not have their final name yet. */
let hasRoomAside: boolean;
const disk: Disk = {
  ...nodeDisk,
  open: (path, mode) =>
    hasRoomAside || mode !== 'create' || !path.includes('/tmp/segment-')
      ? nodeDisk.open(path, mode)
      : Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })),
};

/**
 * Starts a server whose segments hold a few dozen records, on a clock that moves only when it is
 * set.
 */
const start = (dataDirectory?: string) =>
  startServer({
    environment: { STEPWELL_TOPIC_RETENTION: '2h', STEPWELL_TOPIC_PARTITIONS: '1' },
    ports: {
      clock,
      disk,
      log: pino({ level: 'error' }, { write }),
      fileSizes: { segmentBytes: 16 * 1024, reserveBytes: 0 },
    },
    ...(dataDirectory !== undefined && { dataDirectory }),
  });

beforeEach(async () => {
  clock = new ManualClock();
  logged = [];
  hasRoomAside = true;
  server = await start();
});

afterEach(() => server.remove());

const write = (line: string): void => {
  logged.push(line);
};

const provided = <Provided>(type: new (...needs: never[]) => Provided): Provided =>
  server.application.nest.get(type, { strict: false });

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: server.basic },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
}

const create = (settings: object) =>
  call('POST', '/admin/topics', { name: 'rides', partitions: 1, ...settings });

/** Produces records of about 1 KB, each in a batch of its own. */
async function produce(count: number, fields: { key?: string; timestamp?: number } = {}) {
  const value = 'x'.repeat(1000);
  for (let index = 0; index < count; index += 1) {
    await call('POST', '/produce/rides', { value, partition: 0, ...fields });
  }
}

interface Shown {
  readonly bytes: number;
  readonly offsets: readonly { readonly earliest: number; readonly latest: number }[];
}
const shown = async () => (await call('GET', '/admin/topics/rides')) as Shown;
const earliest = async () => (await shown()).offsets[0]?.earliest ?? -1;

const look = () => provided(RetentionKeeper).look();

async function metric(name: string): Promise<number> {
  const response = await fetch(`${server.url}/metrics`);
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(await response.text())?.[1]);
}

/** Waits for the gradual result of an effect. */
async function becomes<Value>(read: () => Promise<Value>, wanted: (value: Value) => boolean) {
  for (let tries = 0; tries < 500; tries += 1) {
    const value = await read();
    if (wanted(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`it stayed ${JSON.stringify(await read())}`);
}

/** The lines about topics in the journal of the stopped server. */
async function journalLines(): Promise<string[]> {
  const lines: string[] = [];
  await readJournal(server.dataDirectory, async (journal) => {
    if (journal === null) return;
    for await (const line of printedLines(journal, { stream: 'rides' })) lines.push(line);
  });
  return lines;
}

describe('retention by time', () => {
  it('deletes old records, once a minute, and records that in the journal', async () => {
    await create({ retentionMs: 3 * hour });
    await produce(40);
    clock.advance(2 * hour);
    await produce(20);
    await look();
    expect(await earliest()).toBe(0);
    clock.advance(1.5 * hour);
    const start = await becomes(earliest, (offset) => offset > 0);
    // The segment in which the old records end also holds new ones.
    expect(start).toBeLessThanOrEqual(40);
    expect(start).toBeGreaterThan(20);
    const [first] = (await call('POST', '/fetch', {
      ...{ topic: 'rides', partition: 0, offset: start, timeout: 0 },
    })) as { offset: number }[];
    expect(first?.offset).toBe(start);
    await server.stop();
    expect((await journalLines()).filter((line) => line.includes('TopicTrimmed'))).toEqual([
      expect.stringMatching(/cause=time/),
    ]);
  });

  it('keeps no record for twice its time because new ones arrive now and then', async () => {
    const stepMs = 40 * minute;
    await create({ retentionMs: 2 * hour });
    const begun = clock.now();
    for (let step = 0; step < 12; step += 1) {
      await produce(1);
      // As often as the server looks: once in the time of a step is enough here.
      await look();
      if (step === 6) await server.stop();
      if (step === 6) server = await start(server.dataDirectory);
      clock.advance(stepMs);
    }
    await look();
    const oldest = await becomes(earliest, (offset) => offset > 0);
    expect(clock.now() - (begun + oldest * stepMs)).toBeLessThanOrEqual(4 * hour + stepMs);
  });

  it('removes everything of an idle topic, to the last byte, and offsets continue', async () => {
    await produce(5);
    clock.advance(1.5 * hour);
    await look();
    expect(await earliest()).toBe(0);
    expect(await metric('stepwell_topic_bytes')).toBeGreaterThan(5000);
    clock.advance(2 * hour);
    await becomes(shown, ({ bytes }) => bytes === 0);
    expect(await metric('stepwell_topic_bytes')).toBe(0);
    expect(await metric('stepwell_topic_partitions')).toBe(1);
    expect(await earliest()).toBe(5);
    expect(await call('POST', '/produce/rides', { value: 'v' })).toMatchObject([{ offset: 5 }]);
  });

  it('counts from the append, even for records with older timestamps', async () => {
    await create({ retentionMs: hour });
    await produce(1, { timestamp: 1000 });
    clock.advance(hour / 2);
    await look();
    expect(await earliest()).toBe(0);
    clock.advance(hour);
    await becomes(earliest, (offset) => offset === 1);
  });

  it('keeps topics without a limit, and compacted topics', async () => {
    await create({ retentionMs: -1 });
    await produce(3);
    await call('POST', '/admin/topics', { name: 'table', cleanupPolicy: 'compact' });
    await call('POST', '/produce/table', { value: 'v', key: 'k' });
    clock.advance(3 * hour);
    await look();
    expect(await earliest()).toBe(0);
    expect(await call('POST', '/offsets/earliest', { topic: 'table', partition: 0 })).toMatchObject(
      [{ offset: 0 }],
    );
  });

  it('waits for an hour when the clock has jumped ahead', async () => {
    await create({ retentionMs: hour });
    await produce(3);
    clock.set(clock.now() + 10 * 365 * dayMs);
    for (let looks = 0; looks < 10; looks += 1) {
      clock.advance(minute);
      await look();
    }
    expect(await metric('stepwell_retention_paused')).toBe(1);
    expect(await earliest()).toBe(0);
    for (let looks = 0; looks < 60; looks += 1) {
      clock.advance(minute);
      await look();
    }
    expect(await metric('stepwell_retention_paused')).toBe(0);
    await becomes(earliest, (offset) => offset === 3);
  });
});

describe('retention by size', () => {
  it('keeps as many bytes as configured, and at most one segment more', async () => {
    const retentionBytes = 40_000;
    await create({ retentionMs: -1, retentionBytes });
    await produce(100);
    await look();
    const { bytes } = await becomes(shown, (now) => now.bytes < 80_000);
    expect(bytes).toBeGreaterThanOrEqual(retentionBytes);
    expect(bytes).toBeLessThan(retentionBytes + 2 * 16 * 1024);
    const before = await earliest();
    await server.stop();
    expect((await journalLines()).at(-1)).toMatch(/TopicTrimmed.*cause=size/);
    server = await start(server.dataDirectory);
    expect(await earliest()).toBe(before);
    expect((await shown()).offsets[0]?.latest).toBe(100);
  });
});

describe('compaction', () => {
  const stored = async () =>
    (await call('POST', '/fetch', {
      ...{ topic: 'rides', partition: 0, offset: 0, timeout: 0 },
    })) as { offset: number; key: string; value: string | null }[];

  /** Looks repeatedly, because no compaction begins while another one ends. */
  const looking = async () => {
    await look();
    return stored();
  };

  it('leaves the last record of each key in place, and is recorded in the journal', async () => {
    await create({ cleanupPolicy: 'compact' });
    for (let round = 0; round < 20; round += 1) {
      for (const key of ['a', 'b', 'c']) await produce(1, { key });
    }
    expect(await stored()).toHaveLength(60);
    // A segment is sealed some time after its end; the first look must find all ended segments
    // sealed.
    const growing = async () =>
      provided(Store)
        .log('topic/rides/0')
        ?.segments.filter(({ isSealed }) => !isSealed);
    await becomes(growing, (segments) => segments?.length === 1);
    await becomes(looking, ({ length }) => length < 40);
    // The growing segment is compacted after a day without a write.
    clock.set(clock.now() + dayMs);
    const left = await becomes(looking, ({ length }) => length === 3);
    expect(left).toMatchObject([
      { key: 'a', offset: 57 },
      { key: 'b', offset: 58 },
      { key: 'c', offset: 59 },
    ]);
    await server.stop();
    const lines = (await journalLines()).join('\n');
    expect(lines.match(/CompactionBegun/g)).toHaveLength(2);
    expect(lines).toMatch(/CompactionEnded.*removedRecords=\d/);
  });

  it('removes a tombstone after a day, even if nothing new came', async () => {
    await create({ cleanupPolicy: 'compact' });
    const isTombstone = ({ value }: { value: string | null }) => value === null;
    await produce(1, { key: 'a' });
    await call('POST', '/produce/rides', { value: null, key: 'a' });
    await produce(15, { key: 'b' });
    await becomes(looking, ([first]) => first !== undefined && isTombstone(first));
    clock.set(clock.now() + dayMs / 2);
    await look();
    expect((await stored()).some(isTombstone)).toBe(true);
    clock.set(clock.now() + dayMs);
    await becomes(looking, (records) => !records.some(isTombstone));
  });

  it('lets a reader wait in the gap that it leaves at the end', async () => {
    await create({ cleanupPolicy: 'compact' });
    for (const key of ['b', 'a']) await produce(1, { key });
    await call('POST', '/produce/rides', { value: null, key: 'a' });
    for (let days = 0; days < 3; days += 1) {
      clock.set(clock.now() + dayMs);
      await look();
    }
    await becomes(looking, ({ length }) => length === 1);
    const place = { topic: 'rides', partition: 0, offset: 1, timeout: minute };
    const waiting = call('POST', '/fetch', place);
    await readersWait(server, 'rides', 0, 1);
    await produce(1, { key: 'c' });
    expect(await waiting).toMatchObject([{ offset: 3, key: 'c' }]);
  });

  it('continues after a restart', async () => {
    await create({ cleanupPolicy: 'compact' });
    for (let round = 0; round < 60; round += 1) await produce(1, { key: 'a' });
    provided(Engine).effects.stop();
    await look();
    expect(await stored()).toHaveLength(60);
    await server.stop();
    expect((await journalLines()).at(-1)).toMatch('CompactionBegun');
    server = await start(server.dataDirectory);
    await becomes(stored, ({ length }) => length < 30);
  });

  it('that finds damage leaves it in place, and compacts the rest', async () => {
    await create({ cleanupPolicy: 'compact' });
    for (let round = 0; round < 60; round += 1) await produce(1, { key: 'a' });
    const log = provided(Store).log('topic/rides/0');
    const folder = String(log?.id).padStart(10, '0');
    await flipByte(join(server.dataDirectory, 'logs', folder, '0000000000.log'), 3000);
    await look();
    await becomes(
      async () => log?.compactedUntil ?? 0,
      (until) => until > 0,
    );
    const until = log?.compactedUntil ?? 0;
    const [first, ...others] = (log?.segments ?? []).filter((each) => each.nextOffset <= until);
    expect(log?.damages).toEqual([{ from: 2, until: 3 }]);
    expect(first?.byteLength).toBeGreaterThan(10_000);
    expect(others.length).toBeGreaterThan(0);
    for (const { byteLength } of others) expect(byteLength).toBeLessThan(2000);
    expect(await call('GET', '/health/ready')).toMatchObject({ state: 'serving' });
  });

  it('that fails is logged and tried again later, and the server keeps running', async () => {
    await create({ cleanupPolicy: 'compact' });
    for (let round = 0; round < 40; round += 1) await produce(1, { key: 'a' });
    hasRoomAside = false;
    await look();
    await becomes(
      async () => logged.join(''),
      (text) => text.includes('compaction failed'),
    );
    expect(await call('GET', '/health/ready')).toMatchObject({ state: 'serving' });
    hasRoomAside = true;
    expect(await stored()).toHaveLength(40);
    clock.advance(10 * minute);
    await becomes(stored, ({ length }) => length < 30);
  });

  it('keeps internal topics small', async () => {
    const log = await provided(TopicLogs).openInternal('__internal');
    const record = { key: Buffer.from('k'), value: Buffer.alloc(2 ** 20), headers: [] };
    for (let megabytes = 0; megabytes < 7; megabytes += 1) await log.append([record]).durable;
    await look();
    expect(log.compactedUntil).toBe(0);
    await log.append([record]).durable;
    await look();
    await becomes(
      async () => log.compactedUntil,
      (until) => until === 8,
    );
    const batches = await log.read(0);
    const records = batches.flatMap((batch) => [...batch.records()]);
    expect(records.map(({ offset }) => offset)).toEqual([7]);
  });
});

describe('a deletion', () => {
  it('that a stop interrupted is finished at the next start', async () => {
    await create({ partitions: 3 });
    await produce(2);
    const engine = provided(Engine);
    engine.effects.stop();
    const at = clock.now();
    const command = { type: 'DeleteTopic', kind: 'topic', id: 'rides', at };
    expect(await engine.dispatch([command])).toMatchObject([{ ok: true }]);
    await server.stop();
    expect((await journalLines()).at(-1)).toMatch('TopicDeleted');
    server = await start(server.dataDirectory);
    expect(await call('GET', '/topics')).toEqual({});
    await becomes(
      () => create({ partitions: 1 }) as Promise<{ name?: string }>,
      ({ name }) => name === 'rides',
    );
    expect(await call('POST', '/produce/rides', { value: 'new' })).toMatchObject([{ offset: 0 }]);
    expect(provided(TopicLogs).present('rides')).toHaveLength(1);
  });
});

test('compactions run one after another, and a failed one does not block the next', async () => {
  const log = await provided(TopicLogs).openInternal('__one');
  const gone = await provided(TopicLogs).openInternal('__gone');
  const compactions = new LogCompactions();
  const range = { until: 10, tombstonesBefore: 0 };
  await gone.stop();
  const [failed, done] = await Promise.allSettled([
    compactions.run(gone, range),
    compactions.run(log, range),
  ]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'closed' } });
  expect(done).toMatchObject({ status: 'fulfilled', value: { removedRecords: 0 } });
});
