/** Wiring of events: those that runs wait for, and the ways in for whoever tells them. */
import { Module } from '@nestjs/common';
import type { Config } from '../config.js';
import { type Credentials, userIdsOf } from '../credentials.js';
import type { Clock } from '../engine/clock.js';
import { Engine } from '../engine/engine.js';
import type { Identifiers } from '../engine/identifiers.js';
import { Payloads } from '../engine/payloads.js';
import { durabilityOf } from '../http/durability.js';
import { RouteTable } from '../http/hot-routes.js';
import { Intake } from '../lifecycle/intake.js';
import { provided } from '../ports.js';
import { EventRoutes } from './events.routes.js';
import { EventsDesk } from './events-desk.js';
import { Waiters } from './waiters.projection.js';
import { WebhookRoutes } from './webhooks.routes.js';
import { WorkflowsModule } from './workflows.module.js';

@Module({
  imports: [WorkflowsModule],
  providers: [
    {
      provide: EventsDesk,
      inject: [
        RouteTable,
        Engine,
        Payloads,
        Intake,
        Waiters,
        provided.config,
        provided.credentials,
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
  config: Config,
  credentials: Credentials,
  clock: Clock,
  identifiers: Identifiers,
): EventsDesk {
  const desk = new EventsDesk({ engine, payloads, waiters, clock, identifiers });
  const { delayMaxMs, publicUrl } = config;
  const durability = durabilityOf(config);
  const userIds = userIdsOf(credentials);
  table.add(new EventRoutes(desk, intake, delayMaxMs));
  table.add(new WebhookRoutes({ desk, intake, userIds, publicUrl, durability }));
  return desk;
}
