import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readerOptions } from '../../src/cli/journal/journal-reader.js';
import { Journal, openJournalLog } from '../../src/engine/journal.js';
import { imageLabel } from '../../src/engine/snapshots/memory-image.js';
import { recoverMemory } from '../../src/engine/snapshots/snapshot-start.js';
import { differingSections, digestOf, itemsOf } from '../../src/engine/snapshots/state-digest.js';
import { readConfiguration } from '../../src/server/configuration/config.js';
import { sweepStretch } from '../../src/server/history/journal-sweeps.module.js';
import { productFolding } from '../../src/server/history/product-folding.js';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import type { SkippedSnapshot } from '../../storage/snapshot/snapshots.js';
import { openStore } from '../../storage/store.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { authorization, freePort, ServerProcess } from '../support/program/server-process.js';
import { seed } from '../support/seed.js';

/** More rounds for longer runs: `KILL_ROUNDS=1000 npm run jest -- test/crash`. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 2);
const publishers = 6;

/** Snapshots as often as the server looks whether one is due. */
const environment = { STEPWELL_SNAPSHOT_EVERY: '16kb' };

/** What a start of the built program on this folder would remember. */
async function started(folder: string, build: string) {
  const store = await openStore(nodeDisk, folder, readerOptions);
  try {
    const log = await openJournalLog(store);
    const { config } = readConfiguration({});
    const stretch = sweepStretch(config, {});
    const folding = productFolding({ ...config, sweepStretch: stretch });
    const { engine } = folding;
    const label = imageLabel(engine, build);
    const damaged: string[] = [];
    const journal = new Journal(log, folding.codec);
    const skipped = ({ reason }: SkippedSnapshot) => void damaged.push(reason);
    const snapshot = await store.snapshots.latest(label, journal.highWatermark, skipped);
    await recoverMemory(folding, journal, snapshot);
    return { snapshot, damaged, digest: digestOf(itemsOf(engine)) };
  } finally {
    await store.close();
  }
}

describe('a server that is killed while it makes snapshots', () => {
  it(`starts with the memory of the whole journal (seed ${seed})`, async () => {
    const random = new SeededRandom(seed);
    const folder = await mkdtemp(join(tmpdir(), 'stepwell-kill-'));
    const build = JSON.parse(await readFile('dist/src/build.json', 'utf8')).digest as string;
    const port = await freePort();
    const acknowledged: string[] = [];
    let used = 0;
    for (let round = 0; round < rounds; round += 1) {
      const server = await ServerProcess.start(folder, port, environment);
      let running = true;
      const publish = async () => {
        while (running) {
          const response = await fetch(`${server.url}/v2/enqueue/q/https://example.com/`, {
            method: 'POST',
            headers: { authorization, 'svc-delay': `${1 + random.below(5)}h` },
            body: 'x'.repeat(random.below(2000)),
          }).catch(() => null);
          // A client that was cut off got nothing.
          if (response === null) return;
          expect(response.status).toBe(200);
          const answer = (await response.json().catch(() => null)) as { messageId: string } | null;
          if (answer !== null) acknowledged.push(answer.messageId);
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      };
      const clients = Array.from({ length: publishers }, publish);
      for (let looks = 0; looks < 200; looks += 1) {
        const names = await readdir(join(folder, 'snapshots')).catch(() => []);
        if (names.length > Math.min(round, 1)) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await new Promise((resolve) => setTimeout(resolve, random.below(2500)));
      await server.kill();
      running = false;
      await Promise.all(clients);
      const [fromSnapshot, fromAll] = [await started(folder, build), await started(folder, 'none')];
      expect(fromSnapshot.damaged).toEqual([]);
      expect(differingSections(fromSnapshot.digest, fromAll.digest)).toEqual([]);
      if (fromSnapshot.snapshot !== null) used += 1;
    }
    expect(used).toBeGreaterThan(0);
    const server = await ServerProcess.start(folder, port, environment);
    for (const id of acknowledged.slice(-200)) {
      const { status } = await fetch(`${server.url}/v2/messages/${id}`, {
        headers: { authorization },
      });
      expect(status).toBe(200);
    }
    expect(await server.kill('SIGTERM')).toBe(0);
    await rm(folder, { recursive: true });
  }, 600_000);
});
