import type { RunReconfigured } from '../../../src/workflows/run-state/run.events.js';
import { liftReconfiguredToVersion2 } from '../../../src/workflows/run-state/run.upcasters.js';
import { runDecider } from '../../../src/workflows/runs/run.decider.js';
import { runConfiguration } from '../../support/workflows/run-commands.js';

describe('a takeover of version 1', () => {
  const known: RunReconfigured = {
    type: 'RunReconfigured',
    configuration: runConfiguration(),
    messageId: 'msg_own',
    completed: [],
  };
  const { completed: _, ...version1 } = known;

  it('is read as a takeover that answered no delivery', () => {
    expect(liftReconfiguredToVersion2(version1)).toEqual(known);
  });

  it('is lifted wherever it is read', () => {
    expect(runDecider.events.RunReconfigured).toEqual([liftReconfiguredToVersion2]);
  });
});
