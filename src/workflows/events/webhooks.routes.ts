/**
 * `/v2/workflows/hooks/{userId}/{workflowRunId}/{eventId}`: a door for third parties, whose path is
 * all that they show (workflows.md 3.5). It takes calls of webhooks that an active run has
 * announced. Everything else has one and the same answer, which does not say what is unknown, and
 * comes before a body is read.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { provided } from '../../engine/provided.js';
import { durabilityOf } from '../../http/durability.js';
import { type Refusal, refusalOf, sendRefusal } from '../../http/error-shapes.js';
import { Intake } from '../../http/intake.js';
import { valueIn } from '../../http/outcome.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import type { WorkflowSettings } from '../settings.js';
import { eventIn } from './event-path.js';
import { eventRoutes } from './events.openapi.js';
import { EventsService } from './events.service.js';
import { takeIn } from './take-in.js';
import { webhookEvent } from './webhook-event.js';

type Target = { Params: { userId: string; workflowRunId: string } };

/** Before the event id. */
const segments = 5;

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const unknown: Refusal = { status: 404, message: 'webhook not found' };

const webhookPattern = '/v2/workflows/hooks/:userId/:workflowRunId/:eventId';

@Injectable()
export class WebhookRoutes implements HotRoutes {
  constructor(
    private readonly service: EventsService,
    private readonly intake: Intake,
    @Inject(provided.userIds) private readonly userIds: ReadonlySet<string>,
    @Inject(provided.config) private readonly config: WorkflowSettings,
  ) {}

  register(fastify: FastifyInstance): void {
    fastify.route<Target>({
      method: methods,
      url: webhookPattern,
      config: { description: eventRoutes.webhook },
      onRequest: async (request, reply) => {
        if (!(await this.isKnown(request))) return this.refuse(request, reply);
      },
      handler: (request, reply) =>
        takeIn(this.intake, request, reply, () => this.call(request, reply)),
    });
  }

  private async call(request: FastifyRequest<Target>, reply: FastifyReply): Promise<FastifyReply> {
    const eventId = valueIn(eventIn(request.url, segments));
    const body = webhookEvent(request.raw, rawBody(request), this.config.publicUrl);
    const outcome = await this.service.callWebhook(request.params.workflowRunId, eventId, body);
    if (!outcome.accepted) {
      const { rejection } = outcome;
      if (rejection.code === 'not_found') return this.refuse(request, reply);
      return sendRefusal(request, reply, refusalOf(rejection));
    }
    return reply.code(200).header('stepwell-durability', durabilityOf(this.config)).send();
  }

  private async isKnown({ url, params }: FastifyRequest<Target>): Promise<boolean> {
    const eventId = eventIn(url, segments);
    return (
      eventId.ok &&
      this.userIds.has(params.userId) &&
      (await this.service.announces(params.workflowRunId, eventId.value))
    );
  }

  /** In its turn: the run may have ended a moment ago. */
  private async refuse(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await this.service.settled();
    return sendRefusal(request, reply, unknown);
  }
}
