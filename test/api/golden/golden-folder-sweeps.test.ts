import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { Engine } from '../../../src/engine/engine.js';
import { call, GoldenFolder, writtenAt } from '../../support/golden/golden-folder.js';
import { sweepAll } from '../../support/golden/golden-sweep.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';
import { memoryOf } from '../../support/swept-history.js';

const small = { segmentBytes: 16 * 1024, reserveBytes: 0 };
const versions = ['v1', 'v2', 'v3', 'v4', 'v5'] as const;
const recent: ReadonlySet<string> = new Set(['v4', 'v5']);

/** So long a run is known by its name, and keeps the messages of its steps. */
const knownMs = 600_000;

/** What retention of dead letters keeps, with all that it is shown with. */
const letters = (server: TestServer) =>
  Promise.all(['/v2/dlq', '/v2/workflows/dlq'].map((path) => call(server, 'GET', path)));

describe('a data folder of an earlier version', () => {
  it.each(versions)(
    '%s is remembered as it was after a sweep of all that may go',
    async (version) => {
      const folder = await GoldenFolder.open(version, recent.has(version) ? small : undefined);
      await folder.unpack();
      const clock = new ManualClock(writtenAt);
      const server = await folder.start(clock);
      const shown = await letters(server);
      const outcome = await sweepAll(server, clock.now() + knownMs);
      expect(outcome?.removedRecords).toBeGreaterThan(0);
      const before = memoryOf(server.application.nest.get(Engine));
      await server.stop();
      expect((await verifyFolder(folder.path)).problems).toEqual([]);
      const restarted = await folder.start(clock);
      expect(memoryOf(restarted.application.nest.get(Engine))).toEqual(before);
      expect(await letters(restarted)).toEqual(shown);
      await restarted.stop();
      await folder.close();
    },
  );
});
