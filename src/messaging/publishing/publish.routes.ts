/**
 * The routes for one publish (messaging.md 2.1, 2.2 and 7):
 *
 *     POST /v2/publish/{destination}          express lane
 *     POST /v2/enqueue/{queue}/{destination}  express lane
 *     POST /v2/schedules/{destination}
 */
import { parseName } from '../../grammar/name.js';
import { Refusal } from '../../grammar/result.js';
import { traceHeaders } from '../../grammar/trace-context.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { ExpressRoute, FastifyRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { PublishRequest, RequestContext } from './publish.request.js';
import type { Publisher } from './publisher.js';
import { publishingRoutes } from './publishing.openapi.js';

const noTrace: readonly string[] = [];

/** Serves publishes and enqueues. Requests without a destination are refused. */
export class PublishRoute implements ExpressRoute {
  readonly methods = ['POST'];
  readonly isExpress = true;
  readonly description: RouteDescription;

  constructor(
    private readonly word: 'publish' | 'enqueue',
    readonly pattern: string,
    private readonly publisher: Publisher,
  ) {
    this.description = publishingRoutes[word];
  }

  serve(exchange: Exchange): void {
    const context = this.publisher.context(exchange);
    const publish =
      this.word === 'publish' ? publishIn(exchange, context) : enqueueIn(exchange, context);
    if (publish instanceof Refusal) exchange.refuse(publish);
    else servePublish(this.publisher, exchange, publish);
  }
}

/** Creates schedules. Other schedule routes share this path; only Fastify can tell them apart. */
export class ScheduleRoute implements FastifyRoute {
  readonly methods = ['POST'];
  readonly description: RouteDescription = publishingRoutes.schedule;

  constructor(
    readonly pattern: string,
    private readonly publisher: Publisher,
  ) {}

  serve(exchange: Exchange): void {
    const publish = publishIn(exchange, this.publisher.context(exchange));
    servePublish(this.publisher, exchange, { ...publish, mustRepeat: true });
  }
}

function servePublish(publisher: Publisher, exchange: Exchange, publish: PublishRequest): void {
  const submission = publisher.read(publish);
  if (submission instanceof Refusal) exchange.refuse(submission);
  else publisher.carryOut(exchange, submission, publish.body.length);
}

/** The publish in a request to `/v2/<word>/{destination}`. */
export function publishIn(
  { request, target, body }: Exchange,
  context: RequestContext,
): PublishRequest {
  const { rawHeaders, headers } = request;
  return {
    destination: behind(target, 2),
    rawHeaders,
    contentType: headers['content-type'] ?? null,
    trace: headers['traceparent'] === undefined ? noTrace : traceHeaders(rawHeaders),
    body,
    queueName: null,
    mustRepeat: false,
    context,
  };
}

function enqueueIn(exchange: Exchange, context: RequestContext): PublishRequest | Refusal {
  const { target } = exchange;
  const queue = parseName(behind(target, 2).split(/[/?]/, 1)[0] ?? '');
  if (!queue.ok) return new Refusal('invalid', `the queue name ${queue.message}`);
  return {
    ...publishIn(exchange, context),
    destination: behind(target, 3),
    queueName: queue.value,
  };
}

/**
 * The part of a request target after its first segments, raw and with its query. The router has
 * matched it, but the router's own copy is decoded. If nothing follows, only the query is returned.
 */
function behind(target: string, segments: number): string {
  const question = target.indexOf('?');
  const pathEnd = question < 0 ? target.length : question;
  let slash = 0;
  for (let index = 0; index < segments; index += 1) {
    slash = target.indexOf('/', slash + 1);
    if (slash < 0 || slash > pathEnd) return target.slice(pathEnd);
  }
  return target.slice(slash + 1);
}
