/** One run: why it waits, what it did and when, and what can be done with it. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { lanesOf, momentsOf } from '../../../run-waterfall/lanes.js';
import { api, ask } from '../api/client.ts';
import type { ReadRows } from '../api/rows.ts';
import { Body } from '../bodies/body.tsx';
import { CopyButton } from '../parts/code.tsx';
import { Facts } from '../parts/facts.tsx';
import { useFilters } from '../parts/filter-bar.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { StateBadge } from '../parts/state-mark.tsx';
import { Empty, Loaded, MissingRows } from '../parts/states.tsx';
import { WhyLine } from '../parts/why.tsx';
import { momentIn } from '../past/as-of.ts';
import { JournalLink } from '../past/journal-link.tsx';
import { AsOf, TimeSlider } from '../past/time-slider.tsx';
import { useNow } from '../time/clock.ts';
import { count, duration, exact } from '../time/format.ts';
import { RunLink } from './lane-details.tsx';
import { RunActions } from './run-actions.tsx';
import { type LoggedRow, type ShownRun, useResponse, useRun, useRunLog } from './run-log.ts';
import { Waterfall } from './waterfall.tsx';

/** Says so if there is no such run, or no longer. */
export default function RunPage() {
  const { id = '' } = useParams({ strict: false });
  const query = useRun(id);
  if (query.data === null) return <NoRun id={id} />;
  if (query.data !== undefined) return <Run key={id} run={query.data} />;
  return (
    <Page title={id} trail={trail}>
      <Panel>
        <Loaded query={query}>{() => null}</Loaded>
      </Panel>
    </Page>
  );
}

const trail = (
  <Link to="/workflows" className="hover:underline">
    Workflows
  </Link>
);

function NoRun({ id }: { readonly id: string }) {
  return (
    <Page title="No such run" trail={trail}>
      <Panel>
        <Empty title={`No run has the id ${id}`}>
          It was never started here, or the retention of the logs is over.
        </Empty>
      </Panel>
    </Page>
  );
}

/** The name of a workflow: the last part of its URL. */
function workflowName(url: string): string {
  const parts = url
    .replace(/[?#].*$/, '')
    .split('/')
    .filter((part) => part !== '');
  return parts.at(-1) ?? url;
}

function Run({ run }: { readonly run: ShownRun }) {
  const { workflowRunId: id, workflowUrl: url, state } = run;
  const isActive = run.workflowState === 'RUN_STARTED';
  const [{ asOf }, change] = useFilters();
  const at = momentIn(asOf);
  const log = useRunLog(id, isActive);
  const why = useQuery({
    queryKey: ['run', id, 'why'],
    queryFn: () => {
      const path = { workflowRunId: id };
      return ask(api.GET('/v2/workflows/runs/{workflowRunId}/why', { params: { path } }));
    },
  });
  const eventIds = [...new Set(why.data?.waits.flatMap(({ eventId }) => eventId ?? []))];
  return (
    <Page
      title={workflowName(url)}
      trail={
        <>
          {trail} / <span className="break-all">{id}</span> <CopyButton text={id} />
        </>
      }
      badge={at === null ? <StateBadge of={state} /> : undefined}
      actions={at === null && <RunActions run={run} eventIds={eventIds} />}
    >
      {at === null && why.data !== undefined && <WhyLine why={why.data} />}
      {at !== null && <AsOf at={at} />}
      <Loaded query={log}>
        {(rows) => (
          <History
            run={run}
            log={rows}
            at={at}
            change={(to) => change({ asOf: to === null ? undefined : String(to) })}
          />
        )}
      </Loaded>
      <About run={run} />
    </Page>
  );
}

interface HistoryProps {
  readonly run: ShownRun;
  readonly log: ReadRows<LoggedRow>;
  readonly at: number | null;
  readonly change: (at: number | null) => void;
}

function History({ run, log: { rows, isCut, damaged }, at, change }: HistoryProps) {
  const now = useNow();
  const moments = useMemo(() => momentsOf(rows), [rows]);
  const whole = useMemo(() => lanesOf(rows), [rows]);
  const shown = useMemo(() => (at === null ? whole : lanesOf(rows, at)), [rows, whole, at]);
  const from = whole.startedAt ?? run.workflowRunCreatedAt;
  const last = moments.at(-1) ?? from;
  const isOpen = whole.lanes.some(({ bars }) => bars.some(({ until }) => until === null));
  const until = isOpen || whole.endedAt === null ? Math.max(now, last) : last;
  return (
    <>
      <MissingRows places={damaged} />
      <Panel
        title={at === null ? 'Steps' : `Steps at +${duration(at - from)}`}
        aside={
          <span title={`${exact(from)} to ${exact(until)}`}>
            {count(shown.lanes.length)} in {duration((shown.endedAt ?? at ?? until) - from)}
          </span>
        }
      >
        <Waterfall
          runId={run.workflowRunId}
          run={shown}
          rows={rows.filter(({ time }) => time <= (at ?? until))}
          {...{ from, until, at }}
        />
        {isCut && (
          <p className="border-t border-line px-3 py-2 text-muted">
            It has more rows than are shown: these are its first {count(rows.length)}.
          </p>
        )}
      </Panel>
      <TimeSlider {...{ from, until, at, moments, change }} />
    </>
  );
}

function About({ run }: { readonly run: ShownRun }) {
  const { labels = [], invoker, workflowRunResponse: response, failureFunction } = run;
  const endedAt = run.workflowRunCompletedAt;
  const replaced = run.steps.flatMap((group) =>
    group.type === 'next'
      ? []
      : group.steps.flatMap(({ stepName, editedAt }) => (editedAt === undefined ? [] : stepName)),
  );
  return (
    <Panel title="About">
      <Facts
        of={{
          Endpoint: run.workflowUrl,
          Started: exact(run.workflowRunCreatedAt),
          Ended: endedAt === undefined ? undefined : exact(endedAt),
          'Started by': invoker === undefined ? undefined : <RunLink id={invoker.workflowRunId} />,
          'Replaced results': replaced.length === 0 ? undefined : replaced.join(', '),
          Labels: labels.length === 0 ? undefined : labels.join(', '),
          'Flow-control key': run.flowControlKey,
          'Caller address': run.workflowRunCallerIp,
          'Failure function': failureFunction?.state.toLowerCase().replaceAll('_', ' '),
          'Dead letter': run.dlqId,
          'In the journal': <JournalLink stream={`run/${run.workflowRunId}`} />,
        }}
      />
      {response !== undefined && response !== '' && (
        <div className="px-3 pb-3">
          <h3 className="mb-1 font-medium">Returned</h3>
          <Returned runId={run.workflowRunId} start={response} />
        </div>
      )}
    </Panel>
  );
}

/** The run itself has only the beginning of what it has returned. */
function Returned({ runId, start }: { readonly runId: string; readonly start: string }) {
  return (
    <Loaded query={useResponse(runId)} lines={2}>
      {(response) => <Body text={response ?? start} />}
    </Loaded>
  );
}
