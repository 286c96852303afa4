/** Answers that a node gives itself instead of forwarding a request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from '../../grammar/result.js';
import { errorBody, headersOf, isMessagingPath, statusOf } from '../../http/error-shapes.js';
import { requestIdHeader } from '../../http/identity/callers.js';

/** Answers with JSON; does nothing if the client has disconnected or already has an answer. */
export function sendJson(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  });
  response.end(body);
}

/**
 * Refuses a request in the error format of its interface; if the body is unread, the connection is
 * closed.
 */
export function sendRefusalTo(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  requestId: string,
): void {
  const headers: Record<string, string> = { ...headersOf(refusal), [requestIdHeader]: requestId };
  if (!request.complete) headers['connection'] = 'close';
  const body = errorBody(isMessagingPath(request.url ?? ''), refusal);
  sendJson(response, statusOf(refusal), headers, body);
}
