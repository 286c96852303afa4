/**
 * The ways in for events (workflows.md 3.4); their ids may hold slashes, so the routes stand
 * on Fastify:
 *
 *     POST /v2/wait/{eventId}
 *     POST /v2/notify/{eventId}   POST /v2/notify/{workflowRunId}/{eventId}
 *     GET  /v2/waiters/{eventId}
 */
import { HttpException, Inject, Injectable, UnprocessableEntityException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { provided } from '../../engine/provided.js';
import type { Parsed } from '../../grammar/parsed.js';
import { Intake } from '../../http/intake.js';
import { resultOf, valueIn } from '../../http/outcome.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import type { WorkflowSettings } from '../settings.js';
import { eventIn, notifiedIn } from './event-path.js';
import { eventRoutes } from './events.openapi.js';
import { EventsService } from './events.service.js';
import { takeIn } from './take-in.js';
import { parseWait } from './wait.request.js';
import type { WaiterObject } from './waiter-object.js';

/** Before the event id: `/v2/wait`. */
const segments = 2;

@Injectable()
export class EventRoutes implements HotRoutes {
  constructor(
    private readonly service: EventsService,
    private readonly intake: Intake,
    @Inject(provided.config) private readonly config: WorkflowSettings,
  ) {}

  register(fastify: FastifyInstance): void {
    const { wait, notify, notifyRun, waiters } = eventRoutes;
    // A path without an event is refused as one with a bad one is.
    for (const url of ['/v2/wait', '/v2/wait/*']) {
      fastify.post(url, { config: { description: wait } }, (request, reply) =>
        takeIn(this.intake, request, reply, () => this.wait(request, reply)),
      );
    }
    for (const [url, description] of [
      ['/v2/notify', notify],
      ['/v2/notify/*', notify],
      ['/v2/notify/:workflowRunId/*', notifyRun],
    ] as const) {
      fastify.post(url, { config: { description } }, (request, reply) =>
        takeIn(this.intake, request, reply, () => this.notify(request, reply)),
      );
    }
    for (const url of ['/v2/waiters', '/v2/waiters/*']) {
      fastify.get(url, { config: { description: waiters } }, (request) => this.waiters(request));
    }
  }

  /** To an endpoint 400 means that its run is over: what cannot be read is answered otherwise. */
  private async wait(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const eventId = soundIn(eventIn(request.url, segments));
    const wait = soundIn(parseWait(request.raw.rawHeaders, rawBody(request)));
    if (wait.timeoutMs > this.config.delayMaxMs) {
      throw new HttpException(`timeout ${wait.timeout} is longer than this server waits`, 412);
    }
    const { messageId } = resultOf(await this.service.wait(eventId, wait));
    return reply.send(messageId === null ? {} : { messageId });
  }

  private waiters(request: FastifyRequest): Promise<WaiterObject[]> {
    return this.service.waiters(valueIn(eventIn(request.url, segments)));
  }

  private async notify(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isActive = (id: string) => this.service.isActive(id);
    const { runId, eventId } = valueIn(notifiedIn(request.url, segments, isActive));
    const body = rawBody(request);
    const items =
      runId === null
        ? await this.service.notify(eventId, body)
        : resultOf(await this.service.notifyRun(runId, eventId, body));
    return reply.code(201).send(items);
  }
}

function soundIn<Value>(read: Parsed<Value>): Value {
  if (read.ok) return read.value;
  throw new UnprocessableEntityException(read.reason);
}
