/** The progress of a job: what is done, what was refused and why, and a button to abort it. */
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { State } from '../parts/state-mark.tsx';
import { Failure } from '../parts/states.tsx';
import { useNow } from '../time/clock.ts';
import { count, duration } from '../time/format.ts';
import { abort, doneWord, isOver, type Job } from './jobs.ts';

/** `expected` is how many items it will process, if known. */
export function JobProgress({ job, expected }: { readonly job: Job; readonly expected?: number }) {
  const { matched, done, refused, startedAt, endedAt, reason, refusals } = job;
  const now = useNow();
  const total = Math.max(expected ?? 0, matched);
  // A job does not know its total: without a dry run before it, there is no percentage.
  const isKnown = isOver(job) || (expected !== undefined && total > 0);
  const share = isOver(job) ? 1 : matched / Math.max(1, total);
  return (
    <div>
      <div className="mb-1 flex flex-wrap items-center gap-x-4">
        <State of={job.state} />
        <span>
          {count(done)} {doneWord(job)}
          {refused > 0 && `, ${count(refused)} refused`}
          {!isOver(job) && expected !== undefined && ` of ${count(total)}`}
        </span>
        <span className="ml-auto text-muted">
          {duration(Math.max(0, (endedAt ?? now) - startedAt))}
        </span>
      </div>
      <div
        role="progressbar"
        aria-label="Progress"
        {...(isKnown && { 'aria-valuenow': Math.round(share * 100) })}
        className="h-2 overflow-hidden rounded-full bg-raised"
      >
        <div
          style={{ width: isKnown ? `${share * 100}%` : '25%' }}
          className={`h-full bg-accent-fill ${isKnown ? '' : 'motion-safe:animate-pulse'}`}
        />
      </div>
      {reason !== undefined && <p className="mt-2 text-bad">{reason}</p>}
      {refusals.length > 0 && (
        <ul className="mt-2 max-h-40 overflow-auto text-xs">
          {refusals.map(({ id, reason: why }) => (
            <li key={id} className="break-all">
              <span className="font-mono">{id}</span> <span className="text-bad">{why}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Shows nothing if the job has ended. */
export function AbortButton({ job, isSmall }: { readonly job: Job; readonly isSmall?: boolean }) {
  const change = useChange(() => abort(job.jobId), ['job']);
  if (isOver(job)) return null;
  return (
    <>
      <Action
        look="danger"
        {...(isSmall !== undefined && { isSmall })}
        disabled={change.isPending}
        title="Stops the job; what it has done stays done"
        onClick={() => change.mutate(undefined)}
      >
        Abort
      </Action>
      {change.error !== null && <Failure error={change.error} />}
    </>
  );
}
