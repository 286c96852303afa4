/** The schedules there are: when they fire, what they have done, and pausing them. */
import { useQuery } from '@tanstack/react-query';
import { Pause, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { useRows } from '../api/rows.ts';
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { barColours, State, type Tone } from '../parts/state-mark.tsx';
import { Empty, Failure, RowStates, useCurl, useHeaderPrefix } from '../parts/states.tsx';
import { Time } from '../time/time.tsx';

const load = async (cursor: string | undefined, signal: AbortSignal) => {
  const query = { count: 100, ...(cursor !== undefined && { cursor }) };
  const page = await ask(api.GET('/v2/schedules', { params: { query }, signal }));
  return Array.isArray(page) ? { rows: page } : { rows: page.schedules, cursor: page.cursor };
};
type Schedule = Awaited<ReturnType<typeof load>>['rows'][number];

const resultTones: Readonly<Record<string, Tone>> = {
  SUCCESS: 'ok',
  FAIL: 'bad',
  IN_PROGRESS: 'busy',
};

/** What a cron expression means; the library for it comes when the first is shown. */
function useCronWords(cron: string): string {
  const expression = cron.replace(/^CRON_TZ=\S+\s+/, '');
  const { data } = useQuery({
    queryKey: ['cron', expression],
    queryFn: async () => {
      const { toString: wordsOf } = (await import('cronstrue')).default;
      return wordsOf(expression, { throwExceptionOnParseError: false });
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return data ?? '';
}

function Cron({ cron }: { readonly cron: string }) {
  const zone = /^CRON_TZ=(\S+)/.exec(cron)?.[1];
  const words = useCronWords(cron);
  return (
    <span title={`${cron}: ${words}`}>
      <code className="mr-2 font-mono text-xs">{cron.replace(/^CRON_TZ=\S+\s+/, '')}</code>
      <span className="text-muted">
        {words}
        {zone === undefined ? '' : ` (${zone})`}
      </span>
    </span>
  );
}

/** The last messages of a schedule, one square for each. */
function Results({ states }: { readonly states: Schedule['lastScheduleStates'] }) {
  const results = Object.entries(states ?? {}).slice(-10);
  const words = results.map(([, state]) => state.toLowerCase().replace('_', ' '));
  if (results.length === 0) return <span className="text-muted">–</span>;
  return (
    <span role="img" aria-label={words.join(', ')} className="inline-flex gap-0.5 align-middle">
      {results.map(([id, state]) => (
        <span
          key={id}
          title={`${id}: ${state.toLowerCase()}`}
          className={`h-3.5 w-2 rounded-xs ${barColours[resultTones[state] ?? 'idle']}`}
        />
      ))}
    </span>
  );
}

const columns: readonly Column<Schedule>[] = [
  {
    name: 'State',
    width: '6rem',
    cell: ({ isPaused, error }) => (
      <span title={error}>
        <State of={error !== undefined ? 'FAILED' : isPaused ? 'PAUSED' : 'ON'} />
      </span>
    ),
  },
  { name: 'When', cell: ({ cron }) => <Cron cron={cron} /> },
  {
    name: 'Destination',
    width: '26%',
    from: 'md',
    cell: ({ destination, scheduleId }) => (
      <span title={`${destination} (${scheduleId})`}>{destination}</span>
    ),
  },
  {
    name: 'Last',
    width: '8rem',
    from: 'lg',
    cell: ({ lastScheduleStates }) => <Results states={lastScheduleStates} />,
  },
  {
    name: 'Next',
    width: '6rem',
    isRight: true,
    cell: ({ nextScheduleTime, isPaused }) => <Time at={isPaused ? null : nextScheduleTime} />,
  },
  {
    name: 'Do',
    width: '10.5rem',
    from: 'sm',
    isRight: true,
    cell: (schedule) => <ScheduleActions schedule={schedule} />,
  },
];

function ScheduleActions({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId: id, isPaused } = schedule;
  const [isRemoving, setRemoving] = useState(false);
  const params = { path: { id } };
  const pause = useChange(
    () =>
      isPaused
        ? ask(api.POST('/v2/schedules/{id}/resume', { params }))
        : ask(api.POST('/v2/schedules/{id}/pause', { params })),
    ['schedule'],
  );
  const word = isPaused ? 'Resume' : 'Pause';
  return (
    <span className="inline-flex gap-1 align-middle">
      <Action
        isSmall
        aria-label={`${word} ${id}`}
        icon={isPaused ? <Play className="size-3.5" /> : <Pause className="size-3.5" />}
        disabled={pause.isPending}
        onClick={() => pause.mutate(undefined)}
      >
        {word}
      </Action>
      <Action
        isSmall
        aria-label={`Delete ${id}`}
        look="danger"
        icon={<Trash2 className="size-3.5" />}
        onClick={() => setRemoving(true)}
      />
      {isRemoving && <Removal id={id} close={() => setRemoving(false)} />}
    </span>
  );
}

function Removal({ id, close }: { readonly id: string; readonly close: () => void }) {
  const params = { path: { id } };
  const remove = useChange(
    () => ask(api.DELETE('/v2/schedules/{id}', { params })),
    ['schedule'],
    close,
  );
  return (
    <Dialog title={`Delete the schedule ${id}?`} close={close}>
      <p className="mb-3 text-left">It fires no more. Messages that it has made go on.</p>
      {remove.error !== null && <Failure error={remove.error} />}
      <Action look="danger" disabled={remove.isPending} onClick={() => remove.mutate(undefined)}>
        Delete
      </Action>
    </Dialog>
  );
}

export default function SchedulesPage() {
  const list = useRows(['schedule'], load);
  const curl = useCurl();
  const prefix = useHeaderPrefix();
  return (
    <Page title="Schedules">
      <Panel>
        <RowStates
          list={list}
          isFiltered={false}
          empty={
            <Empty
              title="No schedules yet"
              command={curl(
                '/v2/schedules/https://example.com/',
                `-H "${prefix}Cron: CRON_TZ=Europe/Berlin 0 9 * * 1-5"`,
                "-d 'good morning'",
              )}
            >
              A schedule publishes a message whenever its cron expression says so.
            </Empty>
          }
        >
          {(rows) => (
            <RowTable
              label="Schedules"
              columns={columns}
              rows={rows}
              keyOf={({ scheduleId }) => scheduleId}
              more={list.more}
            />
          )}
        </RowStates>
      </Panel>
    </Page>
  );
}
