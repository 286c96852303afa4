import {
  journalSweepDecider,
  type RecordSweep,
} from '../../../src/engine/history/journal-sweep.decider.js';
import { epochMs, given } from '../../support/given.js';

const outcome = { until: 500, keptRecords: 2, removedRecords: 498, removedBytes: 70_000 };
const record: RecordSweep = {
  type: 'RecordSweep',
  kind: 'journal-sweep',
  id: 'journal',
  at: epochMs,
  ...outcome,
};

describe('sweeps of the journal', () => {
  it('are recorded with what they came to', () => {
    const { events } = given(journalSweepDecider, null).when(record);
    expect(events).toEqual([{ type: 'JournalSwept', ...outcome }]);
  });

  it('are remembered by where the last one ended', () => {
    const swept = { type: 'JournalSwept', ...outcome } as const;
    const { state } = given(journalSweepDecider, null, swept, { ...swept, until: 900 });
    expect(state).toEqual({ until: 900 });
  });
});
