/** The list of schedules: when they fire, their last results, and buttons to pause them. */

import { Link, useNavigate } from '@tanstack/react-router';
import { Pause, Play, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { useRows } from '../api/rows.ts';
import { Action } from '../parts/button.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { DestinationUrl, ShortId } from '../parts/shortened.tsx';
import { barColours, State, type Tone } from '../parts/state-mark.tsx';
import { Empty, RowStates, useCurl, useHeaderPrefix } from '../parts/states.tsx';
import { SinkButton } from '../publish/sink-button.tsx';
import { CronText } from '../schedule/cron.tsx';
import { type Schedule, stateOf } from '../schedule/load-schedule.ts';
import { usePause, useTrigger } from '../schedule/schedule-actions.tsx';
import { ScheduleDialog } from '../schedule/schedule-dialog.tsx';
import { noSchedule } from '../schedule/schedule-draft.ts';
import { Time } from '../time/time.tsx';

const load = async (cursor: string | undefined, signal: AbortSignal) => {
  const query = { count: 100, ...(cursor !== undefined && { cursor }) };
  const page = await ask(api.GET('/v2/schedules', { params: { query }, signal }));
  return Array.isArray(page) ? { rows: page } : { rows: page.schedules, cursor: page.cursor };
};

const resultTones: Readonly<Record<string, Tone>> = {
  SUCCESS: 'ok',
  FAIL: 'bad',
  IN_PROGRESS: 'busy',
};

/** The last messages of a schedule, with a square for each. */
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
    cell: (schedule) => (
      <span title={schedule.error}>
        <State of={stateOf(schedule)} />
      </span>
    ),
  },
  {
    name: 'Id',
    isOnPhoneOnly: true,
    cell: ({ scheduleId: id }) => (
      <Link to="/schedules/$id" params={{ id }}>
        <ShortId id={id} />
      </Link>
    ),
  },
  { name: 'When', from: 'sm', cell: ({ cron }) => <CronText cron={cron} /> },
  {
    name: 'Destination',
    width: '26%',
    from: 'sm',
    cell: ({ destination, scheduleId: id }) => (
      <Link to="/schedules/$id" params={{ id }} title={`${destination} (${id})`}>
        <DestinationUrl url={destination} />
      </Link>
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
    name: 'Actions',
    width: '12.5rem',
    from: 'sm',
    isRight: true,
    cell: (schedule) => <RowActions schedule={schedule} />,
  },
];

function RowActions({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId: id, isPaused } = schedule;
  const pause = usePause(schedule);
  const trigger = useTrigger(id);
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
        aria-label={`Trigger ${id} now`}
        disabled={trigger.isPending}
        onClick={() => trigger.mutate(undefined)}
      >
        Trigger
      </Action>
    </span>
  );
}

function Create() {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  return (
    <>
      <Action look="main" icon={<Plus className="size-4" />} onClick={() => setOpen(true)}>
        Create…
      </Action>
      {isOpen && (
        <ScheduleDialog
          draft={noSchedule}
          close={() => setOpen(false)}
          saved={(id) => navigate({ to: '/schedules/$id', params: { id } })}
        />
      )}
    </>
  );
}

export default function SchedulesPage() {
  const list = useRows(['schedule'], load);
  const curl = useCurl();
  const prefix = useHeaderPrefix();
  return (
    <Page title="Schedules" actions={<Create />}>
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
              action={<SinkButton sample="schedule" />}
            >
              A schedule publishes a message at each time of its cron expression.
            </Empty>
          }
        >
          {(rows) => (
            <RowTable
              label="Schedules"
              columns={columns}
              rows={rows}
              keyOf={({ scheduleId }) => scheduleId}
              linkOf={({ scheduleId }) => `/schedules/${encodeURIComponent(scheduleId)}`}
              more={list.more}
            />
          )}
        </RowStates>
      </Panel>
    </Page>
  );
}
