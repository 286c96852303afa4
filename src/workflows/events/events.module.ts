/** Wiring of events: those that runs wait for, and the routes by which clients tell them. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { durabilityOf } from '../../http/durability.js';
import { Intake } from '../../http/intake.js';
import { RouteTable } from '../../http/routes/hot-routes.js';
import { WorkflowsModule } from '../active-runs/workflows.module.js';
import { Waiters } from '../runs/waiters.projection.js';
import type { WorkflowSettings } from '../settings.js';
import { EventRoutes } from './events.routes.js';
import { EventsService } from './events.service.js';
import { WebhookRoutes } from './webhooks.routes.js';

@Module({
  imports: [WorkflowsModule],
  providers: [
    {
      provide: EventsService,
      inject: [
        RouteTable,
        Engine,
        Payloads,
        Intake,
        Waiters,
        provided.config,
        provided.userIds,
        provided.clock,
        provided.identifiers,
      ],
      useFactory: eventsDesk,
    },
  ],
})
export class EventsModule {}

function eventsDesk(
  table: RouteTable,
  engine: Engine,
  payloads: Payloads,
  intake: Intake,
  waiters: Waiters,
  config: WorkflowSettings,
  userIds: ReadonlySet<string>,
  clock: Clock,
  identifiers: Identifiers,
): EventsService {
  const service = new EventsService({ engine, payloads, waiters, clock, identifiers });
  const { delayMaxMs, publicUrl } = config;
  const durability = durabilityOf(config);
  table.add(new EventRoutes(service, intake, delayMaxMs));
  table.add(new WebhookRoutes({ service, intake, userIds, publicUrl, durability }));
  return service;
}
