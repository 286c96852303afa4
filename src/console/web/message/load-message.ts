/** One message and its log, as its page asks for them. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';

const loadMessage = (id: string) =>
  ask(api.GET('/v2/messages/{id}', { params: { path: { id }, query: { final: 'true' } } }));

/** The object of `/v2/messages/{id}`, of one that is final as well. */
export type Message = Awaited<ReturnType<typeof loadMessage>>;

/** More rows than any message has that people look at. */
const rowsMax = 1000;

/** It has come to its end, and changes no more. */
export const hasEnded = ({ state }: Pick<Message, 'state'>): boolean =>
  ['DELIVERED', 'FAILED', 'CANCELED'].includes(state);

/** A message, asked for again whenever something happens to messages. */
export function useMessage(id: string) {
  return useQuery({ queryKey: ['message', id], queryFn: () => loadMessage(id) });
}

/** The rows of its log, the earliest first. */
export function useMessageLog(id: string) {
  return useQuery({
    queryKey: ['message', id, 'log'],
    queryFn: async () => {
      const query = { messageId: [id], order: 'earliestFirst' as const, count: rowsMax };
      return (await ask(api.GET('/v2/logs', { params: { query } }))).logs;
    },
  });
}
