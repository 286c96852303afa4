/**
 * Performs one action on everything that matches: first shows how many match, then the progress.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { count } from '../time/format.ts';
import { AbortButton, JobProgress } from './job-progress.tsx';
import { begin, dryRun, isOver, jobInWords, useJob, type Work } from './jobs.ts';

interface JobDialogProps {
  readonly work: Work;
  /** What matches and what happens to it, in words. */
  readonly means: string;
  /** The kinds of data that the job changes: the first parts of query keys. */
  readonly kinds: readonly string[];
  readonly close: () => void;
}

export function JobDialog({ work, means, kinds, close }: JobDialogProps) {
  const [id, setId] = useState<string | null>(null);
  const dryRunQuery = useQuery({
    queryKey: ['dryRunQuery', work],
    queryFn: () => dryRun(work),
    enabled: id === null,
    refetchInterval: false,
    gcTime: 0,
  });
  const { data } = dryRunQuery;
  return (
    <Dialog title={`${jobInWords(work)}: all that match`} close={close}>
      <p className="mb-3">{means}</p>
      {id === null ? (
        <Loaded query={dryRunQuery} lines={2}>
          {({ matched, items, cursor }) => (
            <>
              <p role="status" className="mb-3 font-medium">
                {count(matched)}
                {cursor === undefined ? ' match now.' : ' or more match now.'}
              </p>
              {items.length > 0 && <Items items={items} matched={matched} />}
              <Begin {...{ work, kinds, close, setId }} isEmpty={matched === 0} />
            </>
          )}
        </Loaded>
      ) : (
        <Running
          {...{ id, kinds, close }}
          {...(data !== undefined && data.cursor === undefined && { expected: data.matched })}
        />
      )}
    </Dialog>
  );
}

/** The result of the dry run: the items that would be processed. */
function Items({
  items,
  matched,
}: {
  readonly items: readonly string[];
  readonly matched: number;
}) {
  return (
    <details className="mb-3">
      <summary className="cursor-pointer text-muted">
        Which ones{items.length < matched && `: the first ${count(items.length)}`}
      </summary>
      <ul className="mt-1 max-h-40 overflow-auto font-mono text-xs">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </details>
  );
}

function Begin({
  work,
  kinds,
  isEmpty,
  setId,
  close,
}: Omit<JobDialogProps, 'means'> & {
  readonly isEmpty: boolean;
  readonly setId: (id: string) => void;
}) {
  const change = useChange((rate: string) => begin(work, rate), [...kinds, 'job'], setId);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(String(new FormData(event.currentTarget).get('rate')).trim());
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="At most"
        hint="a rate: 50 (per second), 30/m or 100/h; empty = no limit"
        name="rate"
      />
      {change.error !== null && <Failure error={change.error} />}
      <div className="flex gap-2">
        <Action
          type="submit"
          look={work.verb === 'delete' || work.verb === 'cancel' ? 'danger' : 'main'}
          disabled={isEmpty || change.isPending}
        >
          {jobInWords(work)}
        </Action>
        <Button onClick={close}>Close</Button>
      </div>
    </form>
  );
}

function Running({
  id,
  kinds,
  expected,
  close,
}: Pick<JobDialogProps, 'kinds' | 'close'> & {
  readonly id: string;
  readonly expected?: number;
}) {
  const query = useJob(id);
  useReloadAtEnd(query.data !== undefined && isOver(query.data), kinds);
  return (
    <Loaded query={query} lines={2}>
      {(job) => (
        <>
          <JobProgress job={job} {...(expected !== undefined && { expected })} />
          <p className="my-3 text-muted">
            The server goes on with it by itself, after a restart too.{' '}
            <Link to="/jobs" className="text-accent hover:underline">
              All jobs
            </Link>
          </p>
          <div className="flex gap-2">
            <AbortButton job={job} />
            <Button onClick={close}>Close</Button>
          </div>
        </>
      )}
    </Loaded>
  );
}

/** Numbers of these kinds that were loaded while the job was running are out of date. */
function useReloadAtEnd(hasEnded: boolean, kinds: readonly string[]): void {
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the end of the job counts
  useEffect(() => {
    if (!hasEnded) return;
    for (const kind of kinds) queries.invalidateQueries({ queryKey: [kind] });
  }, [hasEnded]);
}
