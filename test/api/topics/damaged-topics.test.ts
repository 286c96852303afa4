import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { DamagedData } from '../../../storage/faults/storage-errors.js';
import { callLog } from '../../support/clients/log-api.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { flipByte } from '../../support/program/flipped-byte.js';
import { startServer, type TestServer } from '../../support/server.js';

const recordCount = 30;
const logged: string[] = [];
let endpoint: RecordingEndpoint;
let server: TestServer;

/** About six records per segment. */
const start = (dataDirectory?: string) =>
  startServer({
    environment: { STEPWELL_ALLOW_NETWORKS: '127.0.0.0/8' },
    ...(dataDirectory !== undefined && { dataDirectory }),
    ports: {
      fileSizes: { segmentBytes: 4096, reserveBytes: 0 },
      log: pino({ level: 'warn' }, { write: (line) => void logged.push(line) }),
    },
  });

const call = (path: string, body?: unknown, method?: string) =>
  callLog(server, path, body, method === undefined ? {} : { method });
const valueAt = (offset: number) => `value ${offset};`.padEnd(500, '.');
const produce = (topic: string, offset: number) =>
  call(`/produce/${topic}`, { value: valueAt(offset), partition: 0, timestamp: 1000 + offset });
const fetchAt = (offset: number, topic = 'rides') =>
  call('/fetch', { topic, partition: 0, offset, timeout: 0, maxRecords: 100 });
const offsetsIn = (body: unknown) => (body as { offset: number }[]).map(({ offset }) => offset);

/** Flips a byte in the record that holds `text`; returns its place. */
async function damage(text: string): Promise<string> {
  const logs = join(server.dataDirectory, 'logs');
  // The first log is the journal.
  for (const log of (await readdir(logs)).sort().slice(1)) {
    for (const name of await readdir(join(logs, log))) {
      const path = join(logs, log, name);
      const at = name.endsWith('.log') ? (await readFile(path)).indexOf(text) : -1;
      if (at < 0) continue;
      await flipByte(path, at);
      return path;
    }
  }
  throw new Error(`no log holds ${text}`);
}

/** The refusal about record 8 of `rides`. */
const refusal = {
  error:
    'partition 0 of rides: offsets 8 to 8 are damaged and cannot be read; ' +
    'the next ones can, from 9 on',
  status: 500,
  code: 'DATA_DAMAGED',
  topic: 'rides',
  partition: 0,
  lastGoodOffset: 7,
  nextGoodOffset: 9,
};
const numbers = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => from + index);

