/**
 * The routes by which clients without an SDK start workflow runs (workflows.md 1.3):
 *
 *     POST /v2/trigger/{workflowUrl}   express lane
 *     POST /v2/batch/trigger           express lane
 */

import { Refusal } from '../../grammar/result.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { ExpressRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { type BatchLimits, readBatch, readItem } from '../../messaging/publishing/batch.routes.js';
import { publishIn } from '../../messaging/publishing/publish.routes.js';
import type { Publisher } from '../../messaging/publishing/publisher.js';
import { BatchSubmission, RefusedSubmission } from '../../messaging/publishing/submissions.js';
import { readTrigger } from './run-interpreter.js';
import { triggerRoutes } from './trigger.openapi.js';

/** Starts one run. */
export class TriggerRoute implements ExpressRoute {
  readonly methods = ['POST'];
  readonly isExpress = true;
  readonly description: RouteDescription = triggerRoutes.trigger;

  constructor(
    readonly pattern: string,
    private readonly publisher: Publisher,
  ) {}

  serve(exchange: Exchange): void {
    const { publisher } = this;
    const request = publishIn(exchange, publisher.context(exchange));
    const submission = publisher.readAs(readTrigger, request);
    if (submission instanceof Refusal) exchange.refuse(submission);
    else publisher.carryOut(exchange, submission, request.body.length);
  }
}

/** Starts many runs; answers with a list, in which a refused start is `{error}`. */
export class BatchTriggerRoute implements ExpressRoute {
  readonly methods = ['POST'];
  readonly isExpress = true;
  readonly pattern = '/v2/batch/trigger';
  readonly description: RouteDescription = triggerRoutes.batchTrigger;
  readonly bodyBytesMax: number;

  constructor(
    private readonly publisher: Publisher,
    private readonly limits: BatchLimits,
  ) {
    this.bodyBytesMax = limits.batchBytesMax;
  }

  serve(exchange: Exchange): void {
    const { publisher, limits } = this;
    const batch = readBatch(exchange, publisher);
    if (batch instanceof Refusal) {
      exchange.refuse(batch);
      return;
    }
    const submissions = batch.items.map((item) => {
      const request = readItem(item, limits, batch.context);
      const submission =
        request instanceof Refusal ? request : publisher.readAs(readTrigger, request);
      return submission instanceof Refusal ? new RefusedSubmission(submission) : submission;
    });
    publisher.carryOut(exchange, new BatchSubmission(submissions, 201), exchange.body.length);
  }
}
