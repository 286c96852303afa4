/** The states of messages, with the number of messages in each; a click filters by the state. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';
import { type ChosenFilters, useFilters } from '../parts/filter-bar.tsx';
import { Pill } from '../parts/pill.tsx';
import { lookOf, StateShape } from '../parts/state-mark.tsx';
import { count } from '../time/format.ts';
import { pause, timed } from './counting.ts';
import { endStates, isSearched, pendingStates, queryOf } from './message-filters.ts';
import { type Counts, countPending, tally } from './pending-counts.ts';

async function countEnded(filters: ChosenFilters, signal: AbortSignal): Promise<Counts> {
  const { contains } = filters;
  const query = {
    ...queryOf(filters),
    by: 'state' as const,
    state: [...endStates],
    ...(contains !== undefined && { contains }),
  };
  const { counts, cursor } = await ask(api.GET('/v2/logs/counts', { params: { query }, signal }));
  return {
    of: tally(counts.map(({ key, count: value }) => [key, value] as const)),
    cut: new Set(cursor === undefined ? [] : endStates),
  };
}

function usePendingCounts(filters: ChosenFilters, isAsked: boolean) {
  const { state: _, contains, ...others } = filters;
  return useQuery({
    queryKey: ['facets', 'pending', others],
    queryFn: ({ signal }) => timed(countPending(others, signal)),
    enabled: isAsked && contains === undefined,
    refetchInterval: pause,
  });
}

/** `isAsked`: whether the rows have loaded, so that these numbers may be requested. */
export function Facets({ isAsked }: { readonly isAsked: boolean }) {
  const [filters, change] = useFilters();
  const { state: chosen, ...others } = filters;
  const pending = usePendingCounts(filters, isAsked).data;
  const ended = useQuery({
    queryKey: ['facets', 'ended', others],
    queryFn: ({ signal }) => timed(countEnded(others, signal)),
    enabled: isAsked,
    refetchInterval: pause,
  }).data;
  const isText = isSearched(filters);
  const shown = isText ? endStates : (['pending', ...pendingStates, ...endStates] as const);
  return (
    <fieldset className="flex flex-wrap gap-1 border-b border-line p-2">
      <legend className="sr-only">States</legend>
      <Pill
        isChosen={chosen === undefined || !shown.some((state) => state === chosen)}
        press={() => change({ state: undefined })}
      >
        all
      </Pill>
      {shown.map((state) => {
        const counts = endStates.some((end) => end === state) ? ended : pending;
        return (
          <Pill
            key={state}
            isChosen={chosen === state}
            press={() => change({ state: chosen === state ? undefined : state })}
          >
            <StateShape of={state} />
            {lookOf(state).word}
            <span className="text-muted">{numberOf(counts, state)}</span>
          </Pill>
        );
      })}
    </fieldset>
  );
}

/** A plus sign = or more; nothing if that is all that is known. */
function numberOf(counts: Counts | undefined, state: string): string {
  if (counts === undefined) return '';
  const value = counts.of.get(state) ?? 0;
  if (!counts.cut.has(state)) return count(value);
  return value === 0 ? '' : `${count(value)}+`;
}
