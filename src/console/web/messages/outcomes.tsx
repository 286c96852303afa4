/** How messages ended, over time; dragging over the chart selects a period. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';
import { Columns } from '../charts/columns.tsx';
import { useFilters } from '../parts/filter-bar.tsx';
import { Panel } from '../parts/page.tsx';
import { barColours } from '../parts/state-mark.tsx';
import { Failure } from '../parts/states.tsx';
import { beginOf, SpanChoice, spanOf } from '../past/spans.tsx';
import { count, exact } from '../time/format.ts';
import { pause, timed } from './counting.ts';
import { queryOf, stretchOf } from './message-filters.ts';
import { StretchFields } from './stretch-fields.tsx';

const layers = [
  { state: 'DELIVERED', name: 'delivered', tone: 'ok' },
  { state: 'ERROR', name: 'failed attempts', tone: 'wait' },
  { state: 'FAILED', name: 'failed for good', tone: 'bad' },
  { state: 'CANCELED', name: 'canceled', tone: 'idle' },
] as const;

/** `isAsked`: whether the rows have loaded, so that these numbers may be requested. */
export function OutcomesPanel({ isAsked }: { readonly isAsked: boolean }) {
  const [filters, change] = useFilters();
  const { state: _, span: spanValue, fromDate, toDate, ...others } = filters;
  const span = spanOf(spanValue);
  const { data, error } = useQuery({
    queryKey: ['facets', 'outcomes', span.value, others],
    queryFn: async ({ signal }) => {
      const from = beginOf(span);
      const query = {
        ...queryOf(others),
        ...(others['contains'] !== undefined && { contains: others['contains'] }),
        by: 'state' as const,
        bucket: span.step,
        state: layers.map(({ state }) => state),
        fromDate: from,
      };
      const answer = await timed(ask(api.GET('/v2/logs/counts', { params: { query }, signal })));
      return { from, ...answer };
    },
    enabled: isAsked,
    refetchInterval: pause,
    placeholderData: (before) => before,
  });
  const chosen = stretchOf({ fromDate, toDate });
  const isChosen = chosen.fromDate !== undefined || chosen.toDate !== undefined;
  return (
    <Panel
      title="Outcomes"
      aside={
        <span className="flex flex-wrap items-center justify-end gap-2">
          <StretchFields />
          <SpanChoice span={span} choose={(value) => change({ span: value })} />
        </span>
      }
    >
      <div className="px-3 py-2">
        {error !== null && <Failure error={error} />}
        <Columns
          label={`Messages by outcome, ${span.word}`}
          from={data?.from ?? beginOf(span)}
          stepMs={span.stepMs}
          layers={layers.map(({ state, name, tone }) => ({
            name,
            tone,
            values: valuesOf(data, state, span.ms / span.stepMs, span.stepMs),
          }))}
          chosen={
            isChosen
              ? { from: chosen.fromDate ?? 0, until: chosen.toDate ?? Number.POSITIVE_INFINITY }
              : null
          }
          choose={({ from, until }) =>
            change({ fromDate: String(from), toDate: String(until - 1) })
          }
        />
        <Legend sums={data && sumsOf(data)} searchedTo={data?.searchedTo} />
      </div>
    </Panel>
  );
}

interface Counted {
  readonly from: number;
  readonly counts: readonly {
    readonly time?: number;
    readonly key: string;
    readonly count: number;
  }[];
}

function valuesOf(
  counted: Counted | undefined,
  state: string,
  length: number,
  stepMs: number,
): readonly number[] {
  const values = new Array<number>(length).fill(0);
  for (const { time = 0, key, count: value } of counted?.counts ?? []) {
    const index = Math.floor((time - (counted?.from ?? 0)) / stepMs);
    if (key === state && index >= 0 && index < length) values[index] = value;
  }
  return values;
}

function sumsOf({ counts }: Counted): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { key, count: value } of counts) {
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return sums;
}

function Legend({
  sums,
  searchedTo,
}: {
  /** Absent until the server has counted. */
  readonly sums: ReadonlyMap<string, number> | undefined;
  readonly searchedTo: number | undefined;
}) {
  return (
    <p className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {layers.map(({ state, name, tone }) => (
        <span key={state} className="inline-flex items-center gap-1.5">
          <span className={`size-2 rounded-xs ${barColours[tone]}`} />
          {sums === undefined ? '–' : count(sums.get(state) ?? 0)} {name}
        </span>
      ))}
      <span className="ml-auto">
        {searchedTo === undefined
          ? 'drag to select a time range'
          : `too many rows to count at once: counted back to ${exact(searchedTo).slice(0, 19)}`}
      </span>
    </p>
  );
}
