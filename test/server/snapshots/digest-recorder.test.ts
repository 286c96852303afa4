import { Engine } from '../../../src/engine/engine.js';
import { Journal } from '../../../src/engine/journal.js';
import { DigestRecorder } from '../../../src/engine/snapshots/digest-recorder.js';
import {
  type DigestedMemory,
  isDigest,
  partIn,
} from '../../../src/engine/snapshots/memory-digest.events.js';
import { MemoryDigests } from '../../../src/engine/snapshots/memory-digests.js';
import { partDigest } from '../../../src/engine/snapshots/part-digest.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import { readConfiguration } from '../../../src/server/configuration/config.js';
import { sweepStretch } from '../../../src/server/history/journal-sweeps.module.js';
import { productFolding } from '../../../src/server/history/product-folding.js';
import { publishDelayed } from '../../support/clients/delayed-messages.js';
import { fileSizes, startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let engine: Engine;
let journal: Journal;
let recorder: DigestRecorder;

beforeEach(async () => {
  server = await startServer();
  const { nest } = server.application;
  engine = nest.get(Engine, { strict: false });
  journal = nest.get(Journal, { strict: false });
  const digests = nest.get(MemoryDigests, { strict: false });
  recorder = new DigestRecorder({ engine, digests, label: () => 'test', now: Date.now });
});

afterEach(() => server.remove());

/**
 * The digests in the journal, oldest first, each with the digest of a fold of the events before.
 */
async function recorded(): Promise<{ digest: DigestedMemory; hex: string }[]> {
  await engine.durable();
  const { config } = readConfiguration({});
  const folding = productFolding({ ...config, sweepStretch: sweepStretch(config, fileSizes) });
  const found: { digest: DigestedMemory; hex: string }[] = [];
  for await (const envelopes of journal.replay()) {
    for (const envelope of envelopes) {
      if (isDigest(envelope)) {
        const part = partIn(envelope.event);
        const memory = folding.engine;
        const own = part === null ? digestOf(itemsOf(memory)) : partDigest(memory, part);
        found.push({ digest: envelope.event, hex: own.hex });
      }
      folding.engine.replay([envelope]);
    }
  }
  return found;
}

describe('the recorder of digests', () => {
  it('records all of a small memory', async () => {
    await publishDelayed(server, 20);
    await recorder.record(journal.endOffset);
    const [only, ...others] = await recorded();
    expect(others).toEqual([]);
    expect(only?.digest).not.toHaveProperty('part');
    expect(only?.digest.hex).toBe(only?.hex);
  });

  it('records a large memory part by part, as a fold of the journal finds them', async () => {
    await publishDelayed(server, 1200);
    for (let count = 0; count < 5; count += 1) await recorder.record(journal.endOffset);
    const digests = await recorded();
    expect(digests.map(({ digest }) => digest.hex)).toEqual(digests.map(({ hex }) => hex));
    const parts = digests.map(({ digest }) => digest.part ?? []);
    const [first = 0] = parts[0] ?? [];
    expect(parts).toEqual([0, 1, 2, 3, 4].map((turn) => [(first + turn) % 4, 4]));
    const ofMessages = digests.slice(0, 4).map(({ digest: { sections } }) => {
      const items = (name: string) => Number(sections[sections.indexOf(name) + 1]);
      expect(items('count of message')).toBe(1200);
      return items('message');
    });
    expect(ofMessages.reduce((sum, items) => sum + items)).toBe(1200);
  });

  it('records all of a large memory if it stands still', async () => {
    await publishDelayed(server, 1200);
    await recorder.record(journal.endOffset, true);
    const [only] = await recorded();
    expect(only?.digest).not.toHaveProperty('part');
    expect(only?.digest.hex).toBe(only?.hex);
  });

  it('records nothing until much has happened since the last digest', async () => {
    await recorder.recordDue(journal.endOffset);
    await publishDelayed(server, 1000);
    await recorder.recordDue(journal.endOffset);
    expect(await recorded()).toHaveLength(1);
    await publishDelayed(server, 1000);
    await recorder.recordDue(journal.endOffset);
    expect(await recorded()).toHaveLength(2);
  });
});
