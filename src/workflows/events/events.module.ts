/** Wiring of events: those that runs wait for, and the routes by which clients tell them. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { WorkflowsModule } from '../active-runs/workflows.module.js';
import { Waiters } from '../runs/waiters.projection.js';
import { EventRoutes } from './events.routes.js';
import { EventsService } from './events.service.js';
import { WebhookRoute } from './webhooks.routes.js';

@Module({
  imports: [WorkflowsModule],
  providers: [
    EventRoutes,
    WebhookRoute,
    {
      provide: EventsService,
      inject: [Engine, Payloads, Waiters, provided.clock, provided.identifiers],
      useFactory: (
        engine: Engine,
        payloads: Payloads,
        waiters: Waiters,
        clock: Clock,
        identifiers: Identifiers,
      ) => new EventsService({ engine, payloads, waiters, clock, identifiers }),
    },
  ],
})
export class EventsModule {
  constructor(table: RouteTable, { routes }: EventRoutes, webhooks: WebhookRoute) {
    table.add(...routes, webhooks);
  }
}
