/**
 * `/v2/workflows/hooks/{userId}/{workflowRunId}/{eventId}`: a route for third parties, whose only
 * credential is the path (workflows.md 3.5). It accepts calls of webhooks that an active run has
 * announced. Every other call gets the same answer, which does not reveal what is unknown, and
 * which is sent before a body is read.
 */
import { Inject, Injectable } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { durabilityOf } from '../../http/durability.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { BearerTokens } from '../../http/identity/bearer-token.js';
import { Intake } from '../../http/intake.js';
import { withoutCredentials } from '../../http/own-credentials.js';
import type { RequestHead } from '../../http/request-head.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { WorkflowSettings } from '../settings.js';
import { type NamedWebhook, webhooksIn } from './event-path.js';
import { eventRoutes } from './events.openapi.js';
import { EventsService } from './events.service.js';
import { takeIn } from './take-in.js';
import { webhookEvent } from './webhook-event.js';

/** Number of segments before the run and the event, both of which may contain slashes. */
const segments = 4;

const unknown: Refusal = new Refusal('not_found', 'webhook not found');

/**
 * `judge` refuses before the body is read if no run has announced the webhook. The journal is read
 * only for active runs.
 */
@Injectable()
export class WorkflowWebhookRoute implements FastifyRoute {
  readonly methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  readonly pattern = '/v2/workflows/hooks/:userId/*';
  readonly description: RouteDescription = eventRoutes.webhook;

  /** `userIds` are the users that this server's tokens name (workflows.md 3.5). */
  constructor(
    private readonly service: EventsService,
    private readonly intake: Intake,
    private readonly bearer: BearerTokens,
    private readonly basic: BasicCredentials,
    @Inject(provided.userIds) private readonly userIds: Pick<ReadonlySet<string>, 'has'>,
    @Inject(provided.config) private readonly settings: WorkflowSettings,
  ) {}

  async judge(exchange: FastifyExchange): Promise<Refusal | null> {
    return (await this.calledBy(exchange)) === null ? this.refusal() : null;
  }

  serve(exchange: FastifyExchange): Promise<void> {
    return takeIn(this.intake, exchange, () => this.call(exchange));
  }

  private async call(exchange: FastifyExchange): Promise<void> {
    const { service, settings } = this;
    const called = await this.calledBy(exchange);
    if (called === null) return exchange.refuse(await this.refusal());
    const { runId, eventId } = called;
    const event = this.eventOf(exchange);
    const outcome = await service.callWebhook(runId, eventId, event, exchange.caller);
    if (outcome.ok) {
      exchange.answer(200, ['stepwell-durability', durabilityOf(settings)]);
      return;
    }
    exchange.refuse(outcome.code === 'not_found' ? await this.refusal() : outcome);
  }

  private eventOf({ request, target, body }: FastifyExchange): Buffer {
    const { method, headers, rawHeaders } = request;
    const call = {
      method,
      target: this.bearer.withoutOwn(target),
      host: headers.host,
      headers: withoutCredentials(rawHeaders, this.showsCredential(request)),
    };
    return webhookEvent(call, body, this.settings.publicUrl);
  }

  /** The active run and the event that a call is meant for; null = none. */
  private async calledBy(exchange: FastifyExchange): Promise<NamedWebhook | null> {
    if (!this.userIds.has(exchange.param('userId'))) return null;
    return this.service.calledBy(webhooksIn(exchange.target, segments));
  }

  /** Whether the request's `Authorization` is a credential of this server. */
  private showsCredential(request: RequestHead): boolean {
    if (request.headers.authorization === undefined) return false;
    return [this.bearer, this.basic].some((each) => each.admit(request).principal !== null);
  }

  /** Waits until earlier turns are durable, because the run may have ended only a moment ago. */
  private async refusal(): Promise<Refusal> {
    await this.service.settled();
    return unknown;
  }
}
