/** Every request passes here first, at once: is it sound, is it time, and who asks? */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ProcessLife } from '../lifecycle/process-life.js';
import type { BasicCredentials } from './basic-auth.js';
import type { BearerTokens } from './bearer-token.js';
import { isMessagingRequest, type Refusal, sendRefusal } from './error-shapes.js';
import { judgeHead } from './inbound-limits.js';

/** Routes without credentials, served from the first moment to the last (decision 35). */
export const openRoutes: ReadonlySet<string> = new Set([
  '/health/live',
  '/health/ready',
  '/metrics',
  '/openapi.json',
]);

/** Served as all others are, but to anybody: its path is the credential (decision 34). */
export const webhookPattern = '/v2/workflows/hooks/:userId/:workflowRunId/:eventId';

export class FrontDoor {
  constructor(
    private readonly bearer: BearerTokens,
    private readonly basic: BasicCredentials,
    private readonly life: ProcessLife,
  ) {}

  /** Stands before every route, and before the answer to an unknown path. */
  guard(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      const refusal = this.judge(request);
      if (refusal === undefined) done();
      else sendRefusal(request, reply, refusal);
    });
  }

  /** Whether a request for a route of the given interface may pass; `guard` tells it why not. */
  admits(request: IncomingMessage, isMessaging: boolean): boolean {
    return judgeHead(request) === undefined && this.judgeCaller(request, isMessaging) === undefined;
  }

  private judge(request: FastifyRequest): Refusal | undefined {
    const unsound = judgeHead(request.raw);
    if (unsound !== undefined) return unsound;
    const pattern = request.routeOptions.url ?? '';
    if (openRoutes.has(pattern)) return undefined;
    if (pattern === webhookPattern) return this.judgeTime();
    return this.judgeCaller(request.raw, isMessagingRequest(request));
  }

  private judgeCaller(request: IncomingMessage, isMessaging: boolean): Refusal | undefined {
    const early = this.judgeTime();
    if (early !== undefined) return early;
    return isMessaging ? this.bearer.judge(request) : this.basic.judge(request);
  }

  private judgeTime(): Refusal | undefined {
    const { state, reason } = this.life.status;
    return state === 'serving' || state === 'readOnly' ? undefined : notServing(reason ?? state);
  }
}

function notServing(reason: string): Refusal {
  return {
    status: 503,
    message: `not serving: ${reason}`,
    headers: { 'retry-after': '1', connection: 'close' },
  };
}
