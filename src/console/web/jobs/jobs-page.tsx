/** Jobs: actions on many items, their progress, and what was refused. */
import { api, ask } from '../api/client.ts';
import { useRows } from '../api/rows.ts';
import { Button } from '../parts/button.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, RowStates, useCurl } from '../parts/states.tsx';
import { Time } from '../time/time.tsx';
import { AbortButton, JobProgress } from './job-progress.tsx';
import { filterInWords, type Job, jobInWords, rateInWords } from './jobs.ts';

const load = async (cursor: string | undefined, signal: AbortSignal) => {
  const query = { count: 50, ...(cursor !== undefined && { cursor }) };
  const page = await ask(api.GET('/v2/jobs', { params: { query }, signal }));
  return { rows: page.jobs, cursor: page.cursor };
};

export default function JobsPage() {
  const list = useRows(['job'], load);
  const curl = useCurl();
  return (
    <Page title="Jobs">
      <RowStates
        list={list}
        isFiltered={false}
        empty={
          <Panel>
            <Empty
              title="No jobs yet"
              command={curl(
                '/v2/jobs',
                '-H "Content-Type: application/json"',
                `-d '{"verb":"retry","over":"deadLetters","filter":{},"rate":"50/s","dryRun":true}'`,
              )}
            >
              A job applies one action to everything that matches filters: retry, resume, restart,
              cancel or delete. Dead letters, messages and workflows begin them, too.
            </Empty>
          </Panel>
        }
      >
        {(jobs) => (
          <>
            {jobs.map((job) => (
              <JobPanel key={job.jobId} job={job} />
            ))}
            {list.more !== undefined && <Button onClick={list.more}>Show more</Button>}
          </>
        )}
      </RowStates>
    </Page>
  );
}

function JobPanel({ job }: { readonly job: Job }) {
  const { filter, rate, by, startedAt, jobId } = job;
  return (
    <Panel title={jobInWords(job)} aside={<AbortButton job={job} isSmall />}>
      <div className="p-3">
        <p className="mb-2 break-all text-muted">
          {filterInWords(filter)}
          {rate !== undefined && `; at most ${rateInWords(rate)}`}
          {by?.name != null && `; by ${by.name}`}, <Time at={startedAt} />{' '}
          <span className="font-mono text-xs">{jobId}</span>
        </p>
        <JobProgress job={job} />
      </div>
    </Panel>
  );
}
