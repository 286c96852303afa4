/** One topic: its partitions, who reads it and how far, where it is pushed, and its records. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Eraser, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action } from '../parts/button.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { State, StateBadge } from '../parts/state-mark.tsx';
import { Loaded } from '../parts/states.tsx';
import { now } from '../time/clock.ts';
import { bytes, count } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { GroupsPanel } from './groups.tsx';
import { ProduceDialog } from './produce-dialog.tsx';
import { PurgeDialog } from './purge-dialog.tsx';
import { Records } from './records.tsx';

export default function TopicPage() {
  const { id: name = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: ['topic', name],
    queryFn: () => loadTopic(name),
    // Records are not events, so the live stream does not report them.
    refetchInterval: ({ state }) => (state.error === null ? 2000 : 10_000),
  });
  if (query.data !== undefined) return <Shown key={name} topic={query.data} />;
  return (
    <Page title={name} trail={trail}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

const trail = (
  <Link to="/topics" className="hover:underline">
    Topics
  </Link>
);

type Topic = Awaited<ReturnType<typeof loadTopic>>;

async function loadTopic(name: string) {
  const topic = await ask(api.GET('/admin/topics/{name}', { params: { path: { name } } }));
  const { offsets, bytes: size } = topic;
  // Both are null only in the past: here they are present values.
  return { ...topic, offsets: offsets ?? [], bytes: size ?? 0 };
}

function Shown({ topic }: { readonly topic: Topic }) {
  const [open, setOpen] = useState<'produce' | 'purge' | null>(null);
  const close = () => setOpen(null);
  const { name, offsets, cleanupPolicy } = topic;
  const isDamaged = offsets.some(({ damaged = [] }) => damaged.length > 0);
  return (
    <Page
      title={name}
      trail={trail}
      badge={
        isDamaged ? (
          <StateBadge of="DAMAGED" />
        ) : (
          <span className="text-muted">
            {bytes(topic.bytes)}
            {cleanupPolicy === 'compact' ? ', compacted' : ''}
          </span>
        )
      }
      actions={
        <>
          <Action icon={<Plus className="size-4" />} onClick={() => setOpen('produce')}>
            Produce…
          </Action>
          <Action
            needs="admin"
            look="danger"
            icon={<Eraser className="size-4" />}
            onClick={() => setOpen('purge')}
          >
            Purge…
          </Action>
        </>
      }
    >
      <Partitions topic={topic} />
      <GroupsPanel topic={name} />
      <Pushes topic={name} />
      <Records topic={name} />
      {open === 'produce' && <ProduceDialog topic={name} close={close} />}
      {open === 'purge' && <PurgeDialog topic={name} places={offsets} close={close} />}
    </Page>
  );
}

const cell = 'px-3 py-1.5 text-right';

/** Records per second in each partition, between the last two answers. */
function useRates(topic: Topic): ReadonlyMap<number, number> {
  const last = useRef({ topic, at: now(), rates: new Map<number, number>() });
  if (last.current.topic !== topic) {
    const at = now();
    const seconds = Math.max(0.001, (at - last.current.at) / 1000);
    const before = new Map(last.current.topic.offsets.map((each) => [each.partition, each.latest]));
    const rates = topic.offsets.map(({ partition, latest }) => {
      const came = latest - (before.get(partition) ?? latest);
      return [partition, came / seconds] as const;
    });
    last.current = { topic, at, rates: new Map(rates) };
  }
  return last.current.rates;
}

function Partitions({ topic }: { readonly topic: Topic }) {
  const rates = useRates(topic);
  return (
    <Panel title="Partitions" aside={topic.partitions}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
      <div className="max-h-80 overflow-auto" tabIndex={0}>
        <table className="w-full">
          <thead>
            <tr className="border-b border-line text-xs text-muted">
              <th className="px-3 py-1.5 text-left font-medium">Partition</th>
              <th className={`${cell} font-medium`}>Records</th>
              <th className={`${cell} font-medium max-sm:hidden`}>First</th>
              <th className={`${cell} font-medium max-sm:hidden`}>Next</th>
              <th className={`${cell} font-medium`}>Size</th>
              <th className={`${cell} font-medium`}>A second</th>
              <th className={`${cell} font-medium max-sm:hidden`}>Newest</th>
            </tr>
          </thead>
          <tbody>
            {topic.offsets.map(({ partition, earliest, latest, newestAt, damaged = [], ...of }) => (
              <tr key={partition} className="border-b border-line last:border-0">
                <th scope="row" className="px-3 py-1.5 text-left font-normal">
                  {partition}
                  {damaged.map(({ from, until }) => (
                    <span key={from} className="ml-3">
                      <State of="DAMAGED" word={`damaged from ${from} to ${until - 1}`} />
                    </span>
                  ))}
                </th>
                <td className={cell}>{count(latest - earliest)}</td>
                <td className={`${cell} max-sm:hidden`}>{count(earliest)}</td>
                <td className={`${cell} max-sm:hidden`}>{count(latest)}</td>
                <td className={cell}>{bytes(of.bytes)}</td>
                <td className={cell}>{count(Math.round(rates.get(partition) ?? 0))}</td>
                <td className={`${cell} max-sm:hidden`}>
                  <Time at={newestAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

/** Subscriptions: where records of the topic are pushed. */
function Pushes({ topic }: { readonly topic: string }) {
  const { data = [] } = useQuery({
    queryKey: ['topic', topic, 'pushes'],
    queryFn: () => ask(api.GET('/admin/subscriptions')),
  });
  const own = data.filter((each) => each.topic === topic);
  if (own.length === 0) return null;
  return (
    <Panel title="Pushes" aside={own.length}>
      {own.map(({ name, destination, lag, isPaused, error }) => (
        <div
          key={name}
          className="flex flex-wrap gap-x-4 border-b border-line px-3 py-2 last:border-0"
        >
          <State of={isPaused ? 'PAUSED' : error === undefined ? 'ON' : 'ERROR'} />
          <span className="max-w-1/2 truncate font-medium" title={name}>
            {name}
          </span>
          <span className="min-w-0 flex-1 truncate text-muted">{error ?? destination}</span>
          <span>{count(lag ?? 0)} to push</span>
        </div>
      ))}
    </Panel>
  );
}
