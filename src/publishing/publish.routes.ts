/**
 * `POST /v2/publish/{destination}`: the front desk, in the express lane (messaging protocol 2.1).
 */
import type { Clock } from '../engine/clock.js';
import type { Engine } from '../engine/engine.js';
import type { Identifiers } from '../engine/identifiers.js';
import type { Outcome } from '../engine/turn.js';
import { type Dialect, plainHeaders, readMessageOptions } from '../http/dialect.js';
import { type Refusal, refusalOf } from '../http/error-shapes.js';
import type { Exchange, ExpressRoute } from '../http/hot-routes.js';
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

export class PublishRoute implements ExpressRoute {
  readonly path = '/v2/publish';
  private readonly answerHeaders: readonly string[];

  constructor(private readonly desk: PublishDesk) {
    this.answerHeaders = ['content-type', jsonType, 'stepwell-durability', desk.durability];
  }

  serve(exchange: Exchange): void {
    const command = this.commandOf(exchange);
    if ('status' in command) exchange.refuse(command);
    else this.accept(exchange, command);
  }

  private accept(exchange: Exchange, command: PublishMessage): void {
    const { engine, intake } = this.desk;
    const bytes = command.body.length;
    const refusal = intake.take(bytes);
    if (refusal !== null) {
      exchange.refuse(refusal);
      return;
    }
    // One promise per publish beside the engine's own: an async function would add three.
    void engine.dispatch([command]).then(
      ([outcome]) => {
        intake.done(bytes);
        this.answer(exchange, command.message.url, outcome);
      },
      (error: unknown) => {
        intake.done(bytes);
        exchange.fail(error);
      },
    );
  }

  private answer(exchange: Exchange, url: string, outcome: Outcome | undefined): void {
    if (outcome === undefined) {
      exchange.fail(new Error('a command without an outcome'));
    } else if (!outcome.accepted) {
      exchange.refuse(refusalOf(outcome.rejection));
    } else {
      const { messageId, deduplicated } = outcome.result as PublishReceipt;
      const receipt = deduplicated ? { messageId, url, deduplicated } : { messageId, url };
      exchange.answer(deduplicated ? 202 : 200, this.answerHeaders, JSON.stringify(receipt));
    }
  }

  private commandOf({ request, body }: Exchange): PublishMessage | Refusal {
    const { targets, dialect, limits, clock, identifiers } = this.desk;
    const { url: requestTarget = '', rawHeaders } = request;
    const target = targets.read(requestTarget);
    if ('status' in target) return target;
    const { url, options } = target;
    const written = options.length === 0 ? rawHeaders : [...rawHeaders, ...options];
    const at = clock.now();
    const publish = parsePublish(
      {
        url,
        headers: readMessageOptions(written, dialect),
        contentType: request.headers['content-type'] ?? null,
        plainHeaders: () => plainHeaders(rawHeaders),
        body,
        callerIp: request.socket.remoteAddress ?? '',
        at,
      },
      limits,
    );
    if (!publish.ok) return refusalOf(publish.refusal);
    const id = `msg_${identifiers.turnSeed(at)}`;
    const { message } = publish;
    return {
      type: 'PublishMessage',
      kind: messageKind,
      id,
      at,
      message,
      body,
      sharesBodyWith: null,
    };
  }
}
