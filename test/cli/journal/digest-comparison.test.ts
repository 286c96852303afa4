import { readFolder } from '../../../src/cli/journal/journal-reader.js';
import { type Comparison, replayedLines } from '../../../src/cli/journal/journal-replay.js';
import { comparedWithSnapshot } from '../../../src/cli/journal/snapshot-comparison.js';
import { Engine } from '../../../src/engine/engine.js';
import { JournalSweeper } from '../../../src/engine/history/journal-sweeper.js';
import { Journal } from '../../../src/engine/journal.js';
import { digestStanding } from '../../../src/engine/snapshots/live-digest.js';
import { MemoryDigests } from '../../../src/engine/snapshots/memory-digests.js';
import { imageLabel } from '../../../src/engine/snapshots/memory-image.js';
import { partDigest } from '../../../src/engine/snapshots/part-digest.js';
import { SnapshotKeeper } from '../../../src/engine/snapshots/snapshot-keeper.js';
import type { StateDigest } from '../../../src/engine/snapshots/state-digest.js';
import { readConfiguration } from '../../../src/server/configuration/config.js';
import { sweepStretch } from '../../../src/server/history/journal-sweeps.module.js';
import { productFolding } from '../../../src/server/history/product-folding.js';
import { MemoryStart } from '../../../src/server/snapshots/memory-start.js';
import { Store } from '../../../storage/store.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { fileSizes, startServer, type TestServer } from '../../support/server.js';

const { config } = readConfiguration({});
const newFolding = (settings = config, sizes = fileSizes) =>
  productFolding({ ...settings, sweepStretch: sweepStretch(config, sizes) });

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});

afterEach(() => server.remove());

async function publish(text = 'hello'): Promise<string> {
  const path = '/v2/publish/http://127.0.0.1:9000/x';
  const { body } = await callApi(server, 'POST', path, { 'svc-delay': '1h' }, text);
  return (body as { messageId: string }).messageId;
}

/** Makes the server record a digest of its memory, or what `forged` makes of the digest. */
async function record(
  forged: (digest: StateDigest) => StateDigest = (digest) => digest,
  build = 'test',
): Promise<number> {
  const { nest } = server.application;
  const own = { strict: false };
  const engine = nest.get(Engine, own);
  await engine.durable();
  const { endOffset } = nest.get(Journal, own);
  const digest = await digestStanding(engine);
  if (digest === null) throw new Error('there is too much of it');
  const label = imageLabel(engine, build);
  await nest.get(MemoryDigests, own).record(endOffset, forged(digest), label, Date.now());
  return endOffset;
}

/** Makes the server record digests of both halves of its memory, or what `forged` makes of them. */
async function recordHalves(
  forged: (digest: StateDigest) => StateDigest = (digest) => digest,
): Promise<number[]> {
  const { nest } = server.application;
  const own = { strict: false };
  const engine = nest.get(Engine, own);
  const label = imageLabel(engine, 'test');
  const offsets: number[] = [];
  for (const number of [0, 1]) {
    await engine.durable();
    const { endOffset } = nest.get(Journal, own);
    const part = { number, of: 2 };
    const digest = forged(partDigest(engine, part));
    await nest.get(MemoryDigests, own).record(endOffset, digest, label, Date.now(), part);
    offsets.push(endOffset);
  }
  return offsets;
}

/** Makes a snapshot of the server's current memory. */
function snapshotOf({ application: { nest } }: TestServer) {
  const own = { strict: false };
  const [engine, journal] = [nest.get(Engine, own), nest.get(Journal, own)];
  const source = {
    engine,
    codec: nest.get(MemoryStart, own).codec,
    label: () => imageLabel(engine, 'test'),
    heldUntil: () => journal.endOffset,
    cut: () => Promise.resolve(),
  };
  return new SnapshotKeeper(source, journal, nest.get(Store, own).snapshots, 0).make();
}

/** The lines of a replay after the server has stopped, and whether they report a difference. */
async function replay(folding = newFolding(), empty = newFolding(), until?: number) {
  await server.stop();
  let hasDiffered = false;
  const lines: string[] = [];
  const compare = {
    label: imageLabel(folding.engine, 'test'),
    differs: () => {
      hasDiffered = true;
    },
  };
  await readFolder(server.dataDirectory, folding.codec, async (store, journal) => {
    if (journal === null) return;
    const quiet = () => undefined;
    const options = until === undefined ? {} : { until: { offset: until } };
    const comparison: Comparison = {
      ...compare,
      withSnapshot: (end) =>
        comparedWithSnapshot(store, compare.label, { folding, until: end }, empty),
    };
    const replay = { journal, folding, options, onProgress: quiet, compare: comparison };
    const replayed = replayedLines(replay);
    for await (const line of replayed) lines.push(line);
  });
  return { lines, hasDiffered };
}

