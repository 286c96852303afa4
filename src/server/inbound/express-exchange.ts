/**
 * What exchanges of express routes have in common, in the socket lane and through Node's server.
 */
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import type { Refusal } from '../../grammar/result.js';
import type { InFlight } from '../../http/bytes/in-flight.js';
import { errorBody, headersOf, statusOf } from '../../http/error-shapes.js';
import type { Failures } from '../../http/failures.js';
import type { InboundMetrics } from '../../http/inbound.metrics.js';
import { isEncoding } from '../../http/literal-target.js';
import type { RequestHead } from '../../http/request-head.js';
import type { TabledExpressRoute } from '../../http/routes/route-table.js';
import type { RefusedRequests } from './refused-requests.js';

/** The collaborators of an exchange. */
export interface ExchangeContext {
  readonly failures: Failures;
  readonly metrics: InboundMetrics;
  readonly refused: RefusedRequests;
  readonly clock: Clock;
  readonly inFlight: InFlight;
}

/** Digits only: any other notation of a length is left to Fastify to judge. */
const plainLength = /^\d{1,15}$/;

/** The body of requests and answers that have none. */
export const emptyBody = Buffer.alloc(0);

/** An exchange is answered once; `refuse` and `fail` use `answer`. */
export abstract class ExpressExchange {
  readonly target: string;

  constructor(
    readonly request: RequestHead,
    readonly caller: Caller,
    protected readonly tabled: TabledExpressRoute,
    protected readonly context: ExchangeContext,
    /** When the head of the request was read, by the monotonic clock. */
    private readonly startedAt: number,
  ) {
    this.target = request.url ?? '';
  }

  /** `headers` alternates names and values. Without `body`, the answer is empty. */
  abstract answer(status: number, headers: readonly string[], body?: string | Buffer): void;

  /** Answers in the error format of the route's interface, and counts the refusal. */
  refuse(refusal: Refusal): void {
    const type = ['content-type', 'application/json; charset=utf-8'];
    const body = errorBody(this.tabled.isMessaging, refusal);
    const headers = Object.entries(headersOf(refusal)).flat();
    const status = statusOf(refusal);
    this.answer(status, [...headers, ...type], body);
    this.context.refused.answered(this.request, this.tabled.route.pattern, status);
  }

  /** Refuses with what `Failures` makes of the error; an unexpected error is logged. */
  fail(error: unknown): void {
    const { method, url } = this.request;
    const { requestId: id } = this.caller;
    this.refuse(this.context.failures.refusalOf(error, { method, url, id }));
  }

  /** Counts the answer; called once. */
  protected answered(status: number): void {
    const { request, tabled, context, startedAt } = this;
    const seconds = (context.clock.monotonic() - startedAt) / 1000;
    context.metrics.requestAnswered(request.method ?? '', tabled.route.pattern, status, seconds);
  }
}

/**
 * Whether the target can be decoded and the body has a known length within the limit (`bytesMax` if
 * the route has none).
 */
export function isOrdinary(
  { url = '', headers }: RequestHead,
  route: TabledExpressRoute['route'],
  bytesMax: number,
): boolean {
  const { 'content-length': length } = headers;
  return (
    length !== undefined &&
    plainLength.test(length) &&
    Number(length) <= (route.bodyBytesMax ?? bytesMax) &&
    headers['transfer-encoding'] === undefined &&
    // The request may ask for an answer of the past.
    !url.includes('asOf=') &&
    // The router refuses what it cannot decode.
    (!url.includes('%') || isEncoding(url))
  );
}
