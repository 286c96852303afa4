/** How a refusal looks on the wire: two interfaces, two shapes, one place that chooses. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Rejection } from '../engine/decider.js';

/** An expected refusal on its way out. */
export interface Refusal {
  /** HTTP status, 400 or above. */
  readonly status: number;
  /** One sentence for the person who asked. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Beside the sentence, for programs; not in the messages and workflows interface. */
  readonly details?: Readonly<Record<string, string | number | null>>;
}

/** Whether what became of a request is a refusal, and no answer. */
export function isRefusal(outcome: object): outcome is Refusal {
  return 'status' in outcome && 'message' in outcome;
}

/** Ends a request with a refusal, as the error filter answers it. */
export class RefusedRequest extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** How long one who was refused for want of room waits: the store looks at the disk each second. */
const noRoomRetrySeconds = 10;

/** What is not done because the disk is full, or nearly so: 507, and when to ask again. */
export function diskFullRefusal(message: string): Refusal {
  return { status: 507, message, headers: { 'retry-after': `${noRoomRetrySeconds}` } };
}

/** The status of each code a decider may refuse with (messaging.md 1.2). */
const rejectionStatus: Readonly<Record<Rejection['code'], number>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  over_limit: 412,
  unavailable: 503,
};

/** A decider's rejection as a refusal; `unavailable` asks to come back in a second. */
export function refusalOf(rejection: Rejection): Refusal {
  const refusal = { status: rejectionStatus[rejection.code], message: rejection.message };
  return rejection.code === 'unavailable'
    ? { ...refusal, headers: { 'retry-after': '1' } }
    : refusal;
}

/** A refusal's body: `{"error"}` for messages and workflows, `{"error","status",..}` elsewhere. */
export function errorBody(isMessaging: boolean, refusal: Refusal): string {
  const { message: error, status, details } = refusal;
  return JSON.stringify(isMessaging ? { error } : { error, status, ...details });
}

/** Answers a request with a refusal in the shape of its interface. */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): FastifyReply {
  if (refusal.headers !== undefined) reply.headers(refusal.headers);
  return reply
    .code(refusal.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(errorBody(isMessagingRequest(request), refusal));
}

/**
 * Whether a request is for the messages and workflows interface. The matched route decides: a path
 * that only looks different before decoding (`/%762/keys`) must not change the interface. Unknown
 * paths have no route and are told apart by their text (messaging.md 1.2).
 */
export function isMessagingRequest(request: FastifyRequest): boolean {
  const pattern = request.is404 ? undefined : request.routeOptions.url;
  return isMessagingPath(pattern ?? request.url);
}

/** Whether a path or a route's pattern belongs to the messages and workflows interface. */
export function isMessagingPath(path: string): boolean {
  return path.startsWith('/v2') && (path.length === 3 || path[3] === '/' || path[3] === '?');
}
