/** The log of one run, up to a limit of rows. */
import { useQuery } from '@tanstack/react-query';
import { ApiError, api, ask } from '../api/client.ts';
import { rowsUpTo } from '../api/rows.ts';

const pageSize = 1000;
/** For a run with more rows, only the first ones are shown. */
const rowsMax = 5000;
/** How many bytes of each body; the details of a step have complete bodies. */
const bodyMax = 300;
/**
 * The interval while the run is active: attempts in flight are not events, so the live stream does
 * not report them.
 */
const activeMs = 1000;

/** A row of `/v2/workflows/messageLogs`. */
export type LoggedRow = Awaited<ReturnType<typeof loadPage>>['rows'][number];

async function loadPage(id: string, cursor: string | undefined, signal: AbortSignal) {
  const query = {
    workflowRunId: [id],
    order: 'earliestFirst' as const,
    count: pageSize,
    trimBody: bodyMax,
    ...(cursor !== undefined && { cursor }),
  };
  const page = await ask(api.GET('/v2/workflows/messageLogs', { params: { query }, signal }));
  return { rows: page.events, cursor: page.cursor, damaged: page.damaged };
}

/**
 * The log of a run, earliest row first; reloaded while the run `isActive`, as a run that has ended
 * gets no new rows.
 */
export function useRunLog(id: string, isActive: boolean) {
  return useQuery({
    queryKey: ['run', id, 'log'],
    queryFn: ({ signal }) => rowsUpTo(rowsMax, (cursor) => loadPage(id, cursor, signal)),
    ...(isActive && { refetchInterval: activeMs }),
  });
}

/** A run as in the listing; null if there is none with that id. */
export function useRun(id: string) {
  return useQuery({
    queryKey: ['run', id, 'head'],
    queryFn: async () => {
      const query = { workflowRunId: [id], trimBody: bodyMax };
      const { runs, damaged } = await ask(api.GET('/v2/workflows/logs', { params: { query } }));
      const [damage] = damaged ?? [];
      if (runs[0] === undefined && damage !== undefined) throw new ApiError(500, damage.error);
      return runs[0] ?? null;
    },
  });
}

/** A run of `/v2/workflows/logs`. */
export type ShownRun = NonNullable<ReturnType<typeof useRun>['data']>;

/** The steps of a run with complete bodies, of which the page has only the beginning. */
export async function loadWholeSteps(runId: string): Promise<ShownRun['steps']> {
  const params = { query: { workflowRunId: [runId] } };
  const { runs } = await ask(api.GET('/v2/workflows/logs', { params }));
  return runs[0]?.steps ?? [];
}

/** What a run has returned, complete; null if its log does not have it any more. */
export function useResponse(runId: string) {
  return useQuery({
    // Not of the kind `run`: it does not change.
    queryKey: ['response', runId],
    queryFn: async () => {
      const query = { workflowRunId: [runId], state: ['RUN_SUCCESS' as const] };
      const { events } = await ask(api.GET('/v2/workflows/messageLogs', { params: { query } }));
      return events[0]?.workflowRunResponse ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
}

/** All rows of some messages, with complete bodies. */
export function useWholeRows(runId: string, messageIds: readonly string[]) {
  return useQuery({
    queryKey: ['run', runId, 'messages', ...messageIds],
    enabled: messageIds.length > 0,
    queryFn: () => {
      const query = {
        workflowRunId: [runId],
        messageIds: [...messageIds],
        order: 'earliestFirst' as const,
      };
      return ask(api.GET('/v2/workflows/messageLogs', { params: { query } }));
    },
  });
}
