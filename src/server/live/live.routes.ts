/** `GET /v2/live`: what happens on this server, as a stream of events (messaging.md 12). */
import { Injectable } from '@nestjs/common';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import { lastOffsetOf } from '../../http/bytes/event-stream.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { names, readFilters } from '../../http/query-filters.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import { liveRoute } from './live.openapi.js';
import { type LiveKind, liveKinds } from './live-events.js';
import { LiveViews } from './live-views.js';

/** It hijacks its exchange, as for Fastify the request ends before the stream does. */
@Injectable()
export class LiveRoute implements FastifyRoute {
  readonly methods = ['GET'];
  readonly pattern = '/v2/live';
  readonly description = liveRoute;

  constructor(
    private readonly views: LiveViews,
    private readonly basic: BasicCredentials,
  ) {}

  async serve(exchange: FastifyExchange): Promise<void> {
    const kinds = parseLiveQuery(exchange.target);
    if (!kinds.ok) return exchange.refuse(kinds);
    const seen = this.seenBy(exchange, kinds.value);
    if (seen instanceof Refusal) return exchange.refuse(seen);
    const last = lastOffsetOf(exchange.request);
    if (!last.ok) return exchange.refuse(last);
    const stream = this.views.follow(seen, last.value);
    if (stream instanceof Refusal) return exchange.refuse(stream);
    const allowance = exchange.hijack();
    await stream({ response: exchange.response, allowance });
  }

  /** Topics are shown only to callers that may use the log interface. */
  private seenBy(
    { request }: FastifyExchange,
    asked: ReadonlySet<LiveKind> | null,
  ): ReadonlySet<LiveKind> | Refusal {
    const refusal = this.basic.judgeRight(request, 'inspect', null);
    if (refusal === undefined || asked?.has('topic') === false) return asked ?? all;
    const message =
      'forbidden: this token may not enter the log interface, so it may not see topic';
    return asked === null ? withoutTopics : new Refusal('forbidden', message);
  }
}

const all: ReadonlySet<LiveKind> = new Set(liveKinds);
const withoutTopics: ReadonlySet<LiveKind> = new Set(liveKinds.filter((kind) => kind !== 'topic'));

/** The requested kinds; null if the request does not name any. */
function parseLiveQuery(target: string): Result<ReadonlySet<LiveKind> | null> {
  const filters = readFilters(target, { kinds: names });
  if (!filters.ok) return filters;
  const { kinds } = filters.value;
  if (kinds === null) return ok(null);
  const selected = new Set<LiveKind>();
  for (const name of kinds) {
    const kind = liveKinds.find((each) => each === name);
    if (kind === undefined) return refused(`kinds are ${liveKinds.join(', ')}: not ${name}`);
    selected.add(kind);
  }
  return ok(selected);
}
