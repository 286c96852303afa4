/** The runs of an engine that has messages only. */
import type { Runs } from '../../../src/workflows/runs/run.entity.js';

export const noRuns: Pick<Runs, 'active' | 'shown'> = {
  active: () => undefined,
  shown: async (read) => read(),
};
