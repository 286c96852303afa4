/**
 * Sends all requests to the server except those for event streams (`events.ts`). Paths, parameters
 * and answers have the types of its OpenAPI document:
 *
 *     const queues = await ask(api.GET('/v2/queues'));
 */

import createClient from 'openapi-fetch';
import type { paths } from '#openapi';
import { requestTime } from '../time/clock.ts';
import { noteConnection } from './connection.ts';

/** The server refused a request, or did not answer it. */
export class ApiError extends Error {
  /** `status` is 0 if the server was not reached. */
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** With this header, a refusal does not make the browser itself ask for a password. */
export const pageHeaders = { 'x-requested-with': 'stepwell-console' };

/** Requests by method and path, with the session's cookie. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  headers: pageHeaders,
  fetch: watchedFetch,
});

/** Like `fetch`, and also notes whether the server is reachable. */
export async function watchedFetch(request: Request): Promise<Response> {
  try {
    const noteDate = requestTime();
    const response = await fetch(request);
    noteDate(response.headers.get('date'));
    noteConnection(true);
    return response;
  } catch (error) {
    if (!request.signal.aborted) noteConnection(false);
    throw error;
  }
}

interface Answered<Data> {
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of an answer. Throws `ApiError`. */
export async function ask<Data>(asked: Promise<Answered<Data>>): Promise<Data> {
  const { data, error, response } = await asked.catch((reason: unknown) => {
    if (reason instanceof DOMException && reason.name === 'AbortError') throw reason;
    if (reason instanceof ApiError) throw reason;
    throw new ApiError(0, 'the server does not answer');
  });
  // A success has data, of the type that its route declares.
  if (response.ok) return data as Data;
  throw new ApiError(response.status, sentenceIn(error) ?? `it answered ${response.status}`);
}

function sentenceIn(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('error' in error)) return undefined;
  return typeof error.error === 'string' ? error.error : undefined;
}