beforeAll(async () => {
  endpoint = await RecordingEndpoint.start();
  server = await start();
  for (let offset = 0; offset < recordCount; offset += 1) {
    await produce('rides', offset);
    await produce('walks', offset);
  }
  await server.stop();
  await damage('value 8;');
  server = await start(server.dataDirectory);
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

describe('damage in a sealed segment of a topic', () => {
  it('affects only the records in it', async () => {
    expect(offsetsIn((await fetchAt(0)).body)).toEqual(numbers(0, 8));
    expect(await fetchAt(8)).toMatchObject({ status: 500, body: refusal });
    expect((await fetchAt(8)).body).toEqual(refusal);
    expect(offsetsIn((await fetchAt(9)).body)).toEqual(numbers(9, recordCount));
    expect(offsetsIn((await fetchAt(0, 'walks')).body)).toEqual(numbers(0, recordCount));
    const { status, body } = await produce('rides', recordCount);
    expect([status, offsetsIn(body)]).toEqual([200, [recordCount]]);
  });

  it('is reported to a fetch of several positions, too', async () => {
    const topicPartitionOffsets = [
      { topic: 'walks', partition: 0, offset: 0 },
      { topic: 'rides', partition: 0, offset: 8 },
    ];
    expect((await call('/fetch', { topicPartitionOffsets, timeout: 0 })).body).toEqual(refusal);
  });

  it('is reported to a produce whose key was used for its records, and to no other', async () => {
    const once = (key: string) =>
      callLog(
        server,
        '/produce/once',
        { value: valueAt(99), partition: 0 },
        { headers: { 'idempotency-key': key } },
      );
    for (const key of ['one', 'two']) expect((await once(key)).status).toBe(200);
    await damage('value 99;');
    const lost = { status: 500, body: { code: 'DATA_DAMAGED', topic: 'once', nextGoodOffset: 1 } };
    expect(await once('one')).toMatchObject(lost);
    expect(await once('two')).toMatchObject({ status: 200, body: [{ offset: 1 }] });
    expect(await once('three')).toMatchObject({ status: 200, body: [{ offset: 2 }] });
    await call('/admin/topics/once', undefined, 'DELETE');
  });

  it('is reported to a client that looks up a time that may be in it', async () => {
    const place = { topic: 'rides', partition: 0 };
    expect((await call('/offsets/1008', place)).body).toEqual(refusal);
    expect((await call('/offsets/1020', place)).body).toEqual([{ ...place, offset: 20 }]);
  });

  it('stops a group before it, until the group seeks past it', async () => {
    const consume = async (topics: readonly string[]) => {
      const path = '/consume/billing/one';
      const headers = { 'stream-auto-offset-reset': 'earliest' };
      return callLog(server, path, { topics, maxRecords: 100, timeout: 5000 }, { headers });
    };
    const first = await consume(['rides', 'walks']);
    const topicsOf = (body: unknown) => new Set((body as { topic: string }[]).map((r) => r.topic));
    expect(topicsOf(first.body)).toEqual(new Set(['rides', 'walks']));
    // A blocked partition does not block the others.
    await produce('walks', recordCount);
    expect(topicsOf((await consume(['rides', 'walks'])).body)).toEqual(new Set(['walks']));
    for (const _ of [1, 2]) expect((await consume(['rides', 'walks'])).body).toEqual(refusal);
    await call('/seek/billing/one', [{ topic: 'rides', partition: 0, offset: 9 }]);
    const { body: rest } = await consume(['rides', 'walks']);
    expect(offsetsIn(rest)).toEqual(numbers(9, recordCount + 1));
  });

  it('ends a stream with a report about it', async () => {
    const response = await fetch(`${server.url}/consume/screen/one/rides`, {
      headers: {
        authorization: server.basic,
        accept: 'application/x-ndjson',
        'stream-auto-offset-reset': 'earliest',
      },
    });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    const events = lines.map((line) => JSON.parse(line) as { offset?: number });
    expect(events.slice(0, -1).map(({ offset }) => offset)).toEqual(numbers(0, 8));
    expect(events.at(-1)).toEqual(refusal);
  });

  it('stops a subscription before it, and says why, until a purge removes it', async () => {
    const path = '/admin/subscriptions';
    const destination = `${endpoint.url}/push`;
    const definition = {
      name: 'push',
      topic: 'rides',
      destination,
      from: 'earliest',
      maxRecords: 5,
    };
    expect((await call(path, definition)).status).toBe(201);
    const partition = async (isSo: (shown: Record<string, unknown>) => boolean) => {
      for (;;) {
        const { body } = await call(`${path}/push`);
        const [shown = {}] = (body as { partitions: Record<string, unknown>[] }).partitions;
        if (isSo(shown)) return shown;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const stopped = await partition(
      ({ error, inFlight }) => error !== undefined && inFlight === undefined,
    );
    expect(stopped).toMatchObject({ position: 8, error: refusal.error });
    expect(endpoint.requests.length).toBe(2);
    await call('/admin/topics/rides/purge', [{ partition: 0, before: 9 }]);
    const gone = await partition(({ lag }) => lag === 0);
    expect(gone).toMatchObject({ position: recordCount + 1 });
    expect(gone['error']).toBeUndefined();
    expect(logged.filter((line) => line.includes('a push failed')).length).toBe(1);
  }, 60_000);

  it('is removed by a purge, for every reader', async () => {
    const { body } = await call('/admin/topics/rides');
    expect(JSON.stringify(body)).not.toContain('damaged');
    expect((await fetchAt(8)).status).toBe(416);
    expect(await metric()).toBe('0');
  });
});

async function metric(): Promise<string | undefined> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return /^stepwell_topic_damaged_ranges (\d+)$/m.exec(text)?.[1];
}

describe('damage that is found', () => {
  const linesAbout = (path: string) => logged.filter((line) => line.includes(path));

  it('on a read is logged once, counted, shown, and found by a verification', async () => {
    expect(await metric()).toBe('0');
    const path = await damage('value 3;');
    expect((await fetchAt(3, 'walks')).status).toBe(500);
    expect((await fetchAt(3, 'walks')).status).toBe(500);
    expect([await metric(), linesAbout(path).length]).toEqual(['1', 1]);
    const { body } = await call('/admin/topics/walks');
    const [shown] = (body as { offsets: object[] }).offsets;
    expect(shown).toMatchObject({ damaged: [{ from: 3, until: 4 }] });
    await server.stop();
    const { problems, lines } = await verifyFolder(server.dataDirectory);
    expect(problems.some((problem) => problem.includes(path))).toBe(true);
    // Records hidden by a purge stay in their segment as long as the segment exists.
    const damaged = lines.filter((line) => line.endsWith('DAMAGED'));
    expect(damaged.map((line) => line.split(' ')[0])).toEqual(['topic/rides/0', 'topic/walks/0']);
  });

  it('at the start is logged at once', async () => {
    const path = await damage('value 20;');
    await flipByte(path, -60);
    logged.length = 0;
    server = await start(server.dataDirectory);
    expect(linesAbout(path).length).toBe(1);
    expect(await metric()).toBe('1');
    expect((await fetchAt(20)).status).toBe(500);
  });

  it('in committed offsets keeps the server from starting', async () => {
    const place = { topic: 'walks', partition: 0 };
    const records = Array.from({ length: 100 }, () => ({ ...place, value: 'w' }));
    expect((await call('/produce', records)).status).toBe(200);
    for (let offset = 0; offset < 100; offset += 1) {
      const { status } = await call('/commit/billing/one', [{ ...place, offset }]);
      expect(status).toBe(200);
    }
    await server.stop();
    await damage('"committed":50');
    await expect(start(server.dataDirectory)).rejects.toThrow(DamagedData);
  });
});
