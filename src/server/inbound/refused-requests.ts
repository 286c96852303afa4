/** Counts requests that were answered 401 or 403, and passes them on to be recorded. */
import type { Caller } from '../../engine/principal/principal.js';
import { knownCallerOf } from '../../http/identity/callers.js';
import type { InboundMetrics } from '../../http/inbound.metrics.js';
import type { RequestHead } from '../../http/request-head.js';

/** No credential was sent; it is unknown; or it does not permit this request. */
export type RefusalReason = 'missing' | 'unknown' | 'forbidden';

/** What is recorded of a refused request. */
export interface RefusedRequest {
  readonly caller: Caller;
  readonly reason: RefusalReason;
  readonly method: string;
  /**
   * The pattern of the route, never the path: a path has no bound, and may contain what must not be
   * kept.
   */
  readonly route: string;
}

/**
 * One instance per server; whatever answers 401 or 403 reports here. Counting costs nothing that a
 * client could run up; `RefusalRecorder` bounds what is recorded.
 */
export class RefusedRequests {
  private tell: (refused: RefusedRequest) => void = () => undefined;

  constructor(private readonly metrics: InboundMetrics) {}

  /** From now on, calls `tell` with each refused request. */
  follow(tell: (refused: RefusedRequest) => void): void {
    this.tell = tell;
  }

  /** Reports that a request was answered with `status`. */
  answered(request: RequestHead, route: string, status: number): void {
    if (status !== 401 && status !== 403) return;
    const caller = knownCallerOf(request);
    if (caller === undefined) return;
    const reason = reasonOf(request, status);
    this.metrics.requestRefused(reason);
    this.tell({ caller, reason, method: request.method ?? '', route });
  }
}

function reasonOf({ headers: { authorization } }: RequestHead, status: number): RefusalReason {
  if (status === 403) return 'forbidden';
  return authorization === undefined || authorization === '' ? 'missing' : 'unknown';
}
