/** How many pending messages there are in each state. */
import { ApiError, api, ask } from '../api/client.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { queryOf } from './message-filters.ts';

/** How many messages are in each state. */
export interface Counts {
  readonly of: ReadonlyMap<string, number>;
  /** The states in which there may be more. */
  readonly cut: ReadonlySet<string>;
}

/** How many messages are counted individually; if there are more, the overview is asked. */
const countedMax = 500;

/** Adds up counts by state. */
export function tally(
  states: Iterable<readonly [state: string, count: number]>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [state, value] of states) counts.set(state, (counts.get(state) ?? 0) + value);
  return counts;
}

type Query = ReturnType<typeof queryOf> & { readonly state?: 'RETRY'[] };

async function newest(query: Query, signal: AbortSignal) {
  const params = { query: { ...query, count: countedMax } };
  const { messages, cursor } = await ask(api.GET('/v2/messages', { params, signal }));
  return { messages, isCut: cursor !== undefined };
}

/** Counts the messages that match; if there are too many of them, only the newest ones. */
export async function countPending(filters: ChosenFilters, signal: AbortSignal): Promise<Counts> {
  const query = queryOf(filters);
  const { messages, isCut } = await newest(query, signal);
  const of = tally(messages.map(({ state }) => [state, 1] as const));
  of.set('pending', messages.length);
  if (!isCut) return { of, cut: new Set() };
  const isFiltered = Object.keys(query).length > 0;
  const known = isFiltered ? null : await countAll(signal).catch(unlessRefused);
  return known ?? { of, cut: new Set(['pending', 'DELAYED', 'WAITING', 'ACTIVE', 'RETRY']) };
}

/** The numbers of the overview, which has one for delayed messages and retries together. */
async function countAll(signal: AbortSignal): Promise<Counts> {
  const [{ backlog }, retries] = await Promise.all([
    ask(api.GET('/admin/overview', { signal })),
    newest({ state: ['RETRY'] }, signal),
  ]);
  const { pending, inFlight, later, waiting } = backlog;
  const retry = retries.messages.length;
  const of = new Map([
    ['pending', pending],
    ['ACTIVE', inFlight],
    ['WAITING', Object.values(waiting).reduce((sum, each) => sum + each, 0)],
    ['RETRY', retry],
    ['DELAYED', retries.isCut ? 0 : Math.max(0, later - retry)],
  ]);
  return { of, cut: new Set(retries.isCut ? ['RETRY', 'DELAYED'] : []) };
}

/** The overview needs a right that is not needed to read messages. */
function unlessRefused(error: unknown): null {
  if (error instanceof ApiError && error.status === 403) return null;
  throw error;
}
