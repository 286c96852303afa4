/** A stacked bar for each minute, with its numbers on hover. */

import { barColours, type Tone } from '../parts/state-mark.tsx';
import { count, exact } from '../time/format.ts';
import type { SparklineValues } from './sparkline.tsx';
import { ClockAxis } from './time-axis.tsx';

/** A part of each bar, in one tone; null in its series counts as 0. */
interface Layer {
  readonly name: string;
  readonly tone: Tone;
  readonly series: SparklineValues;
}

interface StackedProps {
  readonly label: string;
  /** All layers have the same length. */
  readonly layers: readonly Layer[];
  /** The start of the first bar, in Unix ms. */
  readonly from: number;
  readonly stepMs: number;
}

function wordsOf(parts: readonly { readonly name: string; readonly value: number }[]): string {
  return parts.map(({ name, value }) => `${count(value)} ${name}`).join(', ');
}

/** `from` is in Unix ms; each bar covers `stepMs`. */
export function StackedMinutes({ label, layers, from, stepMs }: StackedProps) {
  const length = Math.max(0, ...layers.map(({ series }) => series.length));
  const columns = Array.from({ length }, (_, index) => ({
    at: from + index * stepMs,
    parts: layers.map(({ name, tone, series }) => ({ name, tone, value: series[index] ?? 0 })),
  }));
  const sums = columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const max = Math.max(1, ...sums);
  return (
    <figure className="p-3">
      <div role="img" aria-label={label} className="flex h-28 items-end gap-px">
        {columns.map(({ at, parts }) => (
          <div
            key={at}
            title={`${exact(at).slice(0, 16)}: ${wordsOf(parts)}`}
            className="flex h-full min-w-0 flex-1 flex-col-reverse hover:bg-raised"
          >
            {parts.map(({ name, tone, value }) => (
              <div
                key={name}
                style={{ height: `${(100 * value) / max}%` }}
                className={barColours[tone]}
              />
            ))}
          </div>
        ))}
      </div>
      <div className="mt-1 border-t border-line pt-1">
        <ClockAxis from={from} until={from + length * stepMs} />
      </div>
      <figcaption className="mt-2 flex flex-wrap gap-4 text-xs text-muted">
        {layers.map(({ name, tone }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span className={`size-2 rounded-xs ${barColours[tone]}`} />
            {name}
          </span>
        ))}
        <span className="ml-auto">at most {count(max)} a minute</span>
      </figcaption>
    </figure>
  );
}
