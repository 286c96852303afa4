/**
 * The routes for events (workflows.md 3.4), whose ids may contain slashes:
 *
 *     POST /v2/wait/{eventId}
 *     POST /v2/notify/{eventId}   POST /v2/notify/{workflowRunId}/{eventId}
 *     GET  /v2/waiters/{eventId}
 */
import { Inject, Injectable } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { Refusal, type Result } from '../../grammar/result.js';
import { dialects } from '../../http/dialect.js';
import { Intake } from '../../http/intake.js';
import { refuseIf, valueIn } from '../../http/outcome.js';
import { answerJson, type Exchange } from '../../http/routes/exchange.js';
import type { Route } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { WorkflowSettings } from '../settings.js';
import { eventIn, notifiedIn } from './event-path.js';
import { eventRoutes } from './events.openapi.js';
import { EventsService } from './events.service.js';
import { takeIn } from './take-in.js';
import { parseWait } from './wait.request.js';

/** Number of path segments before the event id: `/v2/wait`. */
const segments = 2;

/**
 * A wait comes from an endpoint; the other requests come from any client with a token. Events are
 * new work, so they are refused when the disk is full.
 */
@Injectable()
export class EventRoutes {
  /** A path without an event id is refused like a path with an invalid one. */
  readonly routes: readonly Route[] = [
    this.waiting('/v2/wait'),
    this.waiting('/v2/wait/*'),
    this.notifying('/v2/notify', eventRoutes.notify),
    this.notifying('/v2/notify/*', eventRoutes.notify),
    this.notifying('/v2/notify/:workflowRunId/*', eventRoutes.notifyRun),
    this.listing('/v2/waiters'),
    this.listing('/v2/waiters/*'),
  ];

  constructor(
    private readonly service: EventsService,
    private readonly intake: Intake,
    @Inject(provided.config) private readonly settings: WorkflowSettings,
  ) {}

  private waiting(pattern: string): Route {
    return {
      methods: ['POST'],
      pattern,
      description: eventRoutes.wait,
      serve: (exchange) => takeIn(this.intake, exchange, () => this.wait(exchange)),
    };
  }

  private notifying(pattern: string, description: RouteDescription): Route {
    return {
      methods: ['POST'],
      pattern,
      description,
      serve: (exchange) => takeIn(this.intake, exchange, () => this.notify(exchange)),
    };
  }

  private listing(pattern: string): Route {
    return {
      methods: ['GET'],
      pattern,
      description: eventRoutes.waiters,
      serve: async (exchange) => {
        const eventId = valueIn(eventIn(exchange.target, segments));
        answerJson(exchange, await this.service.waiters(eventId));
      },
    };
  }

  /**
   * An endpoint takes status 400 to mean that its run has ended, so a malformed request gets
   * another status.
   */
  private async wait(exchange: Exchange): Promise<void> {
    const eventId = soundIn(eventIn(exchange.target, segments));
    const { rawHeaders } = exchange.request;
    const dialect = dialects[this.settings.dialect];
    const wait = soundIn(parseWait(rawHeaders, exchange.body, dialect));
    if (wait.timeoutMs > this.settings.delayMaxMs) {
      const most = `${this.settings.delayMaxMs / 1000}s`;
      const reason = `timeout ${wait.timeout} is longer than this server waits: at most ${most}`;
      refuseIf(new Refusal('over_limit', reason));
    }
    const { messageId } = valueIn(await this.service.wait(eventId, wait, exchange.caller));
    answerJson(exchange, messageId === null ? {} : { messageId });
  }

  private async notify(exchange: Exchange): Promise<void> {
    const { target, body, caller } = exchange;
    const { runId, eventId } = valueIn(notifiedIn(target, segments, this.service));
    const items =
      runId === null
        ? await this.service.notify(eventId, body, caller)
        : valueIn(await this.service.notifyRun(runId, eventId, body, caller));
    answerJson(exchange, items, 201);
  }
}

function soundIn<Value>(read: Result<Value>): Value {
  return valueIn(read.ok ? read : new Refusal('unprocessable', read.message));
}
