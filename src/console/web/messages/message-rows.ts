/** The rows of the message list: pending messages from the server's memory, or rows of the log. */
import { api, ask } from '../api/client.ts';
import type { RowPage } from '../api/rows.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { labelsText } from '../parts/labels.ts';
import { isEnd, isPending, isSearched, queryOf } from './message-filters.ts';

/** A message, as the list shows it. */
export interface ListedMessage {
  readonly id: string;
  readonly state: string;
  readonly url: string;
  readonly method: string;
  readonly labels: string | undefined;
  readonly queue: string | undefined;
  readonly flowControlKey: string | undefined;
  /** When it entered its state, or was published if that is unknown; in Unix ms. */
  readonly at: number;
  /** The status of its last answer. */
  readonly responseStatus: number | undefined;
  readonly error: string | undefined;
}

const pageSize = 100;

/** A page of messages, latest first; from the log, with a row for each change. */
export function loadMessages(
  filters: ChosenFilters,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<RowPage<ListedMessage>> {
  const { state } = filters;
  return (state === 'pending' || isPending(state)) && !isSearched(filters)
    ? loadPending(filters, cursor, signal)
    : loadLogged(filters, cursor, signal);
}

async function loadPending(
  filters: ChosenFilters,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<RowPage<ListedMessage>> {
  const { state } = filters;
  const query = {
    ...queryOf(filters),
    count: pageSize,
    ...(isPending(state) && { state: [state] }),
    ...(cursor !== undefined && { cursor }),
  };
  const page = await ask(api.GET('/v2/messages', { params: { query }, signal }));
  return {
    cursor: page.cursor,
    damaged: page.damaged,
    rows: page.messages.map((message) => ({
      id: message.messageId,
      state: message.state,
      url: message.url,
      method: message.method,
      labels: labelsText(message),
      queue: message.queueName,
      flowControlKey: message.flowControlKey,
      at: message.createdAt,
      responseStatus: message.responseStatus,
      error: undefined,
    })),
  };
}

async function loadLogged(
  filters: ChosenFilters,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<RowPage<ListedMessage>> {
  const { state, contains } = filters;
  const query = {
    ...queryOf(filters),
    count: pageSize,
    trimBody: -1,
    ...(contains !== undefined && { contains }),
    ...(isEnd(state) && { state: [state] }),
    ...(cursor !== undefined && { cursor }),
  };
  const page = await ask(api.GET('/v2/logs', { params: { query }, signal }));
  return {
    cursor: page.cursor,
    damaged: page.damaged,
    rows: page.logs.map((row) => ({
      id: row.messageId,
      state: row.state,
      url: row.url,
      method: row.method,
      labels: labelsText(row),
      queue: row.queueName,
      flowControlKey: row.flowControlKey,
      at: row.time,
      responseStatus: row.responseStatus,
      error: row.error,
    })),
  };
}

/** Each message once, by its latest row, which comes first and has its present state. */
export function eachOnce(rows: readonly ListedMessage[]): readonly ListedMessage[] {
  const seen = new Set<string>();
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id));
}
