/**
 * How pages query and reload. The first part of a query's key is the kind of data that it shows, as
 * in the live stream: `message`, `run`, `schedule`, `queue`, `flow`, `dlq`, `topic`. An event of
 * that kind reloads the query.
 */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';
import { refresh } from './refresh.ts';

/** How often shown data is reloaded while there is no live stream. */
const unheardMs = 3000;
/** How often it is reloaded with a live stream, for data that changes with time alone. */
const heardMs = 20_000;

const retriesMax = 2;
let isLive = false;

/** The present interval for reloading lists, in ms. */
export const againMs = () => (isLive ? heardMs : unheardMs);

/** Sets whether the live stream is connected. */
export function setLive(queries: QueryClient, live: boolean): void {
  // The stream does not report what happened before it began.
  if (live && !isLive) refresh(queries);
  isLive = live;
}

/**
 * One for the console, and one for the reference. An answer of 401 reloads the session, which leads
 * to the sign-in page.
 */
export function queryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 1000,
        refetchInterval: againMs,
        // The page header reports a lost connection; pages keep showing what they have.
        networkMode: 'always',
        retry: (failures, error) => isPassing(error) && failures < retriesMax,
      },
      mutations: { networkMode: 'always' },
    },
  });
  client.getQueryCache().subscribe(({ query, type }) => {
    const error = type === 'updated' ? query.state.error : null;
    if (query.queryKey[0] !== 'session') noteRefusal(client, error);
  });
  return client;
}

/** After an answer of 401, asks whether there still is a session. */
export function noteRefusal(queries: QueryClient, error: unknown): void {
  const isOut = error instanceof ApiError && error.status === 401;
  if (isOut) queries.invalidateQueries({ queryKey: ['session'] });
}

/** The server is unreachable; or it, or a proxy in front of it, is starting or stopping. */
const passing = new Set([0, 502, 503, 504]);

/** Whether the same request may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError && passing.has(error.status);
}
