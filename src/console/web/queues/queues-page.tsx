/** Queues and flow-control keys: their load, what waits, and whether they are paused. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pause, Play } from 'lucide-react';
import { api, ask } from '../api/client.ts';
import { Gauge } from '../charts/gauge.tsx';
import { Action } from '../parts/button.tsx';
import { useRowChange } from '../parts/change.ts';
import { FilterBar, useFilters } from '../parts/filter-bar.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { State } from '../parts/state-mark.tsx';
import { Empty, Loaded, useCurl, useHeaderPrefix } from '../parts/states.tsx';
import { SinkButton } from '../publish/sink-button.tsx';
import { count, duration } from '../time/format.ts';
import { AllButtons } from './all-buttons.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { QueueDialog } from './queue-dialog.tsx';
import { WaitingButton } from './waiting-dialog.tsx';

const loadQueues = () => ask(api.GET('/v2/queues'));
const loadKeys = (search: string | undefined) =>
  ask(api.GET('/v2/flowControl', { params: { query: search === undefined ? {} : { search } } }));
type Queue = Awaited<ReturnType<typeof loadQueues>>[number];
/** One key of `/v2/flowControl`. */
type FlowKey = Awaited<ReturnType<typeof loadKeys>>['flowControls'][number];

const pausedState = (isPaused: boolean) => <State of={isPaused ? 'PAUSED' : 'ON'} isShapeOnPhone />;

const queueColumns: readonly Column<Queue>[] = [
  {
    name: 'Queue',
    cell: ({ name }) => (
      <Link to="/messages" search={{ queueName: name, state: 'pending' }} title="Its messages">
        {name}
      </Link>
    ),
  },
  { name: 'State', width: '6rem', narrow: '3.75rem', cell: ({ paused }) => pausedState(paused) },
  {
    name: 'Parallelism',
    width: '5rem',
    from: 'sm',
    isRight: true,
    cell: ({ parallelism }) => count(parallelism),
  },
  {
    name: 'Waiting',
    width: '5rem',
    isRight: true,
    cell: ({ name, lag }) => <WaitingButton line={{ of: 'queue', name }} size={lag} />,
  },
  {
    name: 'Actions',
    width: '14rem',
    narrow: '6.25rem',
    isRight: true,
    cell: (queue) => (
      <span className="inline-flex gap-1 align-middle">
        <PauseQueue queue={queue} />
        <QueueDialog queue={queue} />
      </span>
    ),
  },
];

const keyColumns: readonly Column<FlowKey>[] = [
  {
    name: 'Key',
    cell: ({ flowControlKey: key }) => (
      <Link to="/messages" search={{ flowControlKey: key, state: 'pending' }} title="Its messages">
        {key}
      </Link>
    ),
  },
  {
    name: 'State',
    width: '6rem',
    narrow: '3.75rem',
    cell: ({ isPaused }) => pausedState(isPaused),
  },
  {
    name: 'In flight',
    width: '22%',
    from: 'sm',
    cell: ({ parallelismCount, parallelismMax }) => (
      <Gauge label="In flight" used={parallelismCount} limit={parallelismMax} />
    ),
  },
  {
    name: 'This window',
    width: '22%',
    from: 'md',
    cell: ({ rateCount, rateMax, ratePeriod }) => (
      <Gauge label={`In ${duration(ratePeriod * 1000)}`} used={rateCount} limit={rateMax} />
    ),
  },
  {
    name: 'Waiting',
    width: '5rem',
    isRight: true,
    cell: ({ flowControlKey: name, waitListSize: size }) =>
      size === null ? '–' : <WaitingButton line={{ of: 'flow', name }} size={size} />,
  },
  {
    name: 'Actions',
    width: '7.5rem',
    narrow: '4.5rem',
    isRight: true,
    cell: (key) => <KeyDialog flowKey={key} />,
  },
];

function PauseQueue({ queue: { name, paused } }: { readonly queue: Queue }) {
  const params = { path: { name } };
  const change = useRowChange(
    () =>
      paused
        ? ask(api.POST('/v2/queues/{name}/resume', { params }))
        : ask(api.POST('/v2/queues/{name}/pause', { params })),
    ['queue', 'message'],
  );
  const word = paused ? 'Resume' : 'Pause';
  return (
    <Action
      isSmall
      isIconOnPhone
      aria-label={`${word} ${name}`}
      icon={paused ? <Play className="size-3.5" /> : <Pause className="size-3.5" />}
      disabled={change.isPending}
      onClick={() => change.mutate(undefined)}
    >
      {word}
    </Action>
  );
}

/** How many attempts are in flight on the whole server, whatever their keys are. */
function WholeServer() {
  const { data } = useQuery({
    queryKey: ['flow', 'global'],
    queryFn: () => ask(api.GET('/v2/globalParallelism')),
  });
  if (data === undefined) return null;
  return (
    <span className="flex items-center gap-2 text-muted">
      In flight
      <span className="w-48">
        <Gauge label="In flight" used={data.parallelismCount} limit={data.parallelismMax} />
      </span>
    </span>
  );
}

/** The two lists load separately: if one fails, the other is still shown. */
export default function QueuesPage() {
  return (
    <Page title="Queues & flow" actions={<WholeServer />}>
      <QueuePanel />
      <KeyPanel />
    </Page>
  );
}

function QueuePanel() {
  const queues = useQuery({ queryKey: ['queue'], queryFn: loadQueues });
  const curl = useCurl();
  return (
    <Panel
      title="Queues"
      aside={<AllButtons of="queues" states={queues.data?.map(({ paused }) => paused) ?? []} />}
    >
      <Loaded query={queues} lines={3}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              title="No queues yet"
              command={curl('/v2/enqueue/mails/https://example.com/', "-d 'hello'")}
              action={<SinkButton sample="queued" />}
            >
              A queue delivers its messages in order, as many at once as its parallelism.
            </Empty>
          ) : (
            <RowTable
              label="Queues"
              columns={queueColumns}
              rows={rows}
              keyOf={({ name }) => name}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function KeyPanel() {
  const [{ search }] = useFilters();
  const keys = useQuery({ queryKey: ['flow', search], queryFn: () => loadKeys(search) });
  const curl = useCurl();
  const prefix = useHeaderPrefix();
  return (
    <Panel
      title="Flow-control keys"
      aside={
        <AllButtons
          of="flowControl"
          states={keys.data?.flowControls.map(({ isPaused }) => isPaused) ?? []}
        />
      }
    >
      <FilterBar filters={[{ name: 'search', label: 'Key' }]} />
      <Loaded query={keys} lines={3}>
        {({ flowControls: rows }) =>
          rows.length === 0 ? (
            <Empty
              title="No flow-control keys"
              command={curl(
                '/v2/publish/https://example.com/',
                `-H "${prefix}Flow-Control-Key: api"`,
                `-H "${prefix}Flow-Control-Value: rate=10, period=1m, parallelism=2"`,
                "-d 'hello'",
              )}
            >
              A key limits how many of its messages are in flight, and how many start per period.
            </Empty>
          ) : (
            <RowTable
              label="Flow-control keys"
              columns={keyColumns}
              rows={rows}
              keyOf={({ flowControlKey }) => flowControlKey}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
