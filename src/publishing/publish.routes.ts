/**
 * `POST /v2/publish/{destination}`: the front desk, straight on Fastify (messaging protocol 2.1).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AddressGuard } from '../delivery/address-guard.js';
import type { Clock } from '../engine/clock.js';
import type { Engine } from '../engine/engine.js';
import type { Identifiers } from '../engine/identifiers.js';
import {
  type Dialect,
  type OptionHeaders,
  plainHeaders,
  readMessageOptions,
  readQueryOptions,
} from '../http/dialect.js';
import { type Refusal, refusalOf, sendRefusal } from '../http/error-shapes.js';
import type { HotRoutes } from '../http/hot-routes.js';
import { resultOf } from '../http/outcome.js';
import { type Parsed, parsed, refused } from '../http/parsed.js';
import { rawBody } from '../http/raw-body.js';
import type { Intake } from '../lifecycle/intake.js';
import type { PublishMessage, PublishReceipt } from '../messages/message.commands.js';
import { messageKind } from '../messages/message.events.js';
import { type Destination, parseDestination } from './destination.js';
import { type PublishLimits, parsePublish } from './publish.request.js';

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
  /** Whether a query value is a token of this server, and so not the destination's. */
  readonly isOwnToken: (value: string) => boolean;
  readonly guard: AddressGuard;
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
    const { desk } = this;
    const target = this.readTarget(request);
    if (!target.ok) return { status: 400, message: target.reason };
    const { destination, headers } = target.value;
    if (destination.kind === 'group') {
      return { status: 404, message: `URL group ${destination.name} not found` };
    }
    const allowed = desk.guard.checkDestination(destination.url);
    if (!allowed.ok) return { status: 400, message: `the destination ${allowed.reason}` };
    const body = rawBody(request);
    const at = desk.clock.now();
    const publish = parsePublish(
      {
        url: destination.text,
        headers,
        contentType: request.headers['content-type'] ?? null,
        plainHeaders: () => plainHeaders(request.raw.rawHeaders),
        body,
        callerIp: request.ip,
        at,
      },
      desk.limits,
    );
    if (!publish.ok) return refusalOf(publish.refusal);
    const id = `msg_${desk.identifiers.turnSeed(at)}`;
    const { message } = publish;
    return { type: 'PublishMessage', kind: messageKind, id, at, message, body };
  }

  private readTarget(
    request: FastifyRequest,
  ): Parsed<{ destination: Destination; headers: OptionHeaders }> {
    const { url = '', rawHeaders } = request.raw;
    const question = url.indexOf('?');
    const path = question < 0 ? url : url.slice(0, question);
    const query = readQueryOptions(
      question < 0 ? '' : url.slice(question + 1),
      this.desk.isOwnToken,
    );
    if (!query.ok) return refused(query.reason);
    const { pairs, rest } = query.value;
    const destination = parseDestination(tailOf(path), rest);
    if (!destination.ok) return destination;
    const written = pairs.length === 0 ? rawHeaders : [...rawHeaders, ...pairs];
    const headers = readMessageOptions(written, this.desk.dialect);
    return parsed({ destination: destination.value, headers });
  }
}

/** What follows `/v2/publish/`, as it was sent: the router has matched, but its copy is decoded. */
function tailOf(path: string): string {
  const marker = path.indexOf('/', path.indexOf('/', 1) + 1);
  return marker < 0 ? '' : path.slice(marker + 1);
}
