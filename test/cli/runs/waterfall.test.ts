import { plain } from '../../../src/cli/output/style.js';
import { waterfallLines } from '../../../src/cli/runs/waterfall.js';
import type { Bar, BarKind, BarOutcome, Lane } from '../../../src/run-waterfall/lane.js';

const bar = (kind: BarKind, from: number, until: number | null, outcome: BarOutcome): Bar => ({
  kind,
  from,
  until,
  outcome,
});
const lane = (name: string, state: string, bars: readonly Bar[]): Lane => ({
  key: name,
  name,
  type: 'Run',
  state,
  messageIds: [],
  bars,
});

/** A step that ran, one that sleeps, and one that failed, waited and runs again. */
const run = {
  startedAt: 1000,
  endedAt: null,
  state: 'RUN_STARTED',
  lanes: [
    lane('charge', 'STEP_SUCCESS', [
      bar('attempt', 1000, 3000, 'ok'),
      bar('stored', 3000, 3000, 'ok'),
    ]),
    lane('nap', 'sleeping', [bar('sleep', 3000, null, 'open')]),
    lane('mail', 'STEP_PROGRESS', [
      bar('attempt', 1000, 2000, 'failed'),
      bar('retry', 2000, 4000, 'ok'),
      bar('attempt', 4000, null, 'open'),
    ]),
  ],
};

it('a waterfall draws each attempt and wait of a step, with an arrow if it is open', () => {
  expect(waterfallLines(run, 5000, plain, 60)).toEqual([
    'charge ━━━━━━━━━━━━━━━●                  2.0s ✓ success',
    'nap                   ──────────────▶    2.0s ○ sleeping',
    'mail   ━━━━━━━━···············━━━━━━▶    4.0s ▶ progress   1 failed',
  ]);
});

it('a waterfall draws a run without steps and one of no duration', () => {
  expect(waterfallLines({ ...run, lanes: [] }, 5000, plain, 60)).toEqual(['no step yet']);
  const moment = lane('charge', 'STEP_SUCCESS', [bar('stored', 1000, 1000, 'ok')]);
  const ended = { ...run, endedAt: 1000, lanes: [moment] };
  expect(waterfallLines(ended, 9000, plain, 60)).toEqual([
    `charge ●${' '.repeat(29)}     0ms ✓ success`,
  ]);
});
