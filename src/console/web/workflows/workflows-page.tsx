/** The list of workflow runs, latest first. */
import { Link } from '@tanstack/react-router';
import { useRows } from '../api/rows.ts';
import { type Filter, FilterBar, useFilters } from '../parts/filter-bar.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { DestinationUrl, ShortId } from '../parts/shortened.tsx';
import { lookOf, State } from '../parts/state-mark.tsx';
import { Empty, RowStates, useCurl } from '../parts/states.tsx';
import { useNow } from '../time/clock.ts';
import { count, duration } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { CancelRuns } from './cancel-runs.tsx';
import { type ListedRun, loadRuns, states } from './run-rows.ts';

const filters: readonly Filter[] = [
  { name: 'url', label: 'Workflow URL' },
  { name: 'label', label: 'Label' },
  { name: 'id', label: 'Run id' },
  {
    name: 'state',
    label: 'State',
    choices: states.map((state) => [state, lookOf(state).word] as const),
  },
];

const columns: readonly Column<ListedRun>[] = [
  { name: 'State', width: '7.5rem', cell: ({ state }) => <State of={state} /> },
  {
    name: 'Workflow',
    cell: ({ id, url }) => (
      <Link to="/workflows/$id" params={{ id }} title={url} className="hover:underline">
        <DestinationUrl url={url} />
      </Link>
    ),
  },
  { name: 'At step', width: '16%', from: 'md', cell: ({ current }) => current },
  { name: 'Label', width: '6rem', from: 'lg', cell: ({ labels }) => labels },
  {
    name: 'Steps',
    width: '4.5rem',
    isRight: true,
    from: 'sm',
    cell: ({ steps }) => count(steps),
  },
  { name: 'Took', width: '6.5rem', isRight: true, from: 'sm', cell: (run) => <Took run={run} /> },
  {
    name: 'Id',
    width: '9rem',
    from: 'xl',
    cell: ({ id }) => <ShortId id={id} />,
  },
  {
    name: 'Started',
    width: '7rem',
    isRight: true,
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
];

function Took({ run: { startedAt, endedAt } }: { readonly run: ListedRun }) {
  const now = useNow();
  return (
    <span className={endedAt === undefined ? 'text-muted' : ''}>
      {duration(Math.max(0, (endedAt ?? now) - startedAt))}
    </span>
  );
}

export default function WorkflowsPage() {
  const [values] = useFilters();
  const list = useRows(['run', values], (cursor, signal) => loadRuns(values, cursor, signal));
  const curl = useCurl();
  return (
    <Page title="Workflows" actions={<CancelRuns filters={values} />}>
      <Panel>
        <FilterBar filters={filters} />
        <RowStates
          list={list}
          isFiltered={Object.keys(values).length > 0}
          empty={
            <Empty
              title="No runs yet"
              command={curl('/v2/trigger/http://127.0.0.1:3000/order', `-d '{"price":20}'`)}
            >
              A run is one execution of a workflow: an endpoint of yours whose steps this server
              remembers, repeats and waits for. Start one, and it appears here.
            </Empty>
          }
        >
          {(rows) => (
            <RowTable
              label="Runs"
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              linkOf={({ id }) => `/workflows/${encodeURIComponent(id)}`}
              more={list.more}
            />
          )}
        </RowStates>
      </Panel>
    </Page>
  );
}
