/**
 * How clients without an SDK start workflow runs (workflows.md 1.3):
 *
 *     POST /v2/trigger/{workflowUrl}   express lane
 *     POST /v2/batch/trigger           express lane
 */
import type { Exchange } from '../../http/routes/exchange.js';
import type { ExpressRoute } from '../../http/routes/hot-routes.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { type BatchLimits, readAsked, readBatch } from '../../messaging/publishing/batch.routes.js';
import { BatchOrder, RefusedOrder } from '../../messaging/publishing/orders.js';
import { askedOf } from '../../messaging/publishing/publish.routes.js';
import type { Publisher } from '../../messaging/publishing/publisher.js';
import { readTrigger } from './run-desk.js';
import { triggerRoutes } from './trigger.openapi.js';

/** One run. */
export class TriggerRoute implements ExpressRoute {
  readonly description: RouteDescription = triggerRoutes.trigger;

  constructor(
    readonly pattern: string,
    private readonly desk: Publisher,
  ) {}

  serve(exchange: Exchange): void {
    const { desk } = this;
    const asked = askedOf(exchange);
    const order = desk.readAs(readTrigger, asked, desk.occasion(exchange));
    if ('status' in order) exchange.refuse(order);
    else desk.carryOut(exchange, order, asked.body.length);
  }
}

/** Many runs: a list is answered, in which a refused one is `{error}`. */
export class BatchTriggerRoute implements ExpressRoute {
  readonly pattern = '/v2/batch/trigger';
  readonly description: RouteDescription = triggerRoutes.batchTrigger;
  readonly bodyBytesMax: number;

  constructor(
    private readonly desk: Publisher,
    private readonly limits: BatchLimits,
  ) {
    this.bodyBytesMax = limits.batchBytesMax;
  }

  serve(exchange: Exchange): void {
    const { desk, limits } = this;
    const batch = readBatch(exchange, desk);
    if ('status' in batch) {
      exchange.refuse(batch);
      return;
    }
    const orders = batch.items.map((item) => {
      const asked = readAsked(item, limits);
      const order = 'status' in asked ? asked : desk.readAs(readTrigger, asked, batch.occasion);
      return 'status' in order ? new RefusedOrder(order) : order;
    });
    desk.carryOut(exchange, new BatchOrder(orders, 201), exchange.body.length);
  }
}
