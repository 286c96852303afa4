import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFolder } from '../../../src/cli/journal/journal-reader.js';
import { type ReplayOptions, replayedLines } from '../../../src/cli/journal/journal-replay.js';
import type { Journal } from '../../../src/engine/journal.js';
import { readConfiguration } from '../../../src/server/configuration/config.js';
import { sweepStretch } from '../../../src/server/history/journal-sweeps.module.js';
import { productFolding } from '../../../src/server/history/product-folding.js';
import type { Store } from '../../../storage/store.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import {
  metricOf,
  publishDelivered,
  repeatMoreSlowly,
  sweptRecords,
} from '../../support/clients/swept-messages.js';
import { itOnASmallFileSystem, remount, takeAll } from '../../support/program/small-file-system.js';
import { startServer, type TestServer } from '../../support/server.js';

const ports = { fileSizes: { segmentBytes: 64 * 1024, reserveBytes: 0 } };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-archive-'));
});

afterEach(() => rm(folder, { recursive: true }));

const environmentOf = (archive: string, retention = 'sweep') => ({
  STEPWELL_ARCHIVE_DIR: archive,
  STEPWELL_JOURNAL_RETENTION: retention,
  STEPWELL_LOG_RETENTION: '1s',
});

/** The offset ranges of the complete copies in the archive, oldest first. */
async function ranges(): Promise<(readonly [from: number, until: number])[]> {
  const [store] = await readdir(folder);
  const names = store === undefined ? [] : await readdir(join(folder, store));
  return names
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => {
      const [, from, until] = name.slice(0, -'.log'.length).split('-').map(Number);
      return [from ?? 0, until ?? 0] as const;
    });
}

/** Bytes of the complete copies in the archive. */
async function copiedBytes(): Promise<number> {
  const [store = ''] = await readdir(folder);
  const names = (await readdir(join(folder, store))).filter((name) => name.endsWith('.log'));
  const files = await Promise.all(names.map((name) => stat(join(folder, store, name))));
  return files.reduce((sum, { size }) => sum + size, 0);
}

const publishUntil = (
  server: TestServer,
  endpoint: RecordingEndpoint,
  isEnough: () => Promise<boolean>,
) => repeatMoreSlowly(() => publishDelivered(server, endpoint, 50), isEnough);

const publishUntilSwept = (server: TestServer, endpoint: RecordingEndpoint, records: number) =>
  publishUntil(server, endpoint, async () => (await sweptRecords(server)) >= records);

it('the archive holds the journal up to its last sweep without a gap', async () => {
  const endpoint = await RecordingEndpoint.start();
  const environment = environmentOf(folder);
  let server = await startServer({ environment, ports });
  await publishUntilSwept(server, endpoint, 200);
  expect(await metricOf(server, 'stepwell_journal_archived_bytes_total')).toBeGreaterThan(50_000);
  await server.stop();
  server = await startServer({ environment, ports, dataDirectory: server.dataDirectory });
  await publishUntilSwept(server, endpoint, 200);
  const headers = { authorization: server.basic };
  const answer = await callApi(server, 'GET', '/admin/journal?type=JournalSwept', headers);
  // A sweep may copy more between the two reads; it never removes a copy.
  const copied = await copiedBytes();
  expect(await metricOf(server, 'stepwell_archive_bytes')).toBeGreaterThanOrEqual(copied);
  expect(await metricOf(server, 'stepwell_archive_disk_total_bytes')).toBeGreaterThan(0);
  expect(await metricOf(server, 'stepwell_journal_last_sweep_timestamp_seconds')).toBeGreaterThan(
    0,
  );
  await server.remove();
  expect(copied).toBeGreaterThan(0);
  await endpoint.stop();

  const untils = String(answer.body).matchAll(/"until":(\d+)/g);
  const until = Math.max(...[...untils].map(([, offset]) => Number(offset)));
  expect(until).toBeGreaterThan(200);
  let next = 0;
  for (const [from, end] of await ranges()) {
    expect(from).toBeLessThanOrEqual(next);
    next = Math.max(next, end);
  }
  expect(next).toBeGreaterThanOrEqual(until);
}, 180_000);

/** The lines of `journal replay` of a folder, with its archive or without. */
function replayed(data: string, options: ReplayOptions, archive?: string): Promise<string[]> {
  const { config } = readConfiguration({});
  const folding = productFolding({
    ...config,
    sweepStretch: sweepStretch(config, ports.fileSizes),
  });
  const look = async (_store: Store, journal: Journal | null) => {
    if (journal === null) throw new Error('there is no journal');
    const lines: string[] = [];
    const quiet = () => undefined;
    const replay = { journal, folding, options, onProgress: quiet };
    for await (const line of replayedLines(replay)) lines.push(line);
    return lines;
  };
  return readFolder(data, folding.codec, look, archive);
}

