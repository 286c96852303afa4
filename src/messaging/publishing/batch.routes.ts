/** `POST /v2/batch`: many publishes in one request and one commit (messaging.md 2.3). */
import { readMessageOptions } from '../../http/dialect.js';
import type { Refusal } from '../../http/error-shapes.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { ExpressRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { headersOf, parseBatch, parseBatchItem } from './batch.request.js';
import type { PublishRequest } from './publish.request.js';
import type { Publisher, RequestContext } from './publisher.js';
import { publishingRoutes } from './publishing.openapi.js';
import {
  BatchSubmission,
  RefusedSubmission,
  refusalOfItem,
  type Submission,
  type SubmissionRefusal,
} from './submissions.js';

/** A batch is read in one go: this many messages hold the event loop for tens of ms. */
const messagesMax = 16_384;

/** How large a batch may be, in bytes. */
export interface BatchLimits {
  readonly batchBytesMax: number;
  readonly bodyBytesMax: number;
}

/** A batch of which nothing but its JSON was read. */
export interface Batch {
  readonly items: readonly unknown[];
  readonly context: RequestContext;
}

export class BatchRoute implements ExpressRoute {
  readonly methods = ['POST'];
  readonly isExpress = true;
  readonly pattern = '/v2/batch';
  readonly description: RouteDescription = publishingRoutes.batch;
  readonly bodyBytesMax: number;

  constructor(
    private readonly publisher: Publisher,
    private readonly limits: BatchLimits,
  ) {
    this.bodyBytesMax = limits.batchBytesMax;
  }

  serve(exchange: Exchange): void {
    const submission = this.read(exchange);
    if ('status' in submission) exchange.refuse(submission);
    else this.publisher.carryOut(exchange, submission, exchange.body.length);
  }

  /**
   * One submission for each item. An item that asks for more than is granted refuses them all, and
   * so does one of a workflow run, whose endpoint knows no other refusal.
   */
  private read(exchange: Exchange): Submission | Refusal {
    const batch = readBatch(exchange, this.publisher);
    if ('status' in batch) return batch;
    const { items, context } = batch;
    const submissions: Submission[] = [];
    let messages = 0;
    for (const [index, item] of items.entries()) {
      const read = this.readItem(item, context);
      if ('status' in read && (read.isWhole === true || read.status === 412)) {
        return refusalOfItem(index, read);
      }
      const submission = 'status' in read ? new RefusedSubmission(read) : read;
      messages += submission.commands.length;
      if (messages > messagesMax) return tooMany;
      submissions.push(submission);
    }
    return new BatchSubmission(submissions);
  }

  private readItem(item: unknown, context: RequestContext): Submission | SubmissionRefusal {
    const asked = readAsked(item, this.limits);
    return 'status' in asked
      ? this.publisher.refusalTo(asked, headersOf(item), context)
      : this.publisher.read(asked, context);
  }
}

/** The items of a request, and the context of each: one that does not tell speaks as it does. */
export function readBatch(exchange: Exchange, publisher: Publisher): Batch | Refusal {
  const items = parseBatch(exchange.body);
  if (!items.ok) return { status: 400, message: items.reason };
  if (items.value.length > messagesMax) return tooMany;
  const here = publisher.context(exchange);
  const { dialect } = readMessageOptions(exchange.request.rawHeaders, here.dialect);
  return { items: items.value, context: { ...here, dialect } };
}

/** One item; its body is as long as that of a publish may be. */
export function readAsked(item: unknown, { bodyBytesMax }: BatchLimits): PublishRequest | Refusal {
  const asked = parseBatchItem(item);
  if (!asked.ok) return { status: 400, message: asked.reason };
  return asked.value.body.length <= bodyBytesMax
    ? asked.value
    : { status: 413, message: `body is longer than ${bodyBytesMax} bytes` };
}

const tooMany: Refusal = {
  status: 412,
  message: `a batch makes at most ${messagesMax} messages`,
};
