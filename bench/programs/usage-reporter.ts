/**
 * Loaded into every measured process before its program: says what the process has used, when the
 * bench asks. It is the same for Stepwell and for the bare loops, and keeps no process alive.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Memory, Usage } from '../measure/measured-process.js';

// The collector's function exists only in contexts that are made after the flag was set.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() };
}

/** Twice, because what finalizers let go of is collected only then. */
function memory(): Memory {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, externalBytes: external, residentBytes: rss };
}

process.on('message', (question: unknown) => {
  if (question === 'usage') process.send?.(usage());
  if (question === 'memory') process.send?.(memory());
});
// A bench that was killed leaves nothing running behind.
process.once('disconnect', () => process.exit());
process.channel?.unref();
