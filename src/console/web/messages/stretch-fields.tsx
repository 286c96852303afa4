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
  return (
    <label className="inline-flex min-w-0 items-center gap-1.5">
      {label}
      <input
        type="datetime-local"
        step={1}
        value={at === undefined ? '' : exact(at).slice(0, 19).replace(' ', 'T')}
        onChange={({ target }) => {
          const typed = new Date(target.value).getTime();
          change(Number.isNaN(typed) ? undefined : String(typed));
        }}
        className="h-7 w-48 min-w-0 rounded-md border border-control bg-surface px-2 text-ink"
      />
    </label>
  );
}
