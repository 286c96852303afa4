/** How events that older versions wrote are read; what is on disk is never rewritten. */
import type { RunReconfigured } from './run.events.js';

/** `RunReconfigured`, version 1 to 2: the first delivery was left to its own answer. */
export function liftReconfiguredToVersion2(
  fields: Omit<RunReconfigured, 'completed'>,
): RunReconfigured {
  return { completed: [], ...fields };
}
