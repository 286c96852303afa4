/** What exchanges of express routes share, by sockets and by Node's server. */
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

/** What exchanges work with. */
export interface ExchangeContext {
  readonly failures: Failures;
  readonly metrics: InboundMetrics;
  readonly refused: RefusedRequests;
  readonly clock: Clock;
  readonly inFlight: InFlight;
}

/** Digits only: whatever else a length could be is Fastify's to judge. */
const plainLength = /^\d{1,15}$/;

/** Of requests and answers that have none. */
export const emptyBody = Buffer.alloc(0);

/** An exchange is answered once; `refuse` and `fail` are made of `answer`. */
export abstract class ExpressExchange {
  readonly target: string;

  constructor(
    readonly request: RequestHead,
    readonly caller: Caller,
    protected readonly tabled: TabledExpressRoute,
    protected readonly context: ExchangeContext,
    /** When its head was read, by the monotonic clock. */
    private readonly startedAt: number,
  ) {
    this.target = request.url ?? '';
  }

  /** `headers` are names and values in turn. Without a body the answer is empty. */
  abstract answer(status: number, headers: readonly string[], body?: string | Buffer): void;

  /** Answers in the form that the interface of its route has for refusals, and counts it. */
  refuse(refusal: Refusal): void {
    const type = ['content-type', 'application/json; charset=utf-8'];
    const body = errorBody(this.tabled.isMessaging, refusal);
    const headers = Object.entries(headersOf(refusal)).flat();
    const status = statusOf(refusal);
    this.answer(status, [...headers, ...type], body);
    this.context.refused.answered(this.request, this.tabled.route.pattern, status);
  }

  /** Refuses with what the error means (`Failures`); an unexpected one is logged. */
  fail(error: unknown): void {
    const { method, url } = this.request;
    const { requestId: id } = this.caller;
    this.refuse(this.context.failures.refusalOf(error, { method, url, id }));
  }

  /** Counts the answer; once. */
  protected answered(status: number): void {
    const { request, tabled, context, startedAt } = this;
    const seconds = (context.clock.monotonic() - startedAt) / 1000;
    context.metrics.requestAnswered(request.method ?? '', tabled.route.pattern, status, seconds);
  }
}

/**
 * A target that can be decoded, and a known length within the limit, `bytesMax` where its route has
 * none.
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
    // It may ask for an answer of the past.
    !url.includes('asOf=') &&
    // The router refuses what it cannot decode.
    (!url.includes('%') || isEncoding(url))
  );
}
