import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { readerOptions } from '../../../src/cli/journal/journal-reader.js';
import { Engine } from '../../../src/engine/engine.js';
import { Journal, openJournalLog } from '../../../src/engine/journal.js';
import { memoryDigestKind } from '../../../src/engine/snapshots/memory-digest.events.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import { readConfiguration } from '../../../src/server/configuration/config.js';
import { sweepStretch } from '../../../src/server/history/journal-sweeps.module.js';
import { productFolding } from '../../../src/server/history/product-folding.js';
import { MemoryStart } from '../../../src/server/snapshots/memory-start.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { openStore } from '../../../storage/store.js';
import { startServer, type TestServer, type TestServerOptions } from '../../support/server.js';

const often = { STEPWELL_SNAPSHOT_EVERY: '32kb' };
const never = { STEPWELL_SNAPSHOT_EVERY: 'off' };
const small = { segmentBytes: 256 * 1024, reserveBytes: 0 };

const digest = (server: TestServer) =>
  digestOf(itemsOf(server.application.nest.get(Engine, { strict: false })));
const startOf = (server: TestServer) => server.application.nest.get(MemoryStart, { strict: false });

/** Starts a server with small segments. */
function start(options: TestServerOptions): Promise<TestServer> {
  return startServer({ ...options, ports: { fileSizes: small, ...options.ports } });
}

/** Publishes in small groups, as a thousand connections at once are refused now and then. */
async function publish(server: TestServer, count: number, queue = ''): Promise<string[]> {
  const path = queue === '' ? 'publish' : `enqueue/${queue}`;
  const one = async () => {
    const response = await fetch(`${server.url}/v2/${path}/https://example.com/`, {
      method: 'POST',
      headers: { Authorization: server.bearer, 'Svc-Delay': '1h' },
      body: 'x'.repeat(1024),
    });
    expect(response.status).toBe(200);
    const { messageId } = (await response.json()) as { messageId: string };
    return messageId;
  };
  const ids: string[] = [];
  while (ids.length < count) {
    const some = Math.min(20, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: some }, one))));
  }
  return ids;
}

const snapshotsOf = ({ dataDirectory }: TestServer) =>
  readdir(join(dataDirectory, 'snapshots')).catch(() => []);

async function untilSnapshots(server: TestServer, count: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await snapshotsOf(server)).length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('there is no snapshot');
}

/** Folds the journal up to each digest in it, and expects the same memory. */
async function expectDigestsHold(dataDirectory: string): Promise<void> {
  const { config } = readConfiguration({});
  const store = await openStore(nodeDisk, dataDirectory, readerOptions);
  const { engine, codec } = productFolding({ ...config, sweepStretch: sweepStretch(config, {}) });
  const journal = new Journal(await openJournalLog(store), codec);
  let digests = 0;
  let digest = digestOf(itemsOf(engine));
  for await (const envelopes of journal.replay()) {
    for (const envelope of envelopes) {
      if (envelope.kind === memoryDigestKind) {
        digest = digestOf(itemsOf(engine));
        expect(envelope.event).toMatchObject({ hex: digest.hex });
        digests += 1;
      }
      engine.replay([envelope]);
    }
  }
  await store.close();
  expect(digests).toBe(1);
}

describe('a server', () => {
  it('makes snapshots during its work, and a start continues from the latest', async () => {
    const first = await start({ environment: often });
    const ids = await publish(first, 60);
    await publish(first, 20, 'orders');
    await untilSnapshots(first, 1);
    ids.push(...(await publish(first, 10)));
    const live = digest(first);
    await first.stop();

    const { dataDirectory } = first;
    const second = await start({ dataDirectory, environment: often });
    expect(startOf(second).found).not.toBeNull();
    expect(digest(second)).toEqual(live);
    for (const id of ids.slice(-12)) {
      const headers = { Authorization: second.bearer };
      expect((await fetch(`${second.url}/v2/messages/${id}`, { headers })).status).toBe(200);
    }
    await second.stop();

    await rm(join(dataDirectory, 'snapshots'), { recursive: true });
    const third = await start({ dataDirectory, environment: never });
    expect(startOf(third).found).toBeNull();
    expect(digest(third)).toEqual(live);
    await third.remove();
  }, 60_000);

  it('leaves a snapshot when it stops, and folds only its digest at the next start', async () => {
    const first = await start({ environment: { STEPWELL_SNAPSHOT_EVERY: '1gb' } });
    await publish(first, 1100);
    const live = digest(first);
    expect(await snapshotsOf(first)).toEqual([]);
    expect(await first.stop()).toBe(true);
    expect(await snapshotsOf(first)).toHaveLength(1);
    await expectDigestsHold(first.dataDirectory);
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const second = await start({ dataDirectory: first.dataDirectory, ports: { log } });
    expect(digest(second)).toEqual(live);
    const replayed = lines
      .map((line) => JSON.parse(line))
      .find(({ events }) => events !== undefined);
    expect(replayed).toMatchObject({ events: 1, streams: 1100 });
    await second.remove();
  }, 60_000);

  it('uses no snapshot of another build and no damaged one', async () => {
    const first = await start({ environment: often });
    await publish(first, 60);
    await untilSnapshots(first, 1);
    const live = digest(first);
    await first.stop();
    const { dataDirectory } = first;
    const other = await start({ dataDirectory, environment: never, ports: { build: 'other' } });
    expect(startOf(other).found).toBeNull();
    expect(digest(other)).toEqual(live);
    await other.stop();
    for (const name of await snapshotsOf(first)) {
      await writeFile(join(dataDirectory, 'snapshots', name), 'nothing of the kind');
    }
    const second = await start({ dataDirectory, environment: never });
    expect(startOf(second).found).toBeNull();
    expect(digest(second)).toEqual(live);
    await second.remove();
  }, 60_000);
});
