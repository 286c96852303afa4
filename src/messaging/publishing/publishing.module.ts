/** Wiring of the publisher and its routes. */
import { Inject, Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { provided } from '../../engine/provided.js';
import { dialects } from '../../http/dialect.js';
import { durabilityOf } from '../../http/durability.js';
import { BearerTokens } from '../../http/identity/bearer-token.js';
import { Intake } from '../../http/intake.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { AddressGuard } from '../outbound/address-guard.js';
import type { MessagingSettings } from '../settings.js';
import { BatchRoute } from './batch.routes.js';
import { PublishRoute, ScheduleRoute } from './publish.routes.js';
import { PublishTargets } from './publish-targets.js';
import { Publisher } from './publisher.js';

@Module({
  providers: [
    {
      provide: Publisher,
      inject: [
        Engine,
        Intake,
        AddressGuard,
        BearerTokens,
        provided.config,
        provided.clock,
        provided.identifiers,
      ],
      useFactory: publisherOf,
    },
  ],
  exports: [Publisher],
})
export class PublishingModule {
  constructor(
    table: RouteTable,
    publisher: Publisher,
    @Inject(provided.config) { maxBatchBytes, maxBodyBytes }: MessagingSettings,
  ) {
    const limits = { batchBytesMax: maxBatchBytes, bodyBytesMax: maxBodyBytes };
    table.add(
      new PublishRoute('publish', '/v2/publish/*', publisher),
      new PublishRoute('publish', '/v2/publish', publisher),
      new PublishRoute('enqueue', '/v2/enqueue/*', publisher),
      new PublishRoute('enqueue', '/v2/enqueue', publisher),
      new ScheduleRoute('/v2/schedules/*', publisher),
      new ScheduleRoute('/v2/schedules', publisher),
      new BatchRoute(publisher, limits),
    );
  }
}

function publisherOf(
  engine: Engine,
  intake: Intake,
  guard: AddressGuard,
  bearer: BearerTokens,
  config: MessagingSettings,
  clock: Clock,
  identifiers: Identifiers,
): Publisher {
  const { retries, retriesMax, delayMaxMs, timeoutMs } = config;
  const targets = new PublishTargets(guard, (token) => bearer.include(token));
  const judgeUrl = (text: string) => targets.judgeUrl(text);
  return new Publisher({
    engine,
    intake,
    targets,
    clock,
    identifiers,
    rules: { retries, retriesMax, delayMaxMs, timeoutMs, judgeUrl },
    dialect: dialects[config.dialect],
    durability: durabilityOf(config),
    refusesTypos: config.isDevelopment,
  });
}
