/** Loads one message and its log for its page. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';
import { rowsUpTo } from '../api/rows.ts';

const loadMessage = (id: string) =>
  ask(api.GET('/v2/messages/{id}', { params: { path: { id }, query: { final: 'true' } } }));

/** The object of `/v2/messages/{id}`, also for a message in a final state. */
export type Message = Awaited<ReturnType<typeof loadMessage>>;

const pageSize = 1000;
/** For a message with more rows, only the first ones are shown. */
const rowsMax = 5000;

/** Whether the message is in a final state, and changes no more. */
export const hasEnded = ({ state }: Pick<Message, 'state'>): boolean =>
  ['DELIVERED', 'FAILED', 'CANCELED'].includes(state);

/** A message, reloaded whenever something happens to messages, until it has ended. */
export function useMessage(id: string) {
  const queries = useQueryClient();
  const queryKey = ['message', id];
  return useQuery({
    queryKey,
    queryFn: () => {
      // The message changes no more, and its body may have megabytes.
      const known = queries.getQueryData<Message>(queryKey);
      return known !== undefined && hasEnded(known) ? known : loadMessage(id);
    },
  });
}

/** For when the dead letter of a message was retried: the message itself is not loaded again. */
export function useLetterGone(id: string): () => void {
  const queries = useQueryClient();
  return () =>
    queries.setQueryData<Message>(['message', id], (known) => {
      if (known === undefined) return undefined;
      const { dlqId: _, ...rest } = known;
      return rest;
    });
}

type MessageRow = Awaited<ReturnType<typeof loadPage>>['rows'][number];

/** Bodies are left out: otherwise each row would have the message's whole body. */
async function loadPage(id: string, cursor: string | undefined, signal: AbortSignal) {
  const query = {
    messageId: [id],
    order: 'earliestFirst' as const,
    count: pageSize,
    trimBody: -1,
    ...(cursor !== undefined && { cursor }),
  };
  const page = await ask(api.GET('/v2/logs', { params: { query }, signal }));
  return { rows: page.logs, cursor: page.cursor, damaged: page.damaged };
}

/** The rows of the message's log without bodies, earliest first. */
export function useMessageLog(id: string) {
  return useQuery({
    queryKey: ['message', id, 'log'],
    queryFn: ({ signal }) => rowsUpTo(rowsMax, (cursor) => loadPage(id, cursor, signal)),
  });
}

/** How much of an answer's body a row of the log may have. */
const answerMax = 64 * 1024;

/** The row that says how an attempt ended, with the answer. */
export function useAnswer(id: string, attempt: number, endedAt: number | null) {
  return useQuery({
    queryKey: ['answer', id, attempt],
    enabled: endedAt !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const time = endedAt ?? 0;
      const query = { messageId: [id], fromDate: time, toDate: time, trimBody: answerMax };
      const { logs } = await ask(api.GET('/v2/logs', { params: { query } }));
      const isItsEnd = (row: MessageRow) => row.attempt === attempt && row.durationMs !== undefined;
      return logs.find(isItsEnd) ?? null;
    },
  });
}
