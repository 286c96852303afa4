import type { RunEntry, StepInfo } from '../../../src/workflows/run-state/run.events.js';
import { SubmittedSteps } from '../../../src/workflows/run-state/submitted-steps.js';
import { planOf, stepInfo } from '../../support/workflows/run-commands.js';

/** For each entry of a run, whether its delivery has submitted what follows it. */
function submitted(...steps: readonly StepInfo[]): readonly boolean[] {
  const entries = steps.map(
    (step, index): RunEntry => ({ messageId: `msg_${index}`, offset: index, bytes: 0, step }),
  );
  const all = new SubmittedSteps(entries);
  return steps.map((_, entry) => all.include({ role: 'step', entry }));
}

test('a delivery has submitted the step that follows', () => {
  expect(submitted(stepInfo(0))).toEqual([false]);
  expect(submitted(stepInfo(0), stepInfo(1), stepInfo(2))).toEqual([true, true, false]);
});

test('a delivery has submitted the plans that follow, and a plan its branch', () => {
  expect(submitted(stepInfo(0), planOf(1), planOf(2))).toEqual([true, false, false]);
  expect(submitted(stepInfo(0), planOf(1), planOf(2), stepInfo(2))).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('the result of a branch leads to nothing before the last one', () => {
  const branches = [stepInfo(0), planOf(1), planOf(2), stepInfo(2), stepInfo(1)];
  expect(submitted(...branches)).toEqual([true, true, true, false, false]);
  expect(submitted(...branches, stepInfo(3))).toEqual([true, true, true, false, true, false]);
});

test('calls to third parties, and messages of no run, are no deliveries of entries', () => {
  const entries = [stepInfo(0), stepInfo(1)].map(
    (step, offset): RunEntry => ({ messageId: `msg_${offset}`, offset, bytes: 0, step }),
  );
  const all = new SubmittedSteps(entries);
  expect(all.include({ role: 'call', entry: -1 })).toBe(false);
  expect(all.include({ role: 'callResult', entry: -1 })).toBe(false);
  expect(all.include(null)).toBe(false);
});