it('what was swept is read from the archive, which leads to the same state', async () => {
  const endpoint = await RecordingEndpoint.start();
  const server = await startServer({ environment: environmentOf(folder), ports });
  const first = await callApi(server, 'POST', `/v2/publish/${endpoint.url}/first`, {}, 'first');
  const { messageId } = first.body as { messageId: string };
  await publishUntilSwept(server, endpoint, 400);
  await server.stop();
  const { dataDirectory } = server;
  const stream = { stream: `message/${messageId}` };
  await expect(replayed(dataDirectory, stream)).rejects.toThrow(/no stream/);
  const life = await replayed(dataDirectory, stream, folder);
  expect(life[0]).toContain('message published');
  expect(life.at(-1)).toBe(`message/${messageId} has ended`);
  const [left, whole] = [
    await replayed(dataDirectory, {}),
    await replayed(dataDirectory, {}, folder),
  ];
  expect(whole.at(-1)).toBe(left.at(-1));
  const eventsIn = ([line]: readonly string[]) => Number.parseInt(line ?? '', 10);
  expect(eventsIn(whole) - eventsIn(left)).toBeGreaterThanOrEqual(400);
  await server.remove();
  await endpoint.stop();
}, 180_000);

/** The warnings that the server shows to operators. */
async function warnings(server: TestServer): Promise<readonly string[]> {
  const { body } = await callApi(server, 'GET', '/health/ready');
  return (body as { warnings?: readonly string[] }).warnings ?? [];
}

describe('a server whose archive cannot be written', () => {
  const warning =
    'the journal was not swept and grows: it cannot be copied to STEPWELL_ARCHIVE_DIR';

  /** Nothing is swept, and the server warns, until the effect of `spoil` is undone. */
  async function sweepsNothingMeanwhile(
    archive: string,
    spoil: () => Promise<() => Promise<void>>,
  ) {
    const endpoint = await RecordingEndpoint.start();
    const server = await startServer({ environment: environmentOf(archive), ports });
    const swept = () => sweptRecords(server);
    const failed = () => metricOf(server, 'stepwell_journal_sweeps_failed_total');
    const failsAgain = async () => {
      const before = await failed();
      await publishUntil(server, endpoint, async () => (await failed()) > before);
    };
    await publishUntil(server, endpoint, async () => (await swept()) > 200);
    expect(await warnings(server)).toEqual([]);
    const mend = await spoil();
    await failsAgain();
    const before = await swept();
    await failsAgain();
    expect(await swept()).toBe(before);
    expect(await warnings(server)).toEqual([warning]);
    await mend();
    await publishUntil(server, endpoint, async () => (await swept()) > before);
    expect(await warnings(server)).toEqual([]);
    await server.remove();
    await endpoint.stop();
  }

  it('because it is missing keeps everything, until it is there again', async () => {
    await sweepsNothingMeanwhile(folder, async () => {
      const aside = `${folder}-aside`;
      await rename(folder, aside);
      return () => rename(aside, folder);
    });
  }, 180_000);

  itOnASmallFileSystem(
    'because it is read-only keeps everything, until it is not',
    64,
    (path) =>
      sweepsNothingMeanwhile(path, async () => {
        remount(path, 'ro');
        return async () => remount(path, 'rw');
      }),
    180_000,
  );

  itOnASmallFileSystem(
    'because it is full keeps everything, until there is room',
    64,
    (path) => sweepsNothingMeanwhile(path, () => takeAll(path)),
    180_000,
  );
});

describe('a start is refused if the archive', () => {
  const refused = (archive: string, dataDirectory?: string, retention?: string) =>
    expect(
      startServer({
        environment: environmentOf(archive, retention),
        ...(dataDirectory !== undefined && { dataDirectory }),
      }),
    ).rejects;

  it('does not exist', () => refused(join(folder, 'missing')).toThrow(/is not there: make it/));

  it('is a file', async () => {
    await writeFile(join(folder, 'file'), '');
    await refused(join(folder, 'file')).toThrow(/is no folder/);
  });

  it('lies in the data folder', async () => {
    await refused(join(folder, 'archive'), folder).toThrow(/lies in the data folder/);
  });

  it('would never be written', async () => {
    await refused(folder, undefined, 'forever').toThrow(/nothing is swept/);
  });
});
