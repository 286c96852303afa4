/** How events written by older versions are read; events on disk are never rewritten. */
import type { RunReconfigured } from './run.events.js';

/**
 * `RunReconfigured`, version 1 to 2: in version 1 a takeover did not complete the first delivery,
 * which waited for its own answer.
 */
export function liftReconfiguredToVersion2(
  fields: Omit<RunReconfigured, 'completed'>,
): RunReconfigured {
  return { completed: [], ...fields };
}