describe('a replay and the digests in the journal', () => {
  it('agree on an unchanged journal', async () => {
    await publish();
    await record();
    const id = await publish();
    await record();
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    await record(undefined, 'another build');
    const { lines, hasDiffered } = await replay();
    expect(hasDiffered).toBe(false);
    expect(lines).toContain(
      '2 of 2 digests in the journal match; 1 are of other programs or settings',
    );
  });

  it('agree after a sweep, although memory held more before it', async () => {
    await server.remove();
    const endpoint = await RecordingEndpoint.start(() => ({ status: 500 }));
    const environment = { STEPWELL_DLQ_RETENTION: '1s' };
    const ports = { fileSizes: { segmentBytes: 16 * 1024, reserveBytes: 0 } };
    server = await startServer({ environment, ports });
    const { nest } = server.application;
    const headers = { 'svc-retries': '0' };
    await callApi(server, 'POST', `/v2/publish/${endpoint.url}/x`, headers, 'letter');
    const failed = async () => {
      const { body } = await callApi(server, 'GET', '/v2/logs?state=FAILED');
      return (body as { logs: unknown[] }).logs.length > 0;
    };
    while (!(await failed())) await new Promise((resolve) => setTimeout(resolve, 10));
    await endpoint.stop();
    for (let count = 0; count < 40; count += 1) {
      const id = await publish('x'.repeat(500));
      await callApi(server, 'DELETE', `/v2/messages/${id}`);
    }
    await nest.get(Journal, { strict: false }).seal();
    const before = Date.now();
    await record();
    const snapshot = await snapshotOf(server);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const sweeper = nest.get(JournalSweeper, { strict: false });
    const outcome = await sweeper.sweep(before, Date.now());
    expect(outcome?.removedRecords).toBeGreaterThan(50);
    await record();
    const folding = () => newFolding({ ...config, deadLetterRetentionMs: 1000 }, ports.fileSizes);
    const { lines } = await replay(folding(), folding());
    expect(lines).toContain('1 of 1 digests in the journal match');
    const then = await replay(folding(), folding(), snapshot.offset);
    expect(then.lines).toContain(
      'no snapshot to compare with: the snapshot knows what was swept since',
    );
    expect(then.hasDiffered).toBe(false);
  });

  it('agree on parts of memory', async () => {
    for (let count = 0; count < 10; count += 1) await publish();
    await recordHalves();
    const id = await publish();
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    await recordHalves();
    const { lines, hasDiffered } = await replay();
    expect(hasDiffered).toBe(false);
    expect(lines).toContain('4 of 4 digests in the journal match');
  });

  it('differ if that of a part was forged, and the changed streams are named', async () => {
    await publish();
    const agreed = await record();
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) ids.push(await publish());
    const offsets = await recordHalves((digest) => ({
      hex: '0'.repeat(64),
      sections: digest.sections.map((each) =>
        each.section === 'message' ? { ...each, sum: 'f'.repeat(64) } : each,
      ),
    }));
    const { lines, hasDiffered } = await replay();
    expect(hasDiffered).toBe(true);
    const named = lines.filter((line) => line.startsWith(`changed since ${agreed}: `));
    expect(named).toHaveLength(2);
    for (const [part, at] of offsets.entries()) {
      const text = `the digest in the journal at ${at} (part ${part + 1} of 2) does not match`;
      expect(lines).toContain(text);
    }
    // Each of the streams is in one of the halves.
    expect(
      named
        .join()
        .match(/message\/msg_\w+/g)
        ?.toSorted(),
    ).toEqual(ids.map((id) => `message/${id}`).toSorted());
  });

  it('differ if the number of streams was another', async () => {
    await publish();
    await recordHalves(({ hex, sections }) => ({
      hex: hex.replace(/^./, (first) => (first === '0' ? '1' : '0')),
      sections: sections.map((each) =>
        each.section === 'count of message' ? { ...each, items: 3 } : each,
      ),
    }));
    const { lines, hasDiffered } = await replay();
    expect(hasDiffered).toBe(true);
    expect(lines).toContain('count of message: 1 items, and 3 then');
  });

  it('differ if one was forged, and its section and changed streams are named', async () => {
    await publish();
    const agreed = await record();
    const id = await publish();
    const at = await record((digest) => {
      const sections = digest.sections.map((each) =>
        each.section === 'message' ? { ...each, items: 7, sum: 'f'.repeat(64) } : each,
      );
      return { hex: '0'.repeat(64), sections };
    });
    const { lines, hasDiffered } = await replay();
    expect(hasDiffered).toBe(true);
    expect(lines).toContain(`the digest in the journal at ${at} does not match`);
    expect(lines).toContain('message: 2 items, and 7 then');
    expect(lines).toContain(`changed since ${agreed}: message/${id}`);
    expect(lines).toContain('1 of 2 digests in the journal match');
  });
});
