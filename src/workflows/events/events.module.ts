/** Wiring of events: those that runs wait for, and the routes by which clients notify of them. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/hot-routes.js';
import { RunEntriesModule } from '../deliveries/run-entries.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { AnnouncedWebhooks } from './announced-webhooks.js';
import { EventRoutes } from './events.routes.js';
import { EventsService } from './events.service.js';
import { WebhookRoutes } from './webhooks.routes.js';

@Module({
  imports: [RunsModule, RunEntriesModule],
  providers: [AnnouncedWebhooks, EventsService, EventRoutes, WebhookRoutes],
})
export class EventsModule {
  constructor(table: RouteTable, events: EventRoutes, webhooks: WebhookRoutes) {
    table.add(events);
    table.add(webhooks);
  }
}
