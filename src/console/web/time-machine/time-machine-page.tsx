/**
 * The whole journal: how much happened when, the events in words, and links to pages as of an
 * event.
 */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, ask } from '../api/client.ts';
import { useRows } from '../api/rows.ts';
import { Code } from '../parts/code.tsx';
import { type Filter, FilterBar, useFilters } from '../parts/filter-bar.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { ShortId } from '../parts/shortened.tsx';
import { Empty, Loaded, RowStates } from '../parts/states.tsx';
import { momentIn } from '../past/as-of.ts';
import { SpanChoice, spanOf } from '../past/spans.tsx';
import { AsOf, TimeSlider } from '../past/time-slider.tsx';
import { now as nowMs, useNow } from '../time/clock.ts';
import { count, exact } from '../time/format.ts';
import { LogTime } from '../time/time.tsx';
import { Activity } from './activity.tsx';
import { Compare } from './compare.tsx';
import { causeOf, detailOf, inWords, type JournalEvent, loadEvents, pageOf } from './journal.ts';

const filters: readonly Filter[] = [
  { name: 'type', label: 'Type of event' },
  { name: 'stream', label: 'Stream: run/wfr_1', isLong: true },
];

const columns: readonly Column<JournalEvent>[] = [
  {
    name: 'Time',
    width: '8rem',
    cell: ({ at }) => <LogTime at={at} />,
  },
  { name: 'What', cell: ({ type }) => <span title={type}>{inWords(type)}</span> },
  { name: 'Of', cell: (event) => <EventLink event={event} /> },
  {
    name: 'Compare',
    width: '6.5rem',
    from: 'md',
    cell: ({ kind, id }) => (
      <Link
        to="/time-machine"
        search={{ stream: `${kind}/${id}` }}
        title="show only its events, and its changes"
        className="text-accent hover:underline"
      >
        compare
      </Link>
    ),
  },
  { name: 'Detail', width: '20%', from: 'lg', cell: (event) => detailOf(event) },
  { name: 'By', width: '8rem', from: 'md', cell: (event) => causeOf(event) },
  {
    name: 'Offset',
    width: '6rem',
    isRight: true,
    from: 'sm',
    cell: ({ offset }) => <span className="text-muted">{count(offset)}</span>,
  },
];

function EventLink({ event }: { readonly event: JournalEvent }) {
  const to = pageOf(event);
  const name = `${event.kind} ${event.id}`;
  if (to === null) return <span title={name}>{name}</span>;
  return (
    <Link to={to} title={`${name}, as of ${exact(event.at)}`} className="hover:underline">
      {event.kind} <ShortId id={event.id} />
    </Link>
  );
}

export default function TimeMachinePage() {
  const [{ asOf, type, stream, span }, change] = useFilters();
  const at = momentIn(asOf);
  const list = useRows(['journal', { at, type, stream }], (cursor, signal) =>
    loadEvents(
      { until: at ?? undefined, ...(type && { type }), ...(stream && { stream }) },
      cursor,
      signal,
    ),
  );
  const { rows } = list;
  return (
    <Page title="Time machine">
      {at !== null && <AsOf at={at} />}
      <Past
        span={span}
        choose={(next) => change({ span: next })}
        at={at}
        change={(to) => change({ asOf: to === null ? undefined : String(to) })}
      />
      {stream !== undefined && rows !== undefined && rows.length > 0 && (
        <Compare key={stream} stream={stream} events={rows} />
      )}
      <Panel title="Events" aside="newest first">
        <FilterBar filters={filters} />
        <RowStates
          list={list}
          isFiltered={false}
          empty={<Empty title="No events before this time" />}
        >
          {(events) => (
            <RowTable
              label="Events"
              columns={columns}
              rows={events}
              keyOf={({ offset }) => String(offset)}
              more={list.more}
            />
          )}
        </RowStates>
      </Panel>
      <Panel title="How to verify the journal">
        <div className="grid gap-2 p-3">
          <p className="text-muted">
            Each sealed segment has a digest of the records before it. On the machine of the server,
            this reads the whole journal and says whether they fit:
          </p>
          <Code text="stepwell journal verify" />
        </div>
      </Panel>
    </Page>
  );
}

interface PastProps {
  readonly span: string | undefined;
  readonly choose: (span: string) => void;
  readonly at: number | null;
  readonly change: (at: number | null) => void;
}

/** The columns of activity, and the slider below them. */
function Past({ span: value, choose, at, change }: PastProps) {
  const now = useNow();
  const span = spanOf(value);
  const query = useQuery({
    queryKey: ['journal', 'activity', span.value],
    queryFn: () => {
      const asked = { from: String(nowMs() - span.ms), step: span.step };
      return ask(api.GET('/admin/journal/activity', { params: { query: asked } }));
    },
    refetchInterval: 10_000,
  });
  return (
    <Loaded query={query} lines={2}>
      {({ buckets, stepMs }) => {
        const from = buckets[0]?.at ?? now - span.ms;
        const busy = buckets.filter(({ events }) => events > 0);
        return (
          <>
            <Panel title="Activity" aside={<SpanChoice span={span} choose={choose} />}>
              <div className="px-3 py-2">
                <Activity {...{ buckets, stepMs, at }} change={change} />
              </div>
            </Panel>
            <TimeSlider
              from={from}
              until={now}
              at={at}
              moments={busy.map((bucket) => Math.min(now, bucket.at + stepMs - 1))}
              change={change}
            />
          </>
        );
      }}
    </Loaded>
  );
}
