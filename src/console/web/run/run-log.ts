/** The log of one run, all of its rows as far as they are read here. */
import { useQuery } from '@tanstack/react-query';
import { ApiError, api, ask } from '../api/client.ts';
import { rowsUpTo } from '../api/rows.ts';

const pageSize = 1000;
/** A run with more rows is shown by its first ones. */
const rowsMax = 5000;
/** Bytes of each body; the details of a step have them whole. */
const bodyMax = 300;
/** While it runs: attempts in flight are no events, so that the server does not tell of them. */
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
 * The log of a run, the earliest row first, asked for again while the run `isActive`: of one that
 * is over nothing new comes.
 */
export function useRunLog(id: string, isActive: boolean) {
  return useQuery({
    queryKey: ['run', id, 'log'],
    queryFn: ({ signal }) => rowsUpTo(rowsMax, (cursor) => loadPage(id, cursor, signal)),
    ...(isActive && { refetchInterval: activeMs }),
  });
}

/** A run as the listing tells it; null where there is none of that id. */
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

/** The rows of some messages, with their bodies whole. */
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
