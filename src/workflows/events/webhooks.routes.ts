/**
 * `/v2/workflows/hooks/{userId}/{workflowRunId}/{eventId}`: a door for third parties, whose path is
 * all that they show (workflows.md 3.5). It takes calls of webhooks that an active run has
 * announced. Everything else has one and the same answer, which does not say what is unknown, and
 * comes before a body is read.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Durability } from '../../http/durability.js';
import { type Refusal, refusalOf, sendRefusal } from '../../http/error-shapes.js';
import type { Intake } from '../../http/intake.js';
import { valueIn } from '../../http/outcome.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { eventIn } from './event-path.js';
import { eventRoutes } from './events.openapi.js';
import type { EventsService } from './events.service.js';
import { takeIn } from './take-in.js';
import { webhookEvent } from './webhook-event.js';

type Target = { Params: { userId: string; workflowRunId: string } };

/** Before the event id. */
const segments = 5;

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const unknown: Refusal = { status: 404, message: 'webhook not found' };

export interface WebhookTools {
  readonly service: EventsService;
  readonly intake: Intake;
  /** The users that this server's tokens name (workflows.md 3.5). */
  readonly userIds: ReadonlySet<string>;
  /** How the outside reaches this server; null = as the `Host` header says. */
  readonly publicUrl: string | null;
  readonly durability: Durability;
}

const webhookPattern = '/v2/workflows/hooks/:userId/:workflowRunId/:eventId';

export class WebhookRoutes implements HotRoutes {
  constructor(private readonly tools: WebhookTools) {}

  register(fastify: FastifyInstance): void {
    fastify.route<Target>({
      method: methods,
      url: webhookPattern,
      config: { description: eventRoutes.webhook },
      onRequest: async (request, reply) => {
        if (!(await this.isKnown(request))) return this.refuse(request, reply);
      },
      handler: (request, reply) =>
        takeIn(this.tools.intake, request, reply, () => this.call(request, reply)),
    });
  }

  private async call(request: FastifyRequest<Target>, reply: FastifyReply): Promise<FastifyReply> {
    const { service, publicUrl, durability } = this.tools;
    const eventId = valueIn(eventIn(request.url, segments));
    const body = webhookEvent(request.raw, rawBody(request), publicUrl);
    const outcome = await service.callWebhook(request.params.workflowRunId, eventId, body);
    if (!outcome.accepted) {
      const { rejection } = outcome;
      if (rejection.code === 'not_found') return this.refuse(request, reply);
      return sendRefusal(request, reply, refusalOf(rejection));
    }
    return reply.code(200).header('stepwell-durability', durability).send();
  }

  private async isKnown({ url, params }: FastifyRequest<Target>): Promise<boolean> {
    const { service, userIds } = this.tools;
    const eventId = eventIn(url, segments);
    return (
      eventId.ok &&
      userIds.has(params.userId) &&
      (await service.announces(params.workflowRunId, eventId.value))
    );
  }

  /** In its turn: the run may have ended a moment ago. */
  private async refuse(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await this.tools.service.settled();
    return sendRefusal(request, reply, unknown);
  }
}
