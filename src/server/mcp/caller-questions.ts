/** Queries that the server sends to itself, as the caller of a request and with its rights. */
import type { FastifyInstance } from 'fastify';
import { requestIdHeader } from '../../http/identity/callers.js';
import { type Ask, inTime, replyMsMax, wholeReply } from '../../mcp/question.js';

/** The caller, whose credential the front door checks again for each query. */
export interface Asker {
  /** The `Authorization` header of the request. */
  readonly authorization: string;
  readonly requestId: string;
  readonly address: string;
}

/**
 * Makes `GET` requests to this server's own routes: only what the caller could request itself. Each
 * takes at most `replyMs`, including its body.
 */
export function questionsOf(fastify: FastifyInstance, asker: Asker, replyMs = replyMsMax): Ask {
  const { authorization, requestId, address } = asker;
  return ({ target, body }, wanted) =>
    inTime(
      async (signal) => {
        const response = await fastify.inject({
          method: 'GET',
          url: target,
          remoteAddress: address,
          headers: { authorization, host: 'localhost', [requestIdHeader]: requestId },
          signal,
          payloadAsStream: true,
          ...(body !== null && { payload: body }),
        });
        return wholeReply(response.statusCode, response.stream());
      },
      wanted,
      replyMs,
    );
}
