/** The form of refusals on the wire: two interfaces have two forms, and only this file chooses. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { keysOf } from '../grammar/keys.js';
import { Refusal, type RefusalCode } from '../grammar/result.js';

/** Thrown to end a request with a refusal, which the error filter answers. */
export class RefusalError extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** `Retry-After` of a refusal for lack of disk space; the store checks the disk each second. */
const noRoomRetrySeconds = 10;

/** The refusal if the disk is full, or nearly so: 507, with the time after which to try again. */
export function diskFullRefusal(message: string): Refusal {
  return new Refusal('disk_full', message, { 'retry-after': `${noRoomRetrySeconds}` });
}

/** The HTTP status of each refusal (messaging.md 1.2). */
const statusOfCode: Readonly<Record<RefusalCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  wrong_method: 405,
  timed_out: 408,
  conflict: 409,
  over_limit: 412,
  too_large: 413,
  too_long: 414,
  out_of_range: 416,
  unprocessable: 422,
  head_too_large: 431,
  too_often: 429,
  failed: 500,
  unavailable: 503,
  disk_full: 507,
};

/** The HTTP status of a refusal. */
export function statusOf({ code }: Refusal): number {
  return statusOfCode[code];
}

/** The refusal code for a status of Nest or Fastify, whose errors carry nothing else. */
export function codeOf(status: number): RefusalCode {
  const known = keysOf(statusOfCode).find((code) => statusOfCode[code] === status);
  return known ?? (status < 500 ? 'invalid' : 'failed');
}

/** The headers of a refusal. If something is unavailable, clients may try again in a second. */
export function headersOf({ code, headers }: Refusal): Readonly<Record<string, string>> {
  return headers ?? (code === 'unavailable' ? { 'retry-after': '1' } : noHeaders);
}

const noHeaders: Readonly<Record<string, string>> = {};

/** The body of a refusal: `{"error"}` for messages and workflows, else `{"error","status",..}`. */
export function errorBody(isMessaging: boolean, refusal: Refusal): string {
  const { message: error, details } = refusal;
  return JSON.stringify(isMessaging ? { error } : { error, status: statusOf(refusal), ...details });
}

/** Answers a request with a refusal, in the form of its interface. */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): FastifyReply {
  return reply
    .headers(headersOf(refusal))
    .code(statusOf(refusal))
    .header('content-type', 'application/json; charset=utf-8')
    .send(errorBody(isMessagingRequest(request), refusal));
}

/**
 * Whether a request belongs to the messages and workflows interface. The matched route decides: a
 * path that looks different only before decoding (`/%762/keys`) must not change the interface.
 * Unknown paths have no route, so their text decides (messaging.md 1.2).
 */
export function isMessagingRequest(request: FastifyRequest): boolean {
  const pattern = request.is404 ? undefined : request.routeOptions.url;
  return isMessagingPath(pattern ?? request.url);
}

/** Whether a path or the pattern of a route belongs to the messages and workflows interface. */
export function isMessagingPath(path: string): boolean {
  return path.startsWith('/v2') && (path.length === 3 || path[3] === '/' || path[3] === '?');
}
