/** The filters of a list. They are part of the page's address, so that a link keeps them. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { after } from '../time/clock.ts';
import { Button } from './button.tsx';

/** Values of filters by name, as in the address; an absent value does not filter. */
export type ChosenFilters = Readonly<Record<string, string | undefined>>;

/** A text to type, or a choice between a few words. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** What may be typed, if the label does not say it all. */
  readonly hint?: string;
  /** Whether its values are as long as ids. */
  readonly isLong?: boolean;
  /** The values, each with its word. */
  readonly choices?: readonly (readonly [value: string, word: string])[];
}

/** For `validateSearch` of a route: the filters with these names, if they are texts. */
export function readFilters<Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>): { [Each in Name]?: string } => {
    const read: { [Each in Name]?: string } = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'string' || typeof value === 'number') read[name] = String(value);
    }
    return read;
  };
}

/** The filters of this page, and a function to change them; undefined removes a filter. */
export function useFilters(): readonly [ChosenFilters, (changes: ChosenFilters) => void] {
  // Each page with filters parses them by `readFilters`.
  const filters = useSearch({ strict: false }) as ChosenFilters;
  const navigate = useNavigate();
  const change = (changes: ChosenFilters) =>
    navigate({
      to: '.',
      replace: true,
      search: (old: ChosenFilters) => {
        const entries = Object.entries({ ...old, ...changes });
        return Object.fromEntries(entries.filter(([, value]) => (value ?? '') !== ''));
      },
    });
  return [filters, change];
}

/** Updates the address as fields change; the page with the list reads the filters from there. */
export function FilterBar({ filters }: { readonly filters: readonly Filter[] }) {
  const [values, change] = useFilters();
  const isSet = filters.some(({ name }) => values[name] !== undefined);
  return (
    <search className="grid grid-cols-2 items-center gap-2 border-b border-line p-2 sm:flex sm:flex-wrap">
      {filters.map((filter, index) => (
        <FilterField
          key={filter.name}
          filter={filter}
          value={values[filter.name] ?? ''}
          isFirst={index === 0}
          change={(value) => change({ [filter.name]: value })}
        />
      ))}
      {isSet && (
        <Button
          onClick={() => change(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </search>
  );
}

const typingMs = 250;
const fieldClasses =
  'h-8 rounded-md border border-control bg-surface px-2 placeholder:text-muted max-sm:w-full';
const widthOf = (isLong = false) => (isLong ? 'max-sm:col-span-2 sm:w-80' : 'sm:w-40');

function FilterField({
  filter: { name, label, hint, isLong, choices },
  value,
  isFirst,
  change,
}: {
  readonly filter: Filter;
  readonly value: string;
  readonly isFirst: boolean;
  readonly change: (value: string) => void;
}) {
  if (choices !== undefined) {
    return (
      <select
        aria-label={label}
        name={name}
        value={value}
        onChange={(event) => change(event.target.value)}
        className={`${fieldClasses} ${widthOf(isLong)}`}
      >
        <option value="">{label}: all</option>
        {choices.map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
    );
  }
  return <TextFilter {...{ name, label, hint, value, isFirst, change }} width={widthOf(isLong)} />;
}

/**
 * Applies the filter a moment after the last keystroke. The address answers later: until then, more
 * may have been typed, which must stay.
 */
function TextFilter({
  name,
  label,
  hint,
  value,
  width,
  isFirst,
  change,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly value: string;
  readonly width: string;
  readonly isFirst: boolean;
  readonly change: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const applied = useRef(value);
  const apply = () => {
    applied.current = typed.trim();
    change(applied.current);
  };
  useEffect(() => {
    if (value !== applied.current) setTyped(value);
    applied.current = value;
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed begins the wait
  useEffect(() => {
    if (typed === value) return undefined;
    return after(typingMs, apply);
  }, [typed]);
  return (
    <input
      type="search"
      name={name}
      aria-label={label}
      placeholder={label}
      title={hint}
      value={typed}
      data-first-filter={isFirst ? '' : undefined}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
      className={`${fieldClasses} ${width}`}
    />
  );
}
