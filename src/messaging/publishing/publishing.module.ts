/** Wiring of the publisher and its routes. */
import { Inject, Module } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { RouteTable } from '../../http/routes/hot-routes.js';
import type { MessagingSettings } from '../settings.js';
import { UrlGroupsModule } from '../url-groups/url-groups.module.js';
import { BatchRoute } from './batch.routes.js';
import { PublishRoute, ScheduleRoute } from './publish.routes.js';
import { PublishTargets } from './publish-targets.js';
import { Publisher } from './publisher.js';

@Module({
  imports: [UrlGroupsModule],
  providers: [Publisher, PublishTargets],
  exports: [Publisher],
})
export class PublishingModule {
  constructor(
    publisher: Publisher,
    table: RouteTable,
    @Inject(provided.config) { maxBatchBytes, maxBodyBytes }: MessagingSettings,
  ) {
    for (const word of ['publish', 'enqueue'] as const) {
      for (const pattern of [`/v2/${word}/*`, `/v2/${word}`]) {
        table.addExpress(new PublishRoute(word, pattern, publisher));
      }
    }
    table.add(new ScheduleRoute(publisher));
    const limits = { batchBytesMax: maxBatchBytes, bodyBytesMax: maxBodyBytes };
    table.addExpress(new BatchRoute(publisher, limits));
  }
}
