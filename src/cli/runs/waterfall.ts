/** Draws a run as bars over time on a terminal, with the same lanes as in the console. */
import type { Bar, BarKind, Lane } from '../../run-waterfall/lane.js';
import type { RunLanes } from '../../run-waterfall/lanes.js';
import { type Colour, type Paint, shownState } from '../output/style.js';
import { durationWords } from '../output/time-words.js';
import { oneLine } from '../output/visible.js';
import { cutTo, paddedTo, widthOf } from '../output/width.js';

const nameWidthMax = 28;
const barWidthMin = 20;
const stateWidth = 12;
const timeWidth = 8;
const spaces = 4;

/** The character of each kind of bar, which distinguishes the kinds even without colours. */
const looks: Readonly<Record<BarKind, readonly [sign: string, colour: Colour]>> = {
  attempt: ['━', 'green'],
  queued: ['·', 'dim'],
  retry: ['·', 'yellow'],
  sleep: ['─', 'cyan'],
  wait: ['─', 'cyan'],
  invoke: ['─', 'cyan'],
  stored: ['●', 'green'],
};

/** What the signs of the lanes mean, in one line. */
export const legend = '━ attempt  ─ sleep or wait  · waiting or until the next attempt  ● stored';

/**
 * One line for each step: its name, its bars between the start and the end of the run, its duration
 * and its state.
 */
export function waterfallLines(run: RunLanes, now: number, paint: Paint, width: number): string[] {
  const { startedAt } = run;
  const lanes = run.lanes.map((lane) => ({ ...lane, name: oneLine(lane.name) }));
  if (lanes.length === 0) return ['no step yet'];
  const firstAt = Math.min(...lanes.map(({ bars }) => bars[0]?.from ?? now));
  const from = startedAt === null ? firstAt : Math.min(startedAt, firstAt);
  const end = run.endedAt ?? now;
  const to = Math.max(from + 1, end, ...lanes.flatMap(({ bars }) => bars.map(endOf(end))));
  const nameWidth = Math.min(nameWidthMax, Math.max(...lanes.map(({ name }) => widthOf(name))));
  const barWidth = Math.max(barWidthMin, width - nameWidth - stateWidth - timeWidth - spaces);
  const scale = { from, to, width: barWidth };
  return lanes.map((lane) => {
    const { name, bars, state } = lane;
    const begin = bars[0]?.from ?? from;
    const took = Math.max(begin, ...bars.map(endOf(to))) - begin;
    const shown = paddedTo(shownState(state, paint), stateWidth);
    const label = paddedTo(cutTo(name, nameWidth), nameWidth);
    const time = durationWords(took).padStart(timeWidth - 1);
    const drawn = drawnBars(bars, scale, paint);
    return `${label} ${drawn} ${time} ${shown}${failures(lane, paint)}`.trimEnd();
  });
}

interface Scale {
  readonly from: number;
  readonly to: number;
  /** In columns. */
  readonly width: number;
}

const endOf = (open: number) => (bar: Bar) => bar.until ?? open;

/**
 * Every bar has at least one column, so that an attempt of a millisecond is visible. An open bar
 * ends in an arrow.
 */
function drawnBars(bars: readonly Bar[], { from, to, width }: Scale, paint: Paint): string {
  const column = (at: number) => Math.round(((at - from) / (to - from)) * width);
  const cells: Cell[] = new Array(width).fill({ sign: ' ', colour: null });
  for (const bar of bars) {
    const begin = Math.min(width - 1, Math.max(0, column(bar.from)));
    const end = Math.min(width, Math.max(begin + 1, column(bar.until ?? to)));
    const [sign, usual] = looks[bar.kind];
    const colour = bar.outcome === 'failed' ? 'red' : usual;
    cells.fill({ sign, colour }, begin, end);
    if (bar.until === null) cells[end - 1] = { sign: '▶', colour };
  }
  return painted(cells, paint);
}

/** One column of a lane; `colour` is null if no bar covers it. */
interface Cell {
  readonly sign: string;
  readonly colour: Colour | null;
}

/** Consecutive cells of one colour are coloured together. */
function painted(cells: readonly Cell[], paint: Paint): string {
  let line = '';
  for (let begin = 0, end = 0; begin < cells.length; begin = end) {
    const { colour = null } = cells[begin] ?? {};
    while (end < cells.length && cells[end]?.colour === colour) end += 1;
    const signs = cells.slice(begin, end).map(({ sign }) => sign);
    line += colour === null ? signs.join('') : paint(colour, signs.join(''));
  }
  return line;
}

function failures({ bars }: Lane, paint: Paint): string {
  const count = bars.filter(({ outcome }) => outcome === 'failed').length;
  return count === 0 ? '' : paint('red', ` ${count} failed`);
}
