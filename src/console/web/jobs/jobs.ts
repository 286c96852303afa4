/** Jobs: one action on everything that filters select, which the server continues by itself. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';

const loadJob = (id: string) => ask(api.GET('/v2/jobs/{id}', { params: { path: { id } } }));

/** One job of `/v2/jobs`. */
export type Job = Awaited<ReturnType<typeof loadJob>>;

/** What to do, and with which items. */
export interface Work {
  readonly verb: 'retry' | 'resume' | 'restart' | 'cancel' | 'delete';
  readonly over: 'deadLetters' | 'failedRuns' | 'messages' | 'runs';
  /** The filters of the listing; `{}` selects everything. */
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

/** `retried`, `canceled`: the word for items that are done. */
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

/** `50 a second`, `30 a minute`: in the unit that gives a rate of at least 1. */
export function rateInWords(perSecond: number): string {
  const units = [
    ['second', 1],
    ['minute', 60],
    ['hour', 3600],
  ] as const;
  const [unit, seconds] = units.find(([, each]) => perSecond * each >= 0.999) ?? ['hour', 3600];
  return `${Number((perSecond * seconds).toFixed(2))} ${unit === 'hour' ? 'an' : 'a'} ${unit}`;
}

/** Whether the job has ended, for whatever reason. */
export const isOver = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'DONE' || state === 'ABORTED' || state === 'FAILED';

/** How often an active job is loaded, also if the stream of events is cut. */
const againMs = 2000;

/** A job, reloaded while it runs. */
export function useJob(id: string) {
  return useQuery({
    queryKey: ['job', id],
    queryFn: () => loadJob(id),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isOver(state.data) ? false : againMs,
  });
}

/** What a job would process: the number, and the first ids. Changes nothing. */
export const dryRun = async (work: Work) => {
  const answer = await ask(api.POST('/v2/jobs', { body: { ...work, dryRun: true } }));
  return 'items' in answer ? answer : { matched: 0, items: [], cursor: undefined };
};

/** Starts a job; `rate` is in the form of the API, empty = without a limit. Resolves to its id. */
export async function begin(work: Work, rate: string): Promise<string> {
  const body = rate === '' ? work : { ...work, rate };
  const answer = await ask(api.POST('/v2/jobs', { body }));
  return 'jobId' in answer ? answer.jobId : '';
}

/** Aborts a job; rejects if it has ended. */
export const abort = (id: string) =>
  ask(api.POST('/v2/jobs/{id}/abort', { params: { path: { id } } }));
