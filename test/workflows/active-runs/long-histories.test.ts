import { LongHistories } from '../../../src/workflows/active-runs/long-histories.js';
import { EntryList } from '../../../src/workflows/run-state/entry-list.js';
import { nothingBegun, type RunContext } from '../../../src/workflows/run-state/run.context.js';
import {
  type RunEntry,
  type RunEvent,
  runKind,
} from '../../../src/workflows/run-state/run.events.js';
import { historyMax, historyWarning } from '../../../src/workflows/runs/history-bounds.policy.js';
import { envelope } from '../../support/envelope.js';
import { stepInfo } from '../../support/workflows/run-commands.js';

const entry = (bytes: number): RunEntry => ({
  messageId: 'msg_1',
  offset: 1,
  step: stepInfo(1),
  bytes,
});

/**
 * The reported run ids with the sizes of their histories; `grown` reports a new size of the one
 * run.
 */
function watch() {
  const warnings: unknown[] = [];
  let run: RunContext | undefined;
  const log = { warn: (fields: object) => void warnings.push(fields) };
  const histories = new LongHistories({ active: () => run }, log);
  const show = (entries: EntryList | null) => {
    run = entries === null ? undefined : { ...nothingBegun, entries };
    const event: RunEvent = { type: 'RunSucceeded', completed: [], canceled: [] };
    histories.listener([envelope(event, { kind: runKind, id: 'wfr_1' })]);
  };
  return { warnings, grown: show, ended: () => show(null) };
}

describe('a long history', () => {
  const { entries, bytes } = historyWarning;

  it('is logged once, when it reaches the number of entries', () => {
    const { warnings, grown } = watch();
    let list = EntryList.of(Array.from({ length: entries - 1 }, () => entry(1)));
    grown(list);
    expect(warnings).toEqual([]);
    for (let more = 0; more < 3; more += 1) {
      list = list.append(entry(1));
      grown(list);
    }
    const weight = { entries, bytes: entries, max: historyMax };
    expect(warnings).toEqual([{ workflowRunId: 'wfr_1', ...weight }]);
  });

  it('is logged when it reaches the number of bytes', () => {
    const { warnings, grown } = watch();
    grown(EntryList.of([entry(bytes - 1)]));
    expect(warnings).toEqual([]);
    grown(EntryList.of([entry(bytes)]));
    expect(warnings).toHaveLength(1);
  });

  it('is reported again if another run reuses the id', () => {
    const { warnings, grown, ended } = watch();
    const long = EntryList.of([entry(bytes)]);
    grown(long);
    ended();
    grown(long);
    expect(warnings).toHaveLength(2);
  });
});
