/** `POST /v2/batch`: many publishes in one request and one commit (messaging.md 2.3). */

import { Refusal } from '../../grammar/result.js';
import { traceHeaders } from '../../grammar/trace-context.js';
import { dialectOf } from '../../http/dialect.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { ExpressRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { AlikeItems } from './alike-items.js';
import { AlikeRequests } from './alike-requests.js';
import { headersOf, parseBatch, parseBatchItem } from './batch.request.js';
import type { PublishRequest, RequestContext } from './publish.request.js';
import type { Publisher } from './publisher.js';
import { publishingRoutes } from './publishing.openapi.js';
import {
  BatchSubmission,
  RefusedSubmission,
  refusalOfItem,
  type Submission,
  WholeRefusal,
} from './submissions.js';

/**
 * Limit on the messages of a batch. A batch is read in one go, and this many messages block the
 * event loop for tens of ms.
 */
const messagesMax = 16_384;

/** How large a batch and the body of one item may be, in bytes. */
export interface BatchLimits {
  readonly batchBytesMax: number;
  readonly bodyBytesMax: number;
}

/** A batch whose JSON is parsed but whose items have not been read yet. */
export interface Batch {
  readonly items: readonly unknown[];
  readonly context: RequestContext;
}

/**
 * Served by the express lane. Each item is answered at its own index. A refused item does not stop
 * the others, unless its refusal applies to the whole batch.
 */
export class BatchRoute implements ExpressRoute {
  readonly methods = ['POST'];
  readonly isExpress = true;
  readonly pattern = '/v2/batch';
  readonly description: RouteDescription = publishingRoutes.batch;
  readonly bodyBytesMax: number;
  private readonly requests: AlikeRequests;

  constructor(
    private readonly publisher: Publisher,
    private readonly limits: BatchLimits,
  ) {
    this.bodyBytesMax = limits.batchBytesMax;
    this.requests = new AlikeRequests(limits.bodyBytesMax);
  }

  serve(exchange: Exchange): void {
    const submission = this.read(exchange);
    if (submission instanceof Refusal) exchange.refuse(submission);
    else this.publisher.carryOut(exchange, submission, exchange.body.length);
  }

  /**
   * Reads one submission per item. An item that exceeds a granted limit refuses the whole batch,
   * and so does a refused item of a workflow run, whose endpoint understands no other refusal.
   */
  private read(exchange: Exchange): Submission | Refusal {
    const batch = readBatch(exchange, this.publisher);
    if (batch instanceof Refusal) return batch;
    const { items, context } = batch;
    const alike = new AlikeItems(context, this.limits.bodyBytesMax);
    const submissions: Submission[] = [];
    let messages = 0;
    for (const [index, item] of items.entries()) {
      const read = alike.submissionOf(item) ?? this.submissionOf(item, context, alike);
      if (read instanceof WholeRefusal || (read instanceof Refusal && read.code === 'over_limit')) {
        return refusalOfItem(index, read);
      }
      const submission = read instanceof Refusal ? new RefusedSubmission(read) : read;
      messages += submission.commands.length;
      if (messages > messagesMax) return tooMany;
      submissions.push(submission);
    }
    return new BatchSubmission(submissions);
  }

  private submissionOf(
    item: unknown,
    context: RequestContext,
    alike: AlikeItems,
  ): Submission | Refusal {
    const { requests } = this;
    const known = requests.submissionOf(item, context);
    if (known !== undefined) return known;
    const publish = readItem(item, this.limits, context);
    if (publish instanceof Refusal) {
      return this.publisher.refusalTo(publish, headersOf(item), context);
    }
    const submission = this.publisher.read(publish);
    if (submission instanceof Refusal) return submission;
    alike.add(item, submission);
    requests.add(item, submission, context);
    return submission;
  }
}

/**
 * The items of a request, and the context that they share. Items without a dialect of their own use
 * that of the request.
 */
export function readBatch(exchange: Exchange, publisher: Publisher): Batch | Refusal {
  const items = parseBatch(exchange.body);
  if (!items.ok) return items;
  if (items.value.length > messagesMax) return tooMany;
  const here = publisher.context(exchange);
  const { rawHeaders } = exchange.request;
  const { at, callerIp, names } = here;
  const dialect = dialectOf(rawHeaders, here.dialect);
  const trace = traceHeaders(rawHeaders);
  return { items: items.value, context: { at, callerIp, dialect, names, trace } };
}

/** Reads one item. Its body may be as long as that of a single publish. */
export function readItem(
  item: unknown,
  { bodyBytesMax }: BatchLimits,
  context: RequestContext,
): PublishRequest | Refusal {
  const publish = parseBatchItem(item, context);
  if (!publish.ok) return publish;
  return publish.value.body.length <= bodyBytesMax
    ? publish.value
    : new Refusal('too_large', `body is longer than ${bodyBytesMax} bytes`);
}

const tooMany: Refusal = new Refusal('over_limit', `a batch makes at most ${messagesMax} messages`);
