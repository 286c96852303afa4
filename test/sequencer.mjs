/** In which order the files run. Plain JavaScript: jest requires it before anything transforms. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Files that take 20 s and more on two processors, below this folder, the longest first. */
const longest = [
  'console/every-page.browser.test.ts',
  'server/inbound/deaf-clients.test.ts',
  'cli/exit-codes.test.ts',
  'cli/launch.test.ts',
  'cli/client/every-verb.test.ts',
  'soak/soak.test.ts',
  'cluster/rounds/rounds.test.ts',
  'storage/crash.test.ts',
  'simulation/workflows/workflow.test.ts',
  'api/server/as-of.test.ts',
  'cli/backup.command.test.ts',
  'server/lifecycle/leaving-memory.test.ts',
  'console/sink.browser.test.ts',
  'documents/made.test.ts',
  'server/lifecycle/many-connections.test.ts',
  'http/bytes/in-flight.test.ts',
  'console/browser.test.ts',
  'server/repair/export-good.test.ts',
  'console/reference.browser.test.ts',
  'console/topics.browser.test.ts',
  'console/schedules.browser.test.ts',
  'cli/build.test.ts',
  'cli/program.test.ts',
  'api/server/journal-archive.test.ts',
  'storage/full-disk.test.ts',
].map((name) => join(import.meta.dirname, name));

for (const path of longest) {
  if (!existsSync(path)) throw new Error(`test/sequencer.mjs names ${path}, which is not there`);
}

/**
 * The longest first: jest goes by the sizes of files where it has no timings of an earlier run, and
 * one thread would still be at work when the others have nothing left to do.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const placeOf = ({ path }) => longest.indexOf(path) >>> 0;
    return [...super.sort([...tests])].sort((one, other) => placeOf(one) - placeOf(other));
  }
}
