/** Jobs: one thing done to all that filters mean, which the server goes on with by itself. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';

const loadJob = (id: string) => ask(api.GET('/v2/jobs/{id}', { params: { path: { id } } }));

/** One of `/v2/jobs`. */
export type Job = Awaited<ReturnType<typeof loadJob>>;

/** What is to be done, to which of all. */
export interface Work {
  readonly verb: 'retry' | 'resume' | 'restart' | 'cancel' | 'delete';
  readonly over: 'deadLetters' | 'failedRuns' | 'messages' | 'runs';
  /** The filters of the listing; `{}` means all that there are. */
  readonly filter: Readonly<Record<string, number | (string | number)[]>>;
}

const verbs: Readonly<Record<string, string>> = {
  retry: 'Retry',
  resume: 'Resume',
  restart: 'Restart',
  cancel: 'Cancel',
  delete: 'Delete',
};
const things: Readonly<Record<string, string>> = {
  deadLetters: 'dead letters',
  failedRuns: 'failed runs',
  messages: 'pending messages',
  runs: 'active runs',
};

/** `Retry dead letters`. */
export function jobInWords({ verb, over }: Pick<Job, 'verb' | 'over'>): string {
  return `${verbs[verb] ?? verb} ${things[over] ?? over}`;
}

const participles: Readonly<Record<string, string>> = {
  retry: 'retried',
  resume: 'resumed',
  restart: 'restarted',
  cancel: 'canceled',
  delete: 'deleted',
};

/** `retried`, `canceled`: what has become of those that are done. */
export function doneWord({ verb }: Pick<Job, 'verb'>): string {
  return participles[verb] ?? 'done';
}

/** `url is http://...; label is a or b`. */
export function filterInWords(filter: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(filter).map(([name, values]) => {
    return `${name} is ${[values].flat().join(' or ')}`;
  });
  return parts.length === 0 ? 'all of them' : parts.join('; ');
}

/** `50 a second`, `30 a minute`: whole numbers where it was asked for with those. */
export function rateInWords(perSecond: number): string {
  const units = [
    ['second', 1],
    ['minute', 60],
    ['hour', 3600],
  ] as const;
  const [unit, seconds] = units.find(([, each]) => perSecond * each >= 0.999) ?? ['hour', 3600];
  return `${Number((perSecond * seconds).toFixed(2))} ${unit === 'hour' ? 'an' : 'a'} ${unit}`;
}

/** Whether it takes no more, however it ended. */
export const isOver = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'DONE' || state === 'ABORTED' || state === 'FAILED';

/** So often one that goes on is asked for, also where the stream of events is cut. */
const againMs = 2000;

/** A job, asked for again while it runs. */
export function useJob(id: string) {
  return useQuery({
    queryKey: ['job', id],
    queryFn: () => loadJob(id),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isOver(state.data) ? false : againMs,
  });
}

/** What it would take: how many, and the first of their ids. Nothing is changed. */
export const dryRun = async (work: Work) => {
  const answer = await ask(api.POST('/v2/jobs', { body: { ...work, dryRun: true } }));
  return 'items' in answer ? answer : { matched: 0, items: [], cursor: undefined };
};

/** Begins it; `rate` as the API takes it, empty = without a limit. Its id. */
export async function begin(work: Work, rate: string): Promise<string> {
  const body = rate === '' ? work : { ...work, rate };
  const answer = await ask(api.POST('/v2/jobs', { body }));
  return 'jobId' in answer ? answer.jobId : '';
}

/** Has a job take no more; rejects where it is done. */
export const abort = (id: string) =>
  ask(api.POST('/v2/jobs/{id}/abort', { params: { path: { id } } }));
