/**
 * The state of the server: numbers with their last hour, outcomes, what waits for what, the disk.
 */
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Sparkline, type SparklineValues } from '../charts/sparkline.tsx';
import { StackedMinutes } from '../charts/stacked-minutes.tsx';
import { OriginTable, useOrigins, worstOf } from '../endpoints/origins.tsx';
import { Facts } from '../parts/facts.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { StateBadge } from '../parts/state-mark.tsx';
import { Loaded } from '../parts/states.tsx';
import { bytes, count, duration } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { ClusterPanel } from './cluster.tsx';
import { type AllSeries, type LoadedOverview, loadOverview, loadSeries } from './load-overview.ts';

/** A number in the first row. */
interface Tile {
  readonly name: string;
  readonly series: string;
  readonly link?: LinkProps;
  readonly write?: (value: number) => string;
}

const tiles: readonly Tile[] = [
  { name: 'Published per minute', series: 'published', link: { to: '/messages' } },
  { name: 'Pending', series: 'pending', link: { to: '/messages', search: { state: 'pending' } } },
  { name: 'Dead letters', series: 'deadLetters', link: { to: '/dead-letters' } },
  { name: 'Active runs', series: 'activeRuns' },
  { name: 'Requests per minute', series: 'requests' },
  { name: 'Memory', series: 'residentBytes', write: bytes },
];

export default function OverviewPage() {
  const overview = useQuery({
    queryKey: ['message', 'overview'],
    queryFn: loadOverview,
  });
  const series = useQuery({
    queryKey: ['series'],
    queryFn: loadSeries,
    refetchInterval: 15_000,
  });
  return (
    <Page
      title="Overview"
      badge={
        overview.data !== undefined && (
          <StateBadge
            of={overview.data.state === 'serving' ? 'ON' : 'WARNING'}
            word={overview.data.state}
          />
        )
      }
    >
      <Loaded query={overview}>{(data) => <Numbers overview={data} series={series.data} />}</Loaded>
    </Page>
  );
}

function Numbers({
  overview,
  series,
}: {
  readonly overview: LoadedOverview;
  readonly series: AllSeries | undefined;
}) {
  const of = (name: string): SparklineValues => series?.series[name] ?? [];
  return (
    <>
      <div className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-6">
        {tiles.map((tile) => (
          <NumberTile
            key={tile.name}
            tile={tile}
            value={overview.numbers[tile.series] ?? lastOf(of(tile.series))}
            series={of(tile.series)}
          />
        ))}
      </div>
      {series !== undefined && (
        <Panel title="Outcomes per minute">
          <StackedMinutes
            label="Messages delivered, retried and failed, per minute in the last hour"
            from={series.from}
            stepMs={series.stepMs}
            layers={[
              { name: 'delivered', tone: 'ok', series: of('delivered') },
              { name: 'retried', tone: 'wait', series: of('retried') },
              { name: 'failed', tone: 'bad', series: of('failed') },
            ]}
          />
        </Panel>
      )}
      <div className="grid gap-x-4 lg:grid-cols-3">
        <Waiting overview={overview} lag={[lastOf(of('lagP50')), lastOf(of('lagP99'))]} />
        <Next overview={overview} />
        <Machine overview={overview} />
      </div>
      {overview.cluster !== null && <ClusterPanel cluster={overview.cluster} />}
      <WorstOrigins />
    </>
  );
}

/** How many are shown at most; the page of endpoints lists all. */
const worstMax = 10;

function WorstOrigins() {
  const { data } = useOrigins();
  const worst = worstOf(data ?? [], worstMax);
  if (worst.length === 0) return null;
  return (
    <Panel
      title="Origins with the most failures"
      aside={
        <Link to="/endpoints" className="hover:underline">
          all
        </Link>
      }
    >
      <OriginTable origins={worst} label="Origins with the most failures" />
    </Panel>
  );
}

function lastOf(series: SparklineValues): number | null {
  return series.findLast((value) => value !== null) ?? null;
}

function NumberTile({
  tile: { name, link, write = count },
  value,
  series,
}: {
  readonly tile: Tile;
  readonly value: number | null;
  readonly series: SparklineValues;
}) {
  const content = (
    <>
      <div className="text-xs text-muted">{name}</div>
      <div className="text-xl font-semibold">{value === null ? '–' : write(value)}</div>
      <Sparkline series={series} />
    </>
  );
  const classes = 'block rounded-lg border border-line bg-surface px-3 py-2';
  if (link === undefined) return <div className={classes}>{content}</div>;
  return (
    <Link {...link} className={`${classes} hover:border-control`}>
      {content}
    </Link>
  );
}

/** Words for the names that the server uses. */
const gates: Readonly<Record<string, string>> = {
  queue: 'for the queue',
  flowControl: 'for a flow-control key',
  origin: 'for an origin',
  attempts: 'for an attempt',
};

function Waiting({
  overview: { backlog },
  lag: [p50, p99],
}: {
  readonly overview: LoadedOverview;
  readonly lag: readonly [number | null, number | null];
}) {
  const seconds = (value: number | null) => (value === null ? '–' : duration(value * 1000));
  return (
    <Panel title="Backlog">
      <Facts
        of={{
          'In flight': count(backlog.inFlight),
          'At a later time': count(backlog.later),
          ...Object.fromEntries(
            Object.entries(backlog.waiting).map(([gate, waiting]) => [
              `Waiting ${gates[gate] ?? `for ${gate}`}`,
              count(waiting),
            ]),
          ),
          'Delivery lag': `p50 ${seconds(p50)}, p99 ${seconds(p99)}`,
        }}
      />
    </Panel>
  );
}

function Next({ overview: { schedules } }: { readonly overview: LoadedOverview }) {
  return (
    <Panel title="Next due" aside={count(schedules.count)}>
      {schedules.next.length === 0 ? (
        <p className="p-3 text-muted">No schedule fires.</p>
      ) : (
        <Facts
          of={schedules.next.map(({ scheduleId, at }): [string, ReactNode] => [
            scheduleId,
            <Link
              key={scheduleId}
              to="/schedules/$id"
              params={{ id: scheduleId }}
              className="hover:underline"
            >
              <Time at={at} />
            </Link>,
          ])}
        />
      )}
    </Panel>
  );
}

const meanings: Readonly<Record<LoadedOverview['durability'], string>> = {
  fsync: 'on disk (fsync)',
  os: 'handed to the operating system',
  replicated: 'in the shared log, and on disk',
};

function Machine({ overview }: { readonly overview: LoadedOverview }) {
  const { disk, durability, startedAt, version } = overview;
  return (
    <Panel title="Server">
      <Facts
        of={{
          Version: version,
          Started: <Time at={startedAt} />,
          'An answer means': meanings[durability],
          Journal: bytes(disk.journalBytes),
          'Free on the disk': freeSpace(disk),
          'Full in': disk.daysLeft === null ? undefined : wholeDays(disk.daysLeft),
        }}
      />
    </Panel>
  );
}

function freeSpace({ availableBytes, totalBytes }: LoadedOverview['disk']): string {
  if (availableBytes === null || totalBytes === null) return 'the disk does not say';
  return `${bytes(availableBytes)} of ${bytes(totalBytes)}`;
}

function wholeDays(days: number): string {
  if (days < 1) return 'less than a day';
  return days < 2 ? '1 day' : `${count(Math.floor(days))} days`;
}
