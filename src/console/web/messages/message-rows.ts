/** The rows of the list of messages: what is pending, from the server's memory, or the log's. */
import { api, ask } from '../api/client.ts';
import type { RowPage } from '../api/rows.ts';
import type { Filters } from '../parts/filter-bar.tsx';

/** A message as the list shows it. */
export interface MessageRow {
  readonly id: string;
  readonly state: string;
  readonly url: string;
  readonly method: string;
  readonly label: string | undefined;
  readonly queue: string | undefined;
  readonly flowControlKey: string | undefined;
  /** Unix milliseconds: when it came into its state, or was published where that is not known. */
  readonly at: number;
  /** What its last answer was. */
  readonly responseStatus: number | undefined;
  readonly error: string | undefined;
}

const pageSize = 100;

/** States of messages that have not ended: memory has those. */
const pendingStates = ['DELAYED', 'WAITING', 'ACTIVE', 'RETRY'] as const;
type PendingState = (typeof pendingStates)[number];

const endStates = ['DELIVERED', 'FAILED', 'CANCELED'] as const;
type EndState = (typeof endStates)[number];

/** What the filter offers: `pending` stands for all that have not ended. */
export const states = ['pending', ...pendingStates, ...endStates] as const;

const isPending = (state: string | undefined): state is PendingState =>
  pendingStates.some((each) => each === state);
const isEnd = (state: string | undefined): state is EndState =>
  endStates.some((each) => each === state);

/** A page of messages, the latest first. */
export function loadMessages(
  filters: Filters,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<RowPage<MessageRow>> {
  const { state } = filters;
  return state === 'pending' || isPending(state)
    ? loadPending(filters, cursor, signal)
    : loadLogged(filters, cursor, signal);
}

const common = ({ label, url, queueName, flowControlKey }: Filters) => ({
  ...(label !== undefined && { label: [label] }),
  ...(url !== undefined && { url: [url] }),
  ...(queueName !== undefined && { queueName: [queueName] }),
  ...(flowControlKey !== undefined && { flowControlKey: [flowControlKey] }),
});

async function loadPending(
  filters: Filters,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<RowPage<MessageRow>> {
  const { state } = filters;
  const query = {
    ...common(filters),
    count: pageSize,
    ...(isPending(state) && { state: [state] }),
    ...(cursor !== undefined && { cursor }),
  };
  const page = await ask(api.GET('/v2/messages', { params: { query }, signal }));
  return {
    cursor: page.cursor,
    rows: page.messages.map((message) => ({
      id: message.messageId,
      state: message.state,
      url: message.url,
      method: message.method,
      label: message.label,
      queue: message.queueName,
      flowControlKey: message.flowControlKey,
      at: message.createdAt,
      responseStatus: message.responseStatus,
      error: undefined,
    })),
  };
}

/** The log has a row for each change: the latest of a message is its state. */
async function loadLogged(
  filters: Filters,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<RowPage<MessageRow>> {
  const { state } = filters;
  const query = {
    ...common(filters),
    count: pageSize,
    ...(isEnd(state) && { state: [state] }),
    ...(cursor !== undefined && { cursor }),
  };
  const page = await ask(api.GET('/v2/logs', { params: { query }, signal }));
  const latest = new Map<string, MessageRow>();
  for (const row of page.logs) {
    if (latest.has(row.messageId)) continue;
    latest.set(row.messageId, {
      id: row.messageId,
      state: row.state,
      url: row.url,
      method: row.method,
      label: row.label,
      queue: row.queueName,
      flowControlKey: row.flowControlKey,
      at: row.time,
      responseStatus: row.responseStatus,
      error: row.error,
    });
  }
  return { cursor: page.cursor, rows: [...latest.values()] };
}

/** Rows of several pages, each message once, by its latest row. */
export function eachOnce(rows: readonly MessageRow[]): readonly MessageRow[] {
  const seen = new Set<string>();
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id));
}
