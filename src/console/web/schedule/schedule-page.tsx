/** One schedule: when it fires, the results of its last triggers, and what it publishes. */
import { Link, useParams } from '@tanstack/react-router';
import { AnyBody } from '../bodies/body.tsx';
import { bodyWords } from '../bodies/body-words.ts';
import { Code } from '../parts/code.tsx';
import { Facts } from '../parts/facts.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { quoted } from '../parts/shell-words.ts';
import { StateBadge } from '../parts/state-mark.tsx';
import { Loaded, useCurl, useHeaderPrefix } from '../parts/states.tsx';
import { destinationPath } from '../publish/destination-path.ts';
import { useNow } from '../time/clock.ts';
import { exact, relative } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { clockIn } from '../time/zones.ts';
import { cronParts, useCronWords } from './cron.tsx';
import { HeatStrip } from './heat-strip.tsx';
import { type Schedule, stateOf, useSchedule, useTimes } from './load-schedule.ts';
import { Results } from './results.tsx';
import { ScheduleActions } from './schedule-actions.tsx';
import { scheduleOptions } from './schedule-draft.ts';

export default function SchedulePage() {
  const { id = '' } = useParams({ strict: false });
  const query = useSchedule(id);
  const { data } = query;
  return (
    <Page
      title={data === undefined ? id : data.destination}
      trail={
        <>
          <Link to="/schedules" className="hover:underline">
            Schedules
          </Link>{' '}
          / <span className="font-mono text-xs break-all">{id}</span>
        </>
      }
      badge={data !== undefined && <StateBadge of={stateOf(data)} />}
      actions={data !== undefined && <ScheduleActions schedule={data} />}
    >
      <Loaded query={query}>
        {(schedule) => (
          <>
            <div className="grid gap-x-4 lg:grid-cols-2">
              <Panel title="When">
                <When schedule={schedule} />
              </Panel>
              <Panel title="Last results" aside="newest first">
                <Results id={id} />
              </Panel>
            </div>
            <Week schedule={schedule} />
            <Publishes schedule={schedule} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** How many of the next times are listed. */
const nextMax = 5;

function When({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId: id, cron, isPaused, error, lastScheduleTime: last } = schedule;
  const { fields, zone } = cronParts(cron);
  const words = useCronWords(fields);
  const { data } = useTimes(id, cron);
  const now = useNow();
  const next = data?.times.filter((at) => at > now).slice(0, nextMax) ?? [];
  return (
    <Facts
      of={{
        Cron: <code className="font-mono text-xs">{fields}</code>,
        'In words': words,
        Zone: zone,
        'Last time': last === undefined ? 'never' : <Time at={last} />,
        Error: error === undefined ? undefined : <span className="text-bad">{error}</span>,
        'Next times': (
          <>
            {isPaused && (
              <p className="text-wait">The schedule is paused: these times are skipped.</p>
            )}
            <ol>
              {next.map((at) => (
                <li key={at} title={exact(at)}>
                  {clockIn(at, zone)} <span className="text-muted">{relative(at, now)}</span>
                </li>
              ))}
            </ol>
          </>
        ),
      }}
    />
  );
}

function Week({ schedule: { scheduleId, cron } }: { readonly schedule: Schedule }) {
  const query = useTimes(scheduleId, cron);
  return (
    <Panel title="The next seven days" aside={query.data?.zone}>
      <Loaded query={query} lines={4}>
        {({ heat }) => <HeatStrip heat={heat} />}
      </Loaded>
    </Panel>
  );
}

function Publishes({ schedule }: { readonly schedule: Schedule }) {
  const curl = useCurl();
  const prefix = useHeaderPrefix();
  const { scheduleId, cron, destination, createdAt } = schedule;
  const options = scheduleOptions(schedule, prefix);
  const headers = [[`${prefix}Cron`, cron], [`${prefix}Schedule-Id`, scheduleId], ...options].map(
    (option) => `-H ${quoted(option.join(': '))}`,
  );
  return (
    <Panel title="What it publishes">
      <Facts
        of={{
          Created: exact(createdAt),
          Method: schedule.method,
          Queue: schedule.queueName,
          'Flow-control key': schedule.flowControlKey,
          Callback: schedule.callback,
          'Failure callback': schedule.failureCallback,
        }}
      />
      <div className="grid gap-3 p-3 pt-0">
        <AnyBody text={schedule.body} base64={schedule.bodyBase64} />
        <Code
          text={curl(
            destinationPath('/v2/schedules/', destination),
            ...headers,
            ...bodyWords(schedule, options.has('Content-Type')),
          )}
        />
      </div>
    </Panel>
  );
}
