/** Wiring of what is done with records: produced, fetched, and told where they are. */
import { Inject, Module } from '@nestjs/common';
import type { Config } from '../config.js';
import type { Clock } from '../engine/clock.js';
import { Engine } from '../engine/engine.js';
import { durabilityOf } from '../http/durability.js';
import { RouteTable } from '../http/hot-routes.js';
import { Intake } from '../lifecycle/intake.js';
import { provided } from '../ports.js';
import { FetchRoutes } from './fetch.routes.js';
import { ProduceRoutes } from './produce.routes.js';
import { RecordAppender } from './record-appender.js';
import { TopicAccessModule } from './topic-access.module.js';
import { TopicsDesk } from './topics-desk.js';

@Module({ imports: [TopicAccessModule] })
export class TopicsModule {
  constructor(
    table: RouteTable,
    desk: TopicsDesk,
    engine: Engine,
    intake: Intake,
    @Inject(provided.config) config: Config,
    @Inject(provided.clock) clock: Clock,
  ) {
    table.add(new ProduceRoutes(new RecordAppender(), desk, intake, durabilityOf(config)));
    table.add(new FetchRoutes(desk, engine, clock));
  }
}
