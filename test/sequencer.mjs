/** In which order the files run. Plain JavaScript: jest requires it before anything transforms. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Files that take 20 s and more on two processors, below this folder, the longest first. */
const longest = [
  // First: the networks that it makes and removes break off what a browser is loading.
  'cluster/rounds/rounds.test.ts',
  'cluster/postgres-failures.test.ts',
  'storage/crash.test.ts',
  'soak/soak.test.ts',
  'cli/exit-codes.test.ts',
  'server/inbound/deaf-clients.test.ts',
  'cli/client/every-verb.test.ts',
  'storage/damage.test.ts',
  'console/every-page.browser.test.ts',
  'simulation/workflows/workflow.test.ts',
  'cli/build.test.ts',
  'cli/launch.test.ts',
  'storage/failure.test.ts',
  'cli/backup.command.test.ts',
  'server/lifecycle/many-connections.test.ts',
  'api/workflows/run-revivals.test.ts',
  'server/lifecycle/fatal-exits.test.ts',
  'cli/program.test.ts',
  'documents/made.test.ts',
  'console/topics.browser.test.ts',
  'storage/full-disk.test.ts',
  'cli/client/message-commands.test.ts',
  'console/browser.test.ts',
].map((name) => join(import.meta.dirname, name));

for (const path of longest) {
  if (!existsSync(path)) throw new Error(`test/sequencer.mjs names ${path}, which is not there`);
}

/**
 * The longest first: jest goes by the sizes of files where it has no timings of an earlier run, and
 * one process would still be at work when the others have nothing left to do.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const placeOf = ({ path }) => longest.indexOf(path) >>> 0;
    return [...super.sort([...tests])].sort((one, other) => placeOf(one) - placeOf(other));
  }
}
