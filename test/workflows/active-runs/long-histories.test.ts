import {
  historyWarning,
  LongHistories,
} from '../../../src/workflows/active-runs/long-histories.js';
import { EntryList } from '../../../src/workflows/run-state/entry-list.js';
import type { RunEntry } from '../../../src/workflows/run-state/run.events.js';
import { historyMax } from '../../../src/workflows/runs/run-history.policy.js';
import { stepInfo } from '../../support/workflows/run-commands.js';

const entry = (bytes: number): RunEntry => ({
  messageId: 'msg_1',
  offset: 1,
  step: stepInfo(1),
  bytes,
});

/** What was told of, as run ids with what they weighed. */
function watch() {
  const warnings: unknown[] = [];
  const histories = new LongHistories({ warn: (fields: object) => void warnings.push(fields) });
  return { warnings, histories };
}

describe('a long history', () => {
  const { entries, bytes } = historyWarning;

  it('is told of once, when it has so many entries', () => {
    const { warnings, histories } = watch();
    let list = EntryList.of(Array.from({ length: entries - 1 }, () => entry(1)));
    histories.grown('wfr_1', list);
    expect(warnings).toEqual([]);
    for (let more = 0; more < 3; more += 1) {
      list = list.append(entry(1));
      histories.grown('wfr_1', list);
    }
    const weight = { entries, bytes: entries, max: historyMax };
    expect(warnings).toEqual([{ workflowRunId: 'wfr_1', ...weight }]);
  });

  it('is told of when it has so many bytes', () => {
    const { warnings, histories } = watch();
    histories.grown('wfr_1', EntryList.of([entry(bytes - 1)]));
    expect(warnings).toEqual([]);
    histories.grown('wfr_1', EntryList.of([entry(bytes)]));
    expect(warnings).toHaveLength(1);
  });

  it('is told of again where another run has come to bear its name', () => {
    const { warnings, histories } = watch();
    const long = EntryList.of([entry(bytes)]);
    histories.grown('wfr_1', long);
    histories.ended('wfr_1');
    histories.grown('wfr_1', long);
    expect(warnings).toHaveLength(2);
  });
});
