/** The origins of deliveries: their load, how they answer, and whether they may be called. */
import { useQuery } from '@tanstack/react-query';
import { Pause, Play } from 'lucide-react';
import { api, ask } from '../api/client.ts';
import { Gauge } from '../charts/gauge.tsx';
import { Action } from '../parts/button.tsx';
import { useRowChange } from '../parts/change.ts';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { State } from '../parts/state-mark.tsx';
import { count, exact } from '../time/format.ts';
import { Time } from '../time/time.tsx';

const loadOrigins = () => ask(api.GET('/admin/origins'));
/** One item of `GET /admin/origins`. */
export type ListedOrigin = Awaited<ReturnType<typeof loadOrigins>>[number];

/** The most recently called origins come first. */
export const useOrigins = () =>
  useQuery({ queryKey: ['origins'], queryFn: loadOrigins, refetchInterval: 3000 });

/**
 * The fraction of the attempts in the last 24 hours that was answered 2xx; null if there were none.
 */
function successOf({ succeeded, failed }: ListedOrigin): number | null {
  return succeeded + failed === 0 ? null : succeeded / (succeeded + failed);
}

/** The origins with failures, those with the most failures first. */
export function worstOf(origins: readonly ListedOrigin[], most: number): readonly ListedOrigin[] {
  return origins
    .filter(({ failed }) => failed > 0)
    .toSorted((one, other) => other.failed - one.failed)
    .slice(0, most);
}

function Success({ origin }: { readonly origin: ListedOrigin }) {
  const share = successOf(origin);
  const { succeeded, failed } = origin;
  const said = share === null ? '–' : `${(100 * share).toFixed(share === 1 ? 0 : 1)} %`;
  return (
    <span
      title={`${count(succeeded)} answered 2xx, ${count(failed)} not, in 24 hours of this process`}
      className={share !== null && share < 0.9 ? 'text-bad' : ''}
    >
      {said}
    </span>
  );
}

function Failed({ origin: { lastFailure } }: { readonly origin: ListedOrigin }) {
  if (lastFailure === null) return <span className="text-muted">–</span>;
  const { at, status, error } = lastFailure;
  const said = error ?? `answered ${status}`;
  return (
    <span title={`${exact(at)}: ${said}`} className="text-bad">
      {said} <span className="text-muted">(</span>
      <Time at={at} />
      <span className="text-muted">)</span>
    </span>
  );
}

/** While an origin is paused, attempts to it wait, and nothing is lost. */
function PauseOrigin({ origin: { origin, pausedAt } }: { readonly origin: ListedOrigin }) {
  const isPaused = pausedAt !== null;
  const change = useRowChange(
    () =>
      isPaused
        ? ask(api.POST('/admin/origins/resume', { body: { origin } }))
        : ask(api.POST('/admin/origins/pause', { body: { origin } })),
    ['origins', 'message'],
  );
  const word = isPaused ? 'Resume' : 'Pause';
  return (
    <Action
      needs="admin"
      isSmall
      isIconOnPhone
      aria-label={`${word} ${origin}`}
      icon={isPaused ? <Play className="size-3.5" /> : <Pause className="size-3.5" />}
      disabled={change.isPending}
      onClick={() => change.mutate(undefined)}
    >
      {word}
    </Action>
  );
}

const columns: readonly Column<ListedOrigin>[] = [
  {
    name: 'Origin',
    cell: ({ origin }) => <span title={origin}>{origin}</span>,
  },
  {
    name: 'Address',
    width: '7.5rem',
    from: 'sm',
    cell: ({ refused, pausedAt }) =>
      pausedAt === null ? (
        <span title={refused ?? 'it may be called'}>
          <State
            of={refused === null ? 'ON' : 'DAMAGED'}
            word={refused === null ? 'allowed' : 'refused'}
          />
        </span>
      ) : (
        <span title={`since ${exact(pausedAt)}: attempts to it wait`}>
          <State of="PAUSED" />
        </span>
      ),
  },
  {
    name: 'In flight',
    width: '11rem',
    from: 'md',
    cell: ({ inFlight, limit }) => <Gauge label="In flight" used={inFlight} limit={limit} />,
  },
  {
    name: 'Success',
    width: '5rem',
    isRight: true,
    cell: (origin) => <Success origin={origin} />,
  },
  {
    name: 'Last failure',
    width: '26%',
    from: 'lg',
    cell: (origin) => <Failed origin={origin} />,
  },
  {
    name: 'Called',
    width: '6.5rem',
    isRight: true,
    from: 'sm',
    cell: ({ lastAt }) => <Time at={lastAt} />,
  },
  {
    name: 'Actions',
    width: '7.5rem',
    narrow: '4.5rem',
    isRight: true,
    cell: (origin) => <PauseOrigin origin={origin} />,
  },
];

/** The table for the page of endpoints, and for the overview, which shows the worst origins. */
export function OriginTable({
  origins,
  label,
}: {
  readonly origins: readonly ListedOrigin[];
  readonly label: string;
}) {
  return <RowTable label={label} columns={columns} rows={origins} keyOf={({ origin }) => origin} />;
}
