/** Wiring of the front desk. */
import { Module } from '@nestjs/common';
import type { Config } from '../config.js';
import { AddressGuard } from '../delivery/address-guard.js';
import type { Clock } from '../engine/clock.js';
import { Engine } from '../engine/engine.js';
import type { Identifiers } from '../engine/identifiers.js';
import { BearerTokens } from '../http/bearer-token.js';
import { dialects } from '../http/dialect.js';
import { RouteTable } from '../http/hot-routes.js';
import { Intake } from '../lifecycle/intake.js';
import { provided } from '../ports.js';
import { PublishRoute } from './publish.routes.js';
import { PublishTargets } from './publish-targets.js';

@Module({
  providers: [
    {
      provide: PublishRoute,
      inject: [
        RouteTable,
        Engine,
        Intake,
        AddressGuard,
        BearerTokens,
        provided.config,
        provided.clock,
        provided.identifiers,
      ],
      useFactory: publishRoute,
    },
  ],
})
export class PublishingModule {}

function publishRoute(
  table: RouteTable,
  engine: Engine,
  intake: Intake,
  guard: AddressGuard,
  bearer: BearerTokens,
  config: Config,
  clock: Clock,
  identifiers: Identifiers,
): PublishRoute {
  const { retries, retriesMax, delayMaxMs, timeoutMs } = config;
  const route = new PublishRoute({
    engine,
    intake,
    targets: new PublishTargets(guard, (token) => bearer.include(token)),
    clock,
    identifiers,
    limits: { retries, retriesMax, delayMaxMs, timeoutMs },
    dialect: dialects[config.dialect],
    durability: config.fsync === 'strict' ? 'fsync' : 'os',
  });
  table.addExpress(route);
  return route;
}
