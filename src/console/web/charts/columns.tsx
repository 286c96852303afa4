/** A stacked column chart over time; dragging over it selects a period. */
import { type PointerEvent, useState } from 'react';
import { barColours, type Tone } from '../parts/state-mark.tsx';
import { count, exact } from '../time/format.ts';
import { ClockAxis } from './time-axis.tsx';

/** A period in Unix ms; the end is exclusive. */
interface Stretch {
  readonly from: number;
  readonly until: number;
}

/** A part of each column, in one tone. */
interface ColumnLayer {
  readonly name: string;
  readonly tone: Tone;
  /** One number for each column; all layers have the same length. */
  readonly values: readonly number[];
}

interface ColumnsProps {
  readonly label: string;
  readonly layers: readonly ColumnLayer[];
  /** The start of the first column, in Unix ms. */
  readonly from: number;
  readonly stepMs: number;
  /** The selected period; null = none. */
  readonly chosen: Stretch | null;
  readonly choose: (stretch: Stretch) => void;
}

/**
 * `chosen`, in Unix ms, is highlighted; null = all of it. For the keyboard, there are fields beside
 * it (`StretchFields`).
 */
export function Columns({ label, layers, from, stepMs, chosen, choose }: ColumnsProps) {
  const length = Math.max(0, ...layers.map(({ values }) => values.length));
  const columns = Array.from({ length }, (_, index) => ({
    at: from + index * stepMs,
    parts: layers.map(({ name, tone, values }) => ({ name, tone, value: values[index] ?? 0 })),
  }));
  const sums = columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const max = Math.max(1, ...sums);
  const { dragged, handlers } = useDrag(length, (first, last) =>
    choose({ from: from + first * stepMs, until: from + (last + 1) * stepMs }),
  );
  const isIn = (index: number, at: number) =>
    dragged === null
      ? chosen === null || (at + stepMs > chosen.from && at < chosen.until)
      : index >= dragged.first && index <= dragged.last;
  const until = from + length * stepMs;
  return (
    <>
      <div
        role="img"
        aria-label={label}
        className="flex h-16 cursor-crosshair touch-none items-end gap-px select-none"
        {...handlers}
      >
        {columns.map(({ at, parts }, index) => (
          <div
            key={at}
            title={titleOf(at, parts)}
            className={`flex h-full min-w-0 flex-1 flex-col-reverse rounded-xs hover:bg-raised ${isIn(index, at) ? '' : 'opacity-30'} ${dragged !== null && isIn(index, at) ? 'bg-raised' : ''}`}
          >
            {parts.map(({ name, tone, value }) => (
              <div
                key={name}
                style={{ height: value === 0 ? 0 : `max(2px, ${(100 * value) / max}%)` }}
                className={barColours[tone]}
              />
            ))}
          </div>
        ))}
      </div>
      <div className="mt-1 border-t border-line pt-1">
        <ClockAxis from={from} until={until} />
      </div>
    </>
  );
}

function titleOf(at: number, parts: readonly { name: string; value: number }[]): string {
  const some = parts.filter(({ value }) => value > 0);
  const words = some.map(({ name, value }) => `${count(value)} ${name}`).join(', ');
  return `${exact(at).slice(0, 16)}: ${words === '' ? 'nothing' : words}`;
}

interface Drag {
  readonly first: number;
  readonly last: number;
}

/** The columns between which a pointer is dragged, as indexes; a click alone is one column. */
function useDrag(length: number, done: (first: number, last: number) => void) {
  const [began, setBegan] = useState<number | null>(null);
  const [at, setAt] = useState(0);
  const indexOf = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const index = Math.floor(((clientX - left) / width) * length);
    return Math.max(0, Math.min(length - 1, index));
  };
  const dragged: Drag | null =
    began === null ? null : { first: Math.min(began, at), last: Math.max(began, at) };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      setBegan(indexOf(event));
      setAt(indexOf(event));
    },
    onPointerMove: (event: PointerEvent) => setAt(indexOf(event)),
    onPointerUp: () => {
      setBegan(null);
      if (dragged !== null) done(dragged.first, dragged.last);
    },
    onPointerCancel: () => setBegan(null),
  };
  return { dragged, handlers };
}
