/**
 * Shows a page as it was: a slider from its beginning to now. Arrow keys move between the moments
 * at which something happened; Escape returns to now.
 */
import { History } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Button } from '../parts/button.tsx';
import { now } from '../time/clock.ts';
import { duration, exact, moment } from '../time/format.ts';

interface TimeSliderProps {
  /** The span of the slider, in Unix ms. */
  readonly from: number;
  readonly until: number;
  /** The moment shown; null = now. */
  readonly at: number | null;
  /** When something happened, in order. */
  readonly moments: readonly number[];
  readonly change: (at: number | null) => void;
}

/** All times are in Unix ms; `at` is null for now, and `change` may be called with null as well. */
export function TimeSlider({ from, until, at, moments, change }: TimeSliderProps) {
  const shown = at ?? until;
  const said =
    at === null ? 'now' : `as of ${moment(at, now())}, ${duration(at - from)} after it began`;
  const go = (to: number | undefined) => change(to === undefined || to >= until ? null : to);
  const press = (event: KeyboardEvent) => {
    const target = keyed(event.key, shown, moments);
    if (target === null) return;
    event.preventDefault();
    if (target === 'now') change(null);
    else if (target !== undefined) go(target);
  };
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-surface px-3 py-2">
      <History className="size-4 shrink-0 text-muted" aria-hidden="true" />
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={said}
        min={from}
        max={Math.max(until, from + 1)}
        step={1}
        value={shown}
        onChange={(event) => go(Number(event.target.value))}
        onKeyDown={press}
        className="h-6 min-w-40 flex-1 accent-accent-fill"
      />
      <output className={`min-w-28 ${at === null ? 'text-muted' : 'font-medium'}`}>
        {at === null ? 'now' : <span title={exact(at)}>as of {moment(at, now())}</span>}
      </output>
      <Button disabled={at === null} onClick={() => change(null)}>
        Back to now
      </Button>
    </div>
  );
}

const farMoments = 10;

/**
 * Where a key leads: a moment, now, or nowhere (undefined); null if the slider does not handle the
 * key.
 */
function keyed(
  key: string,
  shown: number,
  moments: readonly number[],
): number | 'now' | undefined | null {
  const before = moments.filter((moment) => moment < shown);
  const later = moments.filter((moment) => moment > shown);
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return before.at(-1);
    case 'ArrowRight':
    case 'ArrowUp':
      return later[0] ?? 'now';
    case 'PageDown':
      return before.at(-farMoments) ?? before[0];
    case 'PageUp':
      return later[farMoments - 1] ?? 'now';
    case 'Home':
      return moments[0];
    case 'End':
    case 'Escape':
      return 'now';
    default:
      return null;
  }
}

/** Says that a page shows the past, in place of parts that only exist for the present. */
export function AsOf({ at }: { readonly at: number }) {
  return (
    <p
      role="status"
      className="mb-4 rounded-lg border border-line bg-wait-tint px-3 py-2.5 text-wait"
    >
      <strong>As of {moment(at, now())}.</strong> This is how it was; what came later is not shown.
    </p>
  );
}
