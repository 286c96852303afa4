/** Bars over a time axis: what happened when, and for how long. */

import { barColours, type Tone } from '../parts/state-mark.tsx';
import { duration } from '../time/format.ts';

/** Times in any unit, the same as that of the scale. */
export interface TimeBar {
  readonly from: number;
  readonly until: number;
  readonly tone: Tone;
  readonly says: string;
}

/** The start and end of the axis, in Unix ms. */
export interface Scale {
  readonly from: number;
  readonly until: number;
}

/** A position on the scale, in per cent. */
function place(at: number, { from, until }: Scale): number {
  return until <= from ? 0 : (100 * (at - from)) / (until - from);
}

/** One lane. A bar is at least two pixels wide. */
export function Bars({
  bars,
  scale,
}: {
  readonly bars: readonly TimeBar[];
  readonly scale: Scale;
}) {
  return (
    <div className="relative h-4">
      {bars.map(({ from, until, tone, says }) => (
        <div
          key={`${from} ${says}`}
          role="img"
          aria-label={`${says}, ${duration(until - from)}`}
          title={`${says} (${duration(until - from)})`}
          style={{
            left: `${place(from, scale)}%`,
            width: `max(2px, ${place(until, scale) - place(from, scale)}%)`,
          }}
          className={`absolute inset-y-0 rounded-xs ${barColours[tone]} ${tone === 'wait' ? 'top-1.5 bottom-1.5' : ''}`}
        />
      ))}
    </div>
  );
}
