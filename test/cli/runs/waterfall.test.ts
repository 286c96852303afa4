import { plain } from '../../../src/cli/output/style.js';
import { runOf } from '../../../src/cli/runs/run-steps.js';
import { waterfallLines } from '../../../src/cli/runs/waterfall.js';

/** A run as the listing tells it (workflows.md 5.1): two branches, then a step that is tried. */
const row = {
  workflowRunId: 'wfr_1',
  workflowUrl: 'http://app/wf',
  state: 'running',
  workflowRunCreatedAt: 1000,
  steps: [
    {
      type: 'sequential',
      steps: [{ stepName: 'init', stepType: 'Initial', state: 'STEP_SUCCESS', createdAt: 1000 }],
    },
    {
      type: 'parallel',
      steps: [
        { stepName: 'fast', stepType: 'Run', state: 'STEP_SUCCESS', createdAt: 2000 },
        { stepName: 'nap', stepType: 'SleepFor', state: 'STEP_SUCCESS', createdAt: 3000 },
      ],
    },
    { type: 'next', steps: [{ state: 'STEP_RETRY', errors: [{}, {}] }] },
  ],
};

it('draws a bar from the start of each step to its end, and an arrow for an open one', () => {
  expect(waterfallLines(runOf(row), 5000, plain, 60)).toEqual([
    'init      ━                               0ms ✓ success',
    '├ fast    ━━━━━━━                        1.0s ✓ success',
    '├ nap     ━━━━━━━━━━━━━━                 2.0s ✓ success',
    'next step               ━━━━━━━━━━━━▶    2.0s ↻ retry      2 failed',
  ]);
});

it('draws a run without steps, and one of no duration', () => {
  expect(waterfallLines({ ...runOf(row), steps: [] }, 5000, plain, 60)).toEqual(['no step yet']);
  const ended = { ...row, workflowRunCompletedAt: 1000, steps: row.steps.slice(0, 1) };
  expect(waterfallLines(runOf(ended), 9000, plain, 60)).toHaveLength(1);
});
