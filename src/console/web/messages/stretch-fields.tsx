/** Fields for the period that a list shows: the keyboard equivalent of dragging over the chart. */
import { CalendarRange } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { useFilters } from '../parts/filter-bar.tsx';
import { exact } from '../time/format.ts';
import { stretchOf } from './message-filters.ts';

export function StretchFields() {
  const [filters, change] = useFilters();
  const [isOpen, setOpen] = useState(false);
  const { fromDate, toDate } = stretchOf(filters);
  const isChosen = fromDate !== undefined || toDate !== undefined;
  if (!isOpen && !isChosen) {
    return (
      <Button isSmall icon={<CalendarRange className="size-3.5" />} onClick={() => setOpen(true)}>
        Times…
      </Button>
    );
  }
  return (
    <>
      <TimeField label="From" at={fromDate} change={(value) => change({ fromDate: value })} />
      <TimeField label="Until" at={toDate} change={(value) => change({ toDate: value })} />
      <Button
        isSmall
        onClick={() => {
          setOpen(false);
          change({ fromDate: undefined, toDate: undefined });
        }}
      >
        All times
      </Button>
    </>
  );
}

/** A time in the browser's zone, to the second; in the address, it is in Unix ms. */
function TimeField({
  label,
  at,
  change,
}: {
  readonly label: string;
  readonly at: number | undefined;
  readonly change: (value: string | undefined) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = at === undefined ? '' : exact(at).slice(0, 19).replace(' ', 'T');
  // While a year is typed, it is 2, 20 and 202: a time counts when the field is left.
  const apply = () => {
    if (typed === null) return;
    const time = new Date(typed).getTime();
    setTyped(null);
    change(Number.isNaN(time) || time < 0 ? undefined : String(time));
  };
  return (
    <label className="inline-flex min-w-0 items-center gap-1.5">
      {label}
      <input
        type="datetime-local"
        step={1}
        value={typed ?? shown}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={apply}
        onKeyDown={({ key }) => key === 'Enter' && apply()}
        className="h-7 w-48 min-w-0 rounded-md border border-control bg-surface px-2 text-ink"
      />
    </label>
  );
}
