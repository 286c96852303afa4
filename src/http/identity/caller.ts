/** Who makes a request, as the front door has found out (ADR 39). */
import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Caller } from '../../engine/principal/principal.js';

/** The header that tells the id of a request, and answers it. */
export const requestIdHeader = 'x-request-id';

const callerOfRequest = Symbol('caller');

interface IdentifiedRequest extends IncomingMessage {
  [callerOfRequest]?: Caller;
}

/** Remembers who makes a request; the front door does, once it has judged it. */
export function identify(request: IncomingMessage, caller: Caller): void {
  (request as IdentifiedRequest)[callerOfRequest] = caller;
}

/** Who makes a request; undefined where it has not passed the front door. */
export function knownCallerOf(request: IncomingMessage): Caller | undefined {
  return (request as IdentifiedRequest)[callerOfRequest];
}

/** Who makes a request that has passed the front door. */
export function callerOf(request: IncomingMessage): Caller {
  const caller = knownCallerOf(request);
  if (caller === undefined) throw new Error('the request has not passed the front door');
  return caller;
}

/** A parameter of a controller's method: who makes the request. */
export const By = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  return callerOf(context.switchToHttp().getRequest<FastifyRequest>().raw);
});
