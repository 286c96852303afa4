import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { type RunEvent, runKind } from '../../../src/workflows/run-state/run.events.js';
import { KnownRuns } from '../../../src/workflows/runs/known-runs.projection.js';
import { envelope } from '../../support/envelope.js';
import { runStarted } from '../../support/workflows/run-commands.js';

const minute = 60_000;
const started = (id: string, at: number) =>
  envelope<RunEvent>(runStarted({ messageId: `msg_${id}` }), { kind: runKind, id, at });

describe('the runs that were started lately', () => {
  it('are known for ten minutes, whether they have ended or not', () => {
    const known = new KnownRuns();
    known.evolve(started('wfr_1', 0), new TurnChanges());
    const run = { messageId: 'msg_wfr_1', createdAt: 0 };
    expect(known.find('wfr_1', 10 * minute - 1)).toEqual(run);
    expect(known.find('wfr_1', 10 * minute)).toBeUndefined();
    expect(known.find('wfr_2', 0)).toBeUndefined();
  });

  it('are forgotten when others start, so that memory follows the starts', () => {
    const known = new KnownRuns();
    known.evolve(started('wfr_1', 0), new TurnChanges());
    known.evolve(started('wfr_2', 10 * minute), new TurnChanges());
    // Asked as of the past, it would still be known, had it not been forgotten.
    expect(known.find('wfr_1', 0)).toBeUndefined();
    expect(known.find('wfr_2', 10 * minute)).toBeDefined();
  });

  it('are as before when the turn is taken back', () => {
    const known = new KnownRuns();
    known.evolve(started('wfr_1', 0), new TurnChanges());
    const changes = new TurnChanges();
    known.evolve(started('wfr_1', 10 * minute), changes);
    changes.revert();
    expect(known.find('wfr_1', 1)).toEqual({ messageId: 'msg_wfr_1', createdAt: 0 });
  });
});
