/** Wiring of events that runs wait for, with the routes by which clients send notifications. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { RunEntriesModule } from '../deliveries/run-entries.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { AnnouncedWebhooks } from './announced-webhooks.js';
import { EventRoutes } from './events.routes.js';
import { EventsService } from './events.service.js';
import { WorkflowWebhookRoute } from './webhooks.routes.js';

/** Only routes; the waits themselves are part of runs. */
@Module({
  imports: [RunsModule, RunEntriesModule],
  providers: [AnnouncedWebhooks, EventsService, EventRoutes, WorkflowWebhookRoute],
})
export class EventsModule {
  constructor(table: RouteTable, { routes }: EventRoutes, webhooks: WorkflowWebhookRoute) {
    table.add(...routes, webhooks);
  }
}
