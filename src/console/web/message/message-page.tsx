/** One message: why it waits, its present and past life, its attempts, callbacks and request. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api, ask } from '../api/client.ts';
import type { ReadRows } from '../api/rows.ts';
import { useFilters } from '../parts/filter-bar.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { State, StateBadge } from '../parts/state-mark.tsx';
import { Loaded, MissingRows } from '../parts/states.tsx';
import { WhyLine } from '../parts/why.tsx';
import { momentIn } from '../past/as-of.ts';
import { AsOf, TimeSlider } from '../past/time-slider.tsx';
import { useNow } from '../time/clock.ts';
import { count } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { Attempts } from './attempts.tsx';
import { hasEnded, type Message, useMessage, useMessageLog } from './load-message.ts';
import { MessageActions } from './message-actions.tsx';
import { type LifeRow, momentsOf } from './message-life.ts';
import { RequestPanel } from './request.tsx';

export default function MessagePage() {
  const { id = '' } = useParams({ strict: false });
  const query = useMessage(id);
  const log = useMessageLog(id);
  const [{ asOf }] = useFilters();
  const at = momentIn(asOf);
  const { data } = query;
  const state =
    at === null ? data?.state : log.data?.rows.findLast(({ time }) => time <= at)?.state;
  return (
    <Page
      title={data === undefined ? id : `${data.method} ${data.url}`}
      trail={
        <>
          <Link to="/messages" className="hover:underline">
            Messages
          </Link>{' '}
          / <span className="font-mono text-xs">{id}</span>
        </>
      }
      badge={state !== undefined && <StateBadge of={state} />}
      actions={data !== undefined && at === null && <MessageActions message={data} />}
    >
      <Loaded query={query}>
        {(message) => (
          <>
            {at === null ? !hasEnded(message) && <WhyItWaits id={id} /> : <AsOf at={at} />}
            <Loaded query={log}>{(read) => <Life id={id} log={read} at={at} />}</Loaded>
            {at === null && <Callbacks message={message} />}
            <RequestPanel message={message} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function WhyItWaits({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['message', id, 'why'],
    queryFn: () => ask(api.GET('/v2/messages/{id}/why', { params: { path: { id } } })),
  });
  return data === undefined ? null : <WhyLine why={data} />;
}

interface LifeProps {
  readonly id: string;
  readonly log: ReadRows<LifeRow>;
  readonly at: number | null;
}

/** Its life up to the selected moment, and the slider that selects it. */
function Life({ id, log: { rows, isCut, damaged }, at }: LifeProps) {
  const now = useNow();
  const [, change] = useFilters();
  const moments = useMemo(() => momentsOf(rows), [rows]);
  const known = at === null ? rows : rows.filter(({ time }) => time <= at);
  const from = moments[0] ?? now;
  const isOver = rows.some(({ state }) => ['DELIVERED', 'FAILED', 'CANCELED'].includes(state));
  const until = isOver ? (moments.at(-1) ?? now) : Math.max(now, moments.at(-1) ?? now);
  return (
    <>
      <MissingRows places={damaged} />
      <Attempts messageId={id} rows={known} at={at ?? until} until={until} />
      {isCut && (
        <p className="mb-4 text-muted">
          It has more rows than are shown: these are its first {count(rows.length)}.
        </p>
      )}
      {moments.length > 1 && (
        <TimeSlider
          {...{ from, until, at, moments }}
          change={(to) => change({ asOf: to === null ? undefined : String(to) })}
        />
      )}
    </>
  );
}

/** Messages that report on this one. */
function Callbacks({ message: { messageId: id } }: { readonly message: Message }) {
  const { data } = useQuery({
    queryKey: ['message', id, 'callbacks'],
    queryFn: () => {
      const query = { sourceMessageId: [id], trimBody: -1 };
      return ask(api.GET('/v2/logs', { params: { query } }));
    },
  });
  const latest = new Map(data?.logs.toReversed().map((row) => [row.messageId, row]));
  if (latest.size === 0) return null;
  return (
    <Panel title="Callbacks" aside={latest.size}>
      {[...latest.values()].map(({ messageId, state, url, time }) => (
        <div key={messageId} className="flex gap-4 border-b border-line px-3 py-2 last:border-0">
          <State of={state} />
          <Link
            to="/messages/$id"
            params={{ id: messageId }}
            className="min-w-0 flex-1 truncate text-accent hover:underline"
          >
            {url}
          </Link>
          <Time at={time} />
        </div>
      ))}
    </Panel>
  );
}
