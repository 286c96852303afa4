/** Questions that the server asks itself, as the caller of a request and with its rights. */
import type { FastifyInstance } from 'fastify';
import { requestIdHeader } from '../../http/identity/callers.js';
import { type Ask, inTime, replyMsMax, wholeReply } from '../../mcp/question.js';

/** The caller, whose credential the front door judges again for each question. */
export interface Asker {
  /** The `Authorization` header of the request. */
  readonly authorization: string;
  readonly requestId: string;
  readonly address: string;
}

/**
 * `GET`s of this server's own routes: what the caller could ask itself, and nothing else. Each
 * takes `replyMs` at most, its body too.
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
