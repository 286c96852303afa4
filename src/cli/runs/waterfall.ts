/** A run as bars over time, for a terminal. */
import { type Paint, shownState, widthOf } from '../output/style.js';
import { durationWords } from '../output/time-words.js';
import type { Run, Step } from './run-steps.js';

const nameWidthMax = 28;
const barWidthMin = 20;
const stateWidth = 12;
const timeWidth = 8;
const spaces = 4;

/** A line for each step: its name, its bar between the start and the end of the run, its state. */
export function waterfallLines(run: Run, now: number, paint: Paint, width: number): string[] {
  const { startedAt, steps } = run;
  if (steps.length === 0) return ['no step yet'];
  const end = run.endedAt ?? now;
  const labels = steps.map(({ name, isParallel }) => `${isParallel ? '├ ' : ''}${name}`);
  const nameWidth = Math.min(nameWidthMax, Math.max(...labels.map(({ length }) => length)));
  const barWidth = Math.max(barWidthMin, width - nameWidth - stateWidth - timeWidth - spaces);
  const scale = { from: startedAt, to: Math.max(end, startedAt + 1), width: barWidth };
  return steps.map((step, index) => {
    const label = cut(labels[index] ?? '', nameWidth).padEnd(nameWidth);
    const took = durationWords((step.endedAt ?? end) - step.startedAt).padStart(timeWidth - 1);
    const state = shownState(step.state, paint);
    const errors = step.errors === 0 ? '' : paint('red', ` ${step.errors} failed`);
    const padded = `${state}${' '.repeat(Math.max(0, stateWidth - widthOf(state)))}${errors}`;
    return `${label} ${bar(step, scale, paint)} ${took} ${padded}`.trimEnd();
  });
}

interface Scale {
  readonly from: number;
  readonly to: number;
  /** Columns. */
  readonly width: number;
}

/** Never empty: a step of a millisecond is seen too. An open step ends in an arrow. */
function bar(step: Step, { from, to, width }: Scale, paint: Paint): string {
  const column = (at: number) => Math.round(((at - from) / (to - from)) * width);
  const begin = Math.min(width - 1, Math.max(0, column(step.startedAt)));
  const end = Math.min(width, Math.max(begin + 1, column(step.endedAt ?? to)));
  const body = step.endedAt === null ? `${'━'.repeat(end - begin - 1)}▶` : '━'.repeat(end - begin);
  return `${' '.repeat(begin)}${paint(colourOf(step), body)}${' '.repeat(width - end)}`;
}

function colourOf({ state, type }: Step): 'green' | 'red' | 'yellow' | 'cyan' {
  if (state.endsWith('FAILED')) return 'red';
  if (state.endsWith('RETRY')) return 'yellow';
  return type.startsWith('Sleep') || type.startsWith('Wait') ? 'cyan' : 'green';
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
