/** One item at two moments: its earlier state, its later state, and the differences. */
import { useQuery } from '@tanstack/react-query';
import { ApiError, api, ask } from '../api/client.ts';
import { useFilters } from '../parts/filter-bar.tsx';
import { Panel } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { count, exact } from '../time/format.ts';
import { differencesOf } from './differences.ts';
import { inWords, type JournalEvent } from './journal.ts';

/** The state after an event; undefined if the item did not exist yet. */
async function stateAt(stream: string, offset: string): Promise<unknown> {
  // The state as of an offset includes only events below it.
  const asOf = String(Number(offset) + 1);
  try {
    return await askThen(stream, asOf);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** The state as the API shows it, if that is more readable than the state in memory. */
async function askThen(stream: string, asOf: string): Promise<unknown> {
  const id = stream.slice(stream.indexOf('/') + 1);
  if (stream.startsWith('message/')) {
    const params = { path: { id }, query: { final: 'true' as const, asOf } };
    return ask(api.GET('/v2/messages/{id}', { params }));
  }
  if (stream.startsWith('schedule/')) {
    return ask(api.GET('/v2/schedules/{id}', { params: { path: { id }, query: { asOf } } }));
  }
  const params = { query: { stream, asOf } };
  const { state, hasEnded } = await ask(api.GET('/admin/journal/entity', { params }));
  return { hasEnded, ...state };
}

const nothing = '0';

/**
 * Shown above the events of one stream. Its moments are two of those events, in the address as
 * `before` and `after`; by default, the first and the last of `events`.
 */
export function Compare({
  stream,
  events,
}: {
  readonly stream: string;
  /** Newest first. */
  readonly events: readonly JournalEvent[];
}) {
  const [filters, change] = useFilters();
  const before = filters['before'] ?? String(events.at(-1)?.offset ?? nothing);
  const after = filters['after'] ?? String(events[0]?.offset ?? nothing);
  const query = useQuery({
    queryKey: ['journal', 'compared', stream, before, after],
    queryFn: async () => {
      const [old, young] = await Promise.all([stateAt(stream, before), stateAt(stream, after)]);
      return differencesOf(old, young);
    },
    // The past does not change.
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return (
    <Panel title={`Changes of ${stream}`} aside="between two of its events">
      <div className="grid gap-2 border-b border-line p-3 sm:grid-cols-2">
        <Moment
          label="Before"
          value={before}
          events={events}
          choose={(offset) => change({ before: offset })}
        />
        <Moment
          label="After"
          value={after}
          events={events}
          choose={(offset) => change({ after: offset })}
        />
      </div>
      <Loaded query={query} lines={3}>
        {(differences) =>
          differences.length === 0 ? (
            <p className="p-3 text-muted">Nothing differs.</p>
          ) : (
            <Differences of={differences} />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Formats times for people. */
function written(path: string, value: string | null): string {
  if (value === null) return '–';
  const isTime = /(At|Time|Date)$/.test(path) && /^\d{13}$/.test(value);
  return isTime ? exact(Number(value)) : value;
}

function Differences({ of }: { readonly of: ReturnType<typeof differencesOf> }) {
  const cell = 'px-3 py-1 align-top break-all';
  return (
    <table aria-label="What differs" className="w-full table-fixed font-mono text-xs">
      <thead>
        <tr className="text-left text-muted">
          {['What', 'Before', 'After'].map((name) => (
            <th key={name} scope="col" className={`font-medium ${cell}`}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.map(({ path, before, after }) => (
          <tr key={path} className="border-t border-line">
            <th scope="row" className={`text-left font-normal ${cell}`}>
              {path}
            </th>
            <td title={before ?? undefined} className={`text-muted ${cell}`}>
              {written(path, before)}
            </td>
            <td title={after ?? undefined} className={cell}>
              {written(path, after)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Moment({
  label,
  value,
  events,
  choose,
}: {
  readonly label: string;
  readonly value: string;
  readonly events: readonly JournalEvent[];
  readonly choose: (offset: string) => void;
}) {
  const isListed = events.some(({ offset }) => String(offset) === value);
  return (
    <label className="flex min-w-0 items-center gap-2">
      <span className="w-12 text-muted">{label}</span>
      <select
        value={value}
        onChange={({ target }) => choose(target.value)}
        className="h-8 min-w-0 flex-1 rounded-md border border-control bg-surface px-2"
      >
        {!isListed && <option value={value}>offset {value}</option>}
        {events.map(({ offset, type, at }) => (
          <option key={offset} value={String(offset)}>
            {`${count(offset)}: ${inWords(type)}, ${exact(at)}`}
          </option>
        ))}
      </select>
    </label>
  );
}
