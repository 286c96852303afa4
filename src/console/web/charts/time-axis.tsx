/** Time axes: relative to a start, and by the clock. All times are in ms. */
import { clockTicks, tickWord, timeTicks } from '../time/ticks.ts';
import { MarkedAxis } from './marked-axis.tsx';

interface AxisProps {
  readonly from: number;
  readonly until: number;
}

/** `0`, `5 s`, `10 s`: the time since `from`. */
export function SinceAxis({ from, until }: AxisProps) {
  const span = until - from;
  const marks = timeTicks(span).map((tick) => ({
    place: span > 0 ? (100 * tick) / span : 0,
    word: tickWord(tick),
  }));
  return <MarkedAxis marks={marks} />;
}

/** `14:30`, `14:45`: times of day, or dates if the axis is long. */
export function ClockAxis({ from, until }: AxisProps) {
  const marks = clockTicks(from, until).map(({ at, word }) => ({
    place: (100 * (at - from)) / Math.max(1, until - from),
    word,
  }));
  return <MarkedAxis marks={marks} />;
}
