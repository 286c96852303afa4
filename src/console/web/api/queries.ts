/**
 * How pages ask and ask again. The first part of a query's key is the kind of thing that it shows,
 * as the server tells of it: `message`, `run`, `schedule`, `queue`, `flow`, `dlq`, `topic`. What
 * happens to that kind asks for it again.
 */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';
import { refresh } from './refresh.ts';

/** How often what is shown is asked for again where the server does not tell that it changed. */
const unheardMs = 3000;
/** And where it does, for what depends on time alone. */
const heardMs = 20_000;

const retriesMax = 2;
let isLive = false;

/** How often lists are asked for again now, in milliseconds. */
export const againMs = () => (isLive ? heardMs : unheardMs);

/** The server tells what happens from now on, or does not any more. */
export function setLive(queries: QueryClient, live: boolean): void {
  // The stream does not say what happened before its first word.
  if (live && !isLive) refresh(queries);
  isLive = live;
}

/**
 * One for the console, and one for the reference. An answer of 401 asks for the session again,
 * which leads to signing in.
 */
export function queryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 1000,
        refetchInterval: againMs,
        // The header tells of the connection; a page goes on showing what it has.
        networkMode: 'always',
        retry: (failures, error) => isPassing(error) && failures < retriesMax,
      },
      mutations: { networkMode: 'always' },
    },
  });
  client.getQueryCache().subscribe(({ query, type }) => {
    const error = type === 'updated' ? query.state.error : null;
    const isOut = error instanceof ApiError && error.status === 401;
    if (isOut && query.queryKey[0] !== 'session') {
      client.invalidateQueries({ queryKey: ['session'] });
    }
  });
  return client;
}

/** The server is not there; or it, or what is in front of it, answers while it starts or stops. */
const passing = new Set([0, 502, 503, 504]);

/** Whether the same request may be answered in a moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError && passing.has(error.status);
}
