/** Wiring of the front desk. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { dialects } from '../../http/dialect.js';
import { durabilityOf } from '../../http/durability.js';
import { BearerTokens } from '../../http/identity/bearer-token.js';
import { Intake } from '../../http/intake.js';
import { RouteTable } from '../../http/routes/hot-routes.js';
import type { Config } from '../../server/configuration/config.js';
import { provided } from '../../server/ports.js';
import { BatchTriggerRoute, TriggerRoute } from '../../workflows/requests/trigger.routes.js';
import { AddressGuard } from '../outbound/address-guard.js';
import { BatchRoute } from './batch.routes.js';
import { FrontDesk } from './front-desk.js';
import { PublishRoute, ScheduleRoute } from './publish.routes.js';
import { PublishTargets } from './publish-targets.js';

@Module({
  providers: [
    {
      provide: FrontDesk,
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
      useFactory: frontDesk,
    },
  ],
  exports: [FrontDesk],
})
export class PublishingModule {}

function frontDesk(
  table: RouteTable,
  engine: Engine,
  intake: Intake,
  guard: AddressGuard,
  bearer: BearerTokens,
  config: Config,
  clock: Clock,
  identifiers: Identifiers,
): FrontDesk {
  const { retries, retriesMax, delayMaxMs, timeoutMs, maxBatchBytes, maxBodyBytes } = config;
  const targets = new PublishTargets(guard, (token) => bearer.include(token));
  const judgeUrl = (text: string) => targets.judgeUrl(text);
  const desk = new FrontDesk({
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
  for (const word of ['publish', 'enqueue'] as const) {
    for (const pattern of [`/v2/${word}/*`, `/v2/${word}`]) {
      table.addExpress(new PublishRoute(word, pattern, desk));
    }
  }
  table.add(new ScheduleRoute(desk));
  const limits = { batchBytesMax: maxBatchBytes, bodyBytesMax: maxBodyBytes };
  table.addExpress(new BatchRoute(desk, limits));
  for (const pattern of ['/v2/trigger/*', '/v2/trigger']) {
    table.addExpress(new TriggerRoute(pattern, desk));
  }
  table.addExpress(new BatchTriggerRoute(desk, limits));
  return desk;
}
