/** Wiring of events: those that runs wait for, and the routes by which clients tell them. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { WorkflowsModule } from '../active-runs/workflows.module.js';
import { EventRoutes } from './events.routes.js';
import { EventsService } from './events.service.js';
import { WebhookRoute } from './webhooks.routes.js';

@Module({ imports: [WorkflowsModule], providers: [EventsService, EventRoutes, WebhookRoute] })
export class EventsModule {
  constructor(table: RouteTable, { routes }: EventRoutes, webhooks: WebhookRoute) {
    table.add(...routes, webhooks);
  }
}
