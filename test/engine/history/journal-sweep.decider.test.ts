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
  it('are recorded with their outcome', () => {
    const { events } = given(journalSweepDecider, null).when(record);
    expect(events).toEqual([{ type: 'JournalSwept', ...outcome }]);
  });

  it('are remembered by the end of the last one', () => {
    const swept = { type: 'JournalSwept', ...outcome } as const;
    const { state } = given(journalSweepDecider, null, swept, { ...swept, until: 900 });
    expect(state).toEqual({ until: 900, edge: 900 });
  });

  it('are recorded before anything is removed, with how far they may remove', () => {
    const swept = { type: 'JournalSwept', ...outcome } as const;
    const begin = { ...record, type: 'BeginSweep', edge: 700 } as const;
    const { events, state } = given(journalSweepDecider, null, swept).when(begin);
    expect(events).toEqual([{ type: 'JournalSweepBegun', edge: 700 }]);
    expect(state).toEqual({ until: 500, edge: 700 });
  });

  it('are read from a checkpoint of a version that recorded only their ends', () => {
    const [upcast] = journalSweepDecider.events.Checkpointed ?? [];
    const older = { type: 'Checkpointed', began: 3, state: { until: 500 }, entries: [] };
    expect(upcast?.(older as never)).toEqual({ ...older, state: { until: 500, edge: 500 } });
  });
});
