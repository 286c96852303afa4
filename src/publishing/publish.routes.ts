/**
 * `POST /v2/publish/{destination}`: the front desk, straight on Fastify (messaging protocol 2.1).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../engine/clock.js';
import type { Engine } from '../engine/engine.js';
import type { Identifiers } from '../engine/identifiers.js';
import { type Dialect, plainHeaders, readMessageOptions } from '../http/dialect.js';
import { type Refusal, refusalOf, sendRefusal } from '../http/error-shapes.js';
import type { HotRoutes } from '../http/hot-routes.js';
import { resultOf } from '../http/outcome.js';
import { rawBody } from '../http/raw-body.js';
import type { Intake } from '../lifecycle/intake.js';
import type { PublishMessage, PublishReceipt } from '../messages/message.commands.js';
import { messageKind } from '../messages/message.events.js';
import { type PublishLimits, parsePublish } from './publish.request.js';
import type { PublishTargets } from './publish-targets.js';

/** What the front desk works with. */
export interface PublishDesk {
  readonly engine: Engine;
  readonly intake: Intake;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly limits: PublishLimits;
  /** The dialect of requests that do not tell. */
  readonly dialect: Dialect;
  /** The promise behind every acknowledgement: `fsync` or `os` (decision 36). */
  readonly durability: string;
  readonly targets: PublishTargets;
}

const jsonType = 'application/json; charset=utf-8';

export class PublishRoutes implements HotRoutes {
  constructor(private readonly desk: PublishDesk) {}

  register(fastify: FastifyInstance): void {
    for (const path of ['/v2/publish', '/v2/publish/*']) {
      fastify.post(path, (request, reply) => this.publish(request, reply));
    }
  }

  private publish(request: FastifyRequest, reply: FastifyReply): unknown {
    const command = this.commandOf(request);
    if ('status' in command) return sendRefusal(request, reply, command);
    const { engine, intake, durability } = this.desk;
    const bytes = command.body.length;
    const refusal = intake.take(bytes);
    if (refusal !== null) return sendRefusal(request, reply, refusal);
    // One promise per publish beside the engine's own: an async function would add three.
    return engine.dispatch([command]).then(
      ([outcome]) => {
        intake.done(bytes);
        const { messageId, deduplicated } = resultOf<PublishReceipt>(outcome);
        const { url } = command.message;
        const receipt = deduplicated ? { messageId, url, deduplicated } : { messageId, url };
        return reply
          .code(deduplicated ? 202 : 200)
          .header('content-type', jsonType)
          .header('stepwell-durability', durability)
          .send(JSON.stringify(receipt));
      },
      (error: unknown) => {
        intake.done(bytes);
        throw error;
      },
    );
  }

  private commandOf(request: FastifyRequest): PublishMessage | Refusal {
    const { targets, dialect, limits, clock, identifiers } = this.desk;
    const { url: requestTarget = '', rawHeaders } = request.raw;
    const target = targets.read(requestTarget);
    if ('status' in target) return target;
    const { url, options } = target;
    const written = options.length === 0 ? rawHeaders : [...rawHeaders, ...options];
    const body = rawBody(request);
    const at = clock.now();
    const publish = parsePublish(
      {
        url,
        headers: readMessageOptions(written, dialect),
        contentType: request.headers['content-type'] ?? null,
        plainHeaders: () => plainHeaders(rawHeaders),
        body,
        callerIp: request.ip,
        at,
      },
      limits,
    );
    if (!publish.ok) return refusalOf(publish.refusal);
    const id = `msg_${identifiers.turnSeed(at)}`;
    const { message } = publish;
    return { type: 'PublishMessage', kind: messageKind, id, at, message, body };
  }
}
